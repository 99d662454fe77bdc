import { expect, it } from 'vitest';
import { insertPapers } from '../../../../scripts/starter/insert-papers.ts';
import { cardIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { readIdentifiers, readPaperId } from '../../../../src/areas/papers/find.ts';
import { makeCard, makeEmptyShelf, makeStarterShelf, searchCards } from './shelf.ts';

const db = makeStarterShelf();
db.prepare("UPDATE paper SET doi = '10.1080/ABC.12' WHERE source_id = 'arxiv:2510.23150'").run();

async function search(query: string, topK = 3) {
  const { cards, meta } = await searchCards(db, { query, topK });
  return { ids: cards.map(({ sourcePaperId }) => sourcePaperId), meta };
}

it.each([
  '2510.23150',
  'arXiv:2510.23150v2',
  'what does 2510.23150 say?',
  cardIdOf('arxiv:2510.23150'),
  'doi:10.1080/abc.12',
])('a paper comes first, with verdict strong, if the question has its id: %s', async (query) => {
  const { ids, meta } = await search(query);
  expect(ids[0]).toBe('arxiv:2510.23150');
  expect(ids.length).toBeGreaterThan(1);
  expect(new Set(ids).size).toBe(ids.length);
  expect(meta.verdict).toBe('strong');
  expect(meta.understood?.[0]).toMatch(/^id: /);
  expect(meta.matches[0]?.score).toBe(1);
  expect(meta.notice).not.toContain('too little');
});

it('a question about a paper that is not stored gets a notice saying how to fetch it', async () => {
  const bare = await search('arXiv:2401.99999');
  expect(bare.ids).toEqual([]);
  expect(bare.meta.verdict).toBe('none');
  expect(bare.meta.notice).toContain('arxiv:2401.99999 is not on this shelf: paper_read');
  const more = await search('does 2401.99999 use corporate bond factors bias correction');
  expect(more.ids[0]).toBe('arxiv:2604.07880');
  expect(more.meta.verdict).not.toBe('strong');
  expect((await search('doi 10.1000/unknown')).meta.notice).toContain('doi:10.1000/unknown is');
});

it('a paper comes first if the question is its title, in any case and punctuation', async () => {
  const title = 'HETEROGENEOUS trader responses to macroeconomic surprises';
  const { ids, meta } = await search(`${title} - simulating order flow dynamics.`);
  expect(ids[0]).toBe('arxiv:2505.01962');
  expect(meta.verdict).toBe('strong');
});

it('a paper comes before hundreds with the same words if the question is its title', async () => {
  const shelf = makeEmptyShelf();
  const title = 'The Risk in the Volatility of the Stock Market';
  const others = Array(300).fill('Stock market volatility: risk, volatility, risk');
  const card = (one: string, at: number) =>
    makeCard({ title: one, sourceId: `arxiv:2609.${10_000 + at}` });
  insertPapers(shelf, [...others, title].map(card));
  const { cards, meta } = await searchCards(shelf, { query: title });
  expect(cards[0]?.title).toBe(title);
  expect(meta).toMatchObject({ verdict: 'strong', understood: [`title: ${title}`] });
});

it.each([
  ['2510.23150', 'arxiv:2510.23150'],
  ['arXiv id: 2510.23150.', 'arxiv:2510.23150'],
  ['please show me the paper arXiv:2510.23150', 'arxiv:2510.23150'],
  ['https://arxiv.org/pdf/2510.23150v1.pdf', 'arxiv:2510.23150'],
  ['http://export.arxiv.org/abs/1404.4944', 'arxiv:1404.4944'],
  ['https://doi.org/10.48550/arXiv.2510.23150', 'arxiv:2510.23150'],
  ['arXiv:cond-mat/9905305v1', 'arxiv:cond-mat/9905305'],
  ['math.PR/0309136', 'arxiv:math/0309136'],
  ['doi:10.1080/14697688.2020.1736612.', 'doi:10.1080/14697688.2020.1736612'],
  ['(https://doi.org/10.1016/S0304-405X(98)00026-9)', 'doi:10.1016/s0304-405x(98)00026-9'],
  ['6F0C9D0E-3F3B-5D0A-9B54-6A2D7C1E8F41', '6f0c9d0e-3f3b-5d0a-9b54-6a2d7c1e8f41'],
])('the identifier in the question "%s" is %s', (text, name) => {
  expect(readIdentifiers(text)).toEqual({ names: [name], rest: '' });
});

it.each([
  'a price of $1204.5678',
  'month 13 is none: 2413.00001',
  'four digits ended in 2014: 2401.1234',
  '1404.4944.1',
  'and/0601001',
])('the question "%s" contains no identifier', (text) => {
  expect(readIdentifiers(text)).toEqual({ names: [], rest: text });
});

it('the rest of a question is its text without the identifiers', () => {
  const { names, rest } = readIdentifiers('Does 2510.23150 beat arXiv:1404.4944 on costs?');
  expect(names).toEqual(['arxiv:2510.23150', 'arxiv:1404.4944']);
  expect(rest.split(/\s+/)).toEqual(['Does', 'beat', 'on', 'costs?']);
});

it.each([
  ['arXiv:2510.23150', '2510.23150'],
  [' https://arxiv.org/abs/2510.23150v12 ', '2510.23150v12'],
  ['https://arxiv.org/pdf/2510.23150v2.pdf', '2510.23150v2'],
  ['2510.2315', '2510.23150'],
  ['1404.494', '1404.4940'],
  ['q-fin%2F0601001', 'q-fin/0601001'],
])('the text "%s" is read as the arXiv id %s', (text, id) => {
  const [arxivId = '', version] = id.split('v');
  const cardId = cardIdOf(`arxiv:${arxivId}`);
  expect(readPaperId(text)).toEqual({ cardId, arxivId, version: version ? Number(version) : null });
});

it.each(['see 2510.23150', '2413.00001', '../2510.23150', '6f0c9d0e-3f3b-5d0a-9b54-6a2d7c1e8f41'])(
  'the text "%s" is not read as an arXiv id',
  (text) => expect(readPaperId(text)).toEqual({ cardId: text, arxivId: null, version: null }),
);

it.each([
  'doi:10.1000/own.7',
  '10.1000/Own.7',
  'DOI: 10.1000/own.7',
  'https://doi.org/10.1000/own.7',
  'http://dx.doi.org/10.1000/own.7',
])('the DOI of one of the user’s own papers is recognised in any form: %s', (text) => {
  expect(readPaperId(text).cardId).toBe(cardIdOf('doi:10.1000/own.7'));
});
