import { describe, expect, it } from 'vitest';
import { starterTexts } from '../../../../scripts/starter/compile.ts';
import { digestText, readStarterVectors } from '../../../../scripts/starter/vectors.ts';
import { REAL_MODELS } from '../../embedding/real-model.ts';
import { useModelSearch } from './shelf.ts';

it('every text of the starter shelf has a committed vector, and no other text has', () => {
  const committed = readStarterVectors('data/starter/vectors.txt');
  const wanted = starterTexts('data').map(({ key, text }) => [key, digestText(text)]);
  const actual = [...committed.entries].map(([key, entry]) => [key, entry.textDigest]);
  expect(actual.sort()).toEqual(wanted.sort());
});

describe.skipIf(REAL_MODELS === undefined)('with the real model', () => {
  const search = useModelSearch();

  it.each([
    ['can I leave the medium speed out of a fast and slow momentum mix', 'arxiv:2510.23150'],
    ['teach an agent to slice a parent order in a queue-reactive book', 'arxiv:2511.15262'],
    ['how can someone push around the odds on a betting exchange', 'arxiv:2601.20452'],
    ['retirement income pooled with strangers and a refund promise', 'arxiv:2602.16212'],
  ])('the model finds the paper for "%s"', async (query, sourcePaperId) => {
    const { cards, meta } = await search(query);
    expect(cards.map((card) => card.sourcePaperId)).toContain(sourcePaperId);
    expect(meta.verdict).not.toBe('none');
    expect(meta.notice).not.toContain('Lexical search only');
  });

  it('the model points to the section that answers', async () => {
    const { cards, meta } = await search(
      'trend horizons: how were the weights learned, asset by asset?',
    );
    const match = meta.matches.find((each) => each.paperCardId === cards[0]?.paperCardId);
    expect(cards[0]?.sourcePaperId).toBe('arxiv:2510.23150');
    expect(match?.sections[0]?.section_key).toBe('s02-method');
  });
});
