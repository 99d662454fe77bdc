import { parse } from '@retorquere/bibtex-parser';
import { afterAll, describe, expect, it } from 'vitest';
import { readStarterPapers } from '../../../../scripts/starter/papers.ts';
import { cardIdOf, sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { paperRead, paperSearch } from '../../../../src/areas/papers/operations.ts';
import { codePoints } from '../../../../src/core/fields.ts';
import { AS_OF, call, failureOf, makeEmptyShelf, makeStarterShelf, searchCards } from './shelf.ts';

const { db, remove } = makeStarterShelf();
const empty = makeEmptyShelf();
afterAll(() => {
  remove();
  empty.remove();
});

const failure = (input: object) => failureOf(db, paperRead, input);
const search = (input: { query: string; topK?: number | undefined }) => searchCards(db, input);
async function read(input: object) {
  const outcome = await call(db, paperRead, input);
  if (!outcome.ok) throw new Error(outcome.envelope.error.message);
  return { paper: paperRead.output.parse(outcome.envelope.data), meta: outcome.envelope.meta };
}

const STARTERS = new Map(
  readStarterPapers('data/starter/papers').map((paper) => [sourceIdOf(paper.id), paper]),
);
const TREND = cardIdOf(sourceIdOf('2510.23150'));

describe('paper_search without a model', () => {
  it('paper_search finds a paper by words in its note that its title lacks', async () => {
    const { cards, meta } = await search({ query: 'corporate bond factors bias correction' });
    expect(cards[0]?.sourcePaperId).toBe('arxiv:2604.07880');
    expect(meta.notice).toContain('Lexical search only');
    expect(meta.notice).toContain('starter shelf');
  });

  it('paper_search returns at most topK cards, and never more than ten', async () => {
    expect((await search({ query: 'market', topK: 2 })).cards).toHaveLength(2);
    expect((await search({ query: 'market', topK: 5000 })).cards).toHaveLength(10);
    expect((await search({ query: 'market', topK: 1e16 })).cards).toHaveLength(10);
    expect((await search({ query: 'market' })).cards).toHaveLength(5);
  });

  it('paper_search succeeds without a match, with no cards and the verdict none', async () => {
    const { cards, meta } = await search({ query: 'zyzzyva' });
    expect(cards).toEqual([]);
    expect(meta.verdict).toBe('none');
    expect(meta.matches).toEqual([]);
    expect(meta.asOf).toBe(AS_OF);
    expect(meta.creditsUsed).toBe(1);
  });

  it('paper_search counts no papers for a question of stop words only', async () => {
    const { meta } = await search({ query: 'the the the' });
    expect(meta).toMatchObject({ verdict: 'none', holding: 0 });
    expect(meta.notice).toContain('too vague');
    expect(meta.notice).not.toContain('hold all terms');
  });

  it('paper_search returns only the nearest card if none is related, unless more than five are requested', async () => {
    const query = 'recipe for sourdough bread with a long fermentation';
    const more = await search({ query, topK: 6 });
    expect(more.meta.verdict).toBe('none');
    expect(more.cards).toHaveLength(6);
    expect(more.meta.notice).toContain('Nothing seems related: these are the nearest');
    for (const topK of [undefined, 5, 3]) {
      const { cards, meta } = await search({ query, topK });
      expect(cards).toEqual(more.cards.slice(0, 1));
      expect(meta.matches).toEqual(more.meta.matches.slice(0, 1));
      expect(meta).toMatchObject({ verdict: 'none', holding: 0, creditsUsed: 1 });
      expect(meta.notice).toContain('Nothing seems related: this is the nearest');
    }
  });

  it('paper_search returns the facts of each card and a consistent manifest, but no section text', async () => {
    const { cards, meta } = await search({ query: 'market making in foreign exchange', topK: 10 });
    expect(meta.matches.map(({ paperCardId }) => paperCardId)).toEqual(
      cards.map(({ paperCardId }) => paperCardId),
    );
    for (const card of cards) {
      const starter = STARTERS.get(card.sourcePaperId);
      expect(card).toMatchObject({
        published: starter?.published,
        primaryCategory: starter?.categories[0],
        version: starter?.version,
      });
      expect(card).not.toHaveProperty('sections');
      expect(card.sectionCount).toBe(card.availableSections.length);
      const sum = card.availableSections.reduce((total, entry) => total + entry.char_count, 0);
      expect(card.fullTextCharCount).toBe(sum);
      expect(card.abstract.startsWith('Digest of the abstract by QuantShelf: ')).toBe(true);
      expect(card.abstract).not.toContain(card.summary);
    }
  });

  it('paper_search fails as unavailable if there are no papers', async () => {
    const outcome = await call(empty.db, paperSearch, { query: 'volatility' });
    expect(outcome.ok).toBe(false);
    expect(outcome.status).toBe(503);
  });
});

describe('paper_read', () => {
  it('paper_read cites every starter paper, each under a unique key', async () => {
    const keys = new Set<string>();
    for (const [sourceId, { published, categories, authors, title }] of STARTERS) {
      const { paper } = await read({ paperCardId: sourceId, sections: ['abstract'] });
      const { entries, errors } = parse(paper.bibtex, { english: false, caseProtection: false });
      const [entry, ...others] = entries;
      expect([others, errors]).toEqual([[], []]);
      expect(entry?.fields).toMatchObject({
        year: published?.slice(0, 4),
        eprint: sourceId.slice('arxiv:'.length),
        archiveprefix: 'arXiv',
        primaryclass: categories[0],
      });
      expect(entry?.fields.author).toHaveLength(authors.length);
      if (!/\$|--/.test(title)) expect(entry?.fields.title).toBe(title);
      keys.add(entry?.key ?? '');
    }
    expect(keys.size).toBe(STARTERS.size);
  });

  it('paper_read returns the chosen sections once each in the order of the paper, or all of them', async () => {
    const all = ['abstract', 's01-question', 's02-method', 's03-findings', 's04-limits'];
    const some = ['abstract', 's03-findings'];
    for (const [sections, keys] of [
      ...[undefined, null, [], ['all'], ['s01-question', 'all']].map((asked) => [asked, all]),
      [['s03-findings', 'abstract', 's03-findings'], some],
    ]) {
      const { paper } = await read({ paperCardId: TREND, sections });
      expect(paper.sections.map((section) => section.section_key)).toEqual(keys);
      expect(paper.sectionCount).toBe(5);
      for (const { char_count, content } of paper.sections) {
        expect(char_count).toBe(codePoints(content));
      }
    }
  });

  it.each([' arXiv:2510.23150', TREND.toUpperCase(), 'https://arxiv.org/pdf/2510.23150v2'])(
    'paper_read takes %j as the id of a paper',
    async (paperCardId) => {
      const { paper } = await read({ paperCardId, sections: ['abstract'] });
      expect(paper.paperCardId).toBe(TREND);
    },
  );

  it('paper_read explains that it cannot return another version or an unknown paper', async () => {
    const old = await failure({ paperCardId: 'arxiv:2510.23150v1' });
    expect(old).toMatchObject({ code: 'invalid_request', param: 'paperCardId' });
    expect(old.message).toContain('omit "v1"');
    const future = await failure({ paperCardId: '2510.23150v3' });
    expect(future.message).toContain('omit "v3"');
    const unknown = await failure({ paperCardId: '0704.0001' });
    expect(unknown.code).toBe('not_found');
    expect(unknown.message).toContain('not on the shelf');
  });

  it('paper_read lists the valid keys when one is unknown', async () => {
    const error = await failure({ paperCardId: TREND, sections: ['introduction'] });
    expect(error.message).toContain('no section "introduction". Its section keys are: abstract, ');
    const asked = ['abstract', 'intro', 'results', 'intro', 'data\u202e'];
    const several = await failure({ paperCardId: TREND, sections: asked });
    expect(several.message).toContain('no section "intro" or "results" or "data".');
    const many = Array.from({ length: 30 }, (_, at) => `x${at}`);
    const lots = await failure({ paperCardId: TREND, sections: many });
    expect(lots.message).toContain('"x8" or "x9". Its');
    expect(error).toMatchObject({ code: 'invalid_request', param: 'sections' });
    expect(error.message).toContain('s02-method');
  });
});
