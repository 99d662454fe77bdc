import { expect, it } from 'vitest';
import { readStarterPapers } from '../../../../scripts/starter/papers.ts';
import { cardIdOf, sourceIdOf } from '../../../../src/areas/papers/arxiv/ids.ts';
import { paperRead, paperSearch } from '../../../../src/areas/papers/operations.ts';
import { codePoints } from '../../../../src/core/fields.ts';
import {
  AS_OF,
  call,
  failureOf,
  makeEmptyShelf,
  makeStarterShelf,
  noModel,
  readPaper,
  searchCards,
} from './shelf.ts';

const db = makeStarterShelf();

const failure = (input: object) => failureOf(db, paperRead, input);
const search = (input: { query: string; topK?: number | undefined }) => searchCards(db, input);
const STARTERS = new Map(
  readStarterPapers('data/starter/papers').map((paper) => [sourceIdOf(paper.id), paper]),
);
const TREND = cardIdOf(sourceIdOf('2510.23150'));

it('paper_search finds a starter paper by words in its notes that its title lacks', async () => {
  const { cards, meta } = await search({ query: 'corporate bond factors bias correction' });
  expect(cards[0]?.sourcePaperId).toBe('arxiv:2604.07880');
  expect(meta.notice).toContain('Lexical search only');
  expect(meta.notice).toContain('starter shelf');
});

it('paper_search offline says to unset QUANTSHELF_OFFLINE, then to fill the starter shelf with a sync', async () => {
  const offline = { isOffline: true };
  const { envelope } = await call(db, paperSearch, { query: 'market' }, noModel, offline);
  const notice = expect.stringContaining(': unset QUANTSHELF_OFFLINE, then fill it with `');
  expect(envelope).toMatchObject({ meta: { notice } });
});

it.each([
  ['topK 2', 2, 2],
  ['topK 1e16', 10, 1e16],
  ['no topK', 5, undefined],
])('paper_search with %s returns %i cards', async (_, count, topK) => {
  expect((await search({ query: 'market', topK })).cards).toHaveLength(count);
});

it.each([0, 1.5])('paper_search refuses topK %s, and asks for a whole number', async (topK) => {
  const { envelope } = await call(db, paperSearch, { query: 'market', topK });
  expect(envelope).toMatchObject({
    error: { message: '"topK" must be a whole number of at least 1.', param: 'topK' },
  });
});

it('paper_search succeeds without a match, with no cards and the verdict none', async () => {
  const { cards, meta } = await search({ query: 'zyzzyva' });
  expect(cards).toEqual([]);
  expect(meta).toMatchObject({ verdict: 'none', matches: [], asOf: AS_OF, creditsUsed: 1 });
});

it('paper_search counts no papers for a question of stop words only', async () => {
  const { meta } = await search({ query: 'the the the' });
  expect(meta).toMatchObject({ verdict: 'none', holding: 0 });
  expect(meta.notice).toContain('too vague');
  expect(meta.notice).not.toContain('contain all terms');
});

it('paper_search returns only the nearest card if none is related, unless more than five are requested', async () => {
  const query = 'recipe for sourdough bread with a long fermentation';
  const more = await search({ query, topK: 6 });
  expect(more.cards).toHaveLength(6);
  const { cards, meta } = await search({ query, topK: 5 });
  expect(cards).toEqual(more.cards.slice(0, 1));
  const matches = more.meta.matches.slice(0, 1);
  expect(meta).toMatchObject({ verdict: 'none', holding: 0, creditsUsed: 1, matches });
  expect(meta.notice).toContain('By words alone, nothing is clearly related: this is the nearest');
});

it('paper_search returns the facts of each card and a consistent manifest, but no section text', async () => {
  const { cards, meta } = await search({ query: 'market making in foreign exchange', topK: 10 });
  expect(meta.matches.map(({ paperCardId }) => paperCardId)).toEqual(
    cards.map(({ paperCardId }) => paperCardId),
  );
  for (const card of cards) {
    const starter = STARTERS.get(card.sourcePaperId);
    const [primaryCategory] = starter?.categories ?? [];
    const { published, version } = starter ?? {};
    expect(card).toMatchObject({ published, version, primaryCategory });
    expect(card).not.toHaveProperty('sections');
    expect(card.sectionCount).toBe(card.availableSections.length);
    const sum = card.availableSections.reduce((total, entry) => total + entry.char_count, 0);
    expect(card.fullTextCharCount).toBe(sum);
    expect(card.abstract.startsWith('Digest of the abstract by QuantShelf: ')).toBe(true);
    expect(card.abstract).not.toContain(card.summary);
  }
});

it('paper_search fails as unavailable if there are no papers', async () => {
  const result = await call(makeEmptyShelf(), paperSearch, { query: 'volatility' });
  expect(result).toMatchObject({ ok: false, status: 503 });
});

it('paper_read returns every section by default, with its number of characters', async () => {
  for (const all of [undefined, null]) {
    const { sections } = (await readPaper(db, { paperCardId: TREND, sections: all })).data;
    expect(sections.map(({ section_key }) => section_key)).toEqual(
      'abstract s01-question s02-method s03-findings s04-limits'.split(' '),
    );
    const counts = sections.map(({ content }) => codePoints(content));
    expect(sections.map(({ char_count }) => char_count)).toEqual(counts);
  }
});

it.each(['arxiv:2510.23150v1', '2510.23150v3'])(
  'paper_read refuses any version but the current one, and says what to omit: %s',
  async (paperCardId) => {
    const error = await failure({ paperCardId });
    expect(error).toMatchObject({ code: 'invalid_request', param: 'paperCardId' });
    expect(error.message).toContain(`omit "${paperCardId.slice(-2)}"`);
  },
);

it('paper_read says why it could not fetch a paper that is not stored', async () => {
  const error = await failure({ paperCardId: 'arXiv:0704.0001' });
  expect(error).toMatchObject({ code: 'not_found', param: 'paperCardId' });
  expect(error.message).toMatch(/not on the shelf yet. QUANTSHELF_OFFLINE .* fetched: unset it/);
});

it('paper_read fails with service_unavailable if arXiv cannot be reached for a paper that is not stored', async () => {
  const input = { paperCardId: 'arXiv:0704.0001' };
  const { envelope } = await call(db, paperRead, input, noModel, {
    addPaper: async () => 'unreachable',
  });
  const message = expect.stringContaining('could not be reached');
  expect(envelope).toMatchObject({ error: { code: 'service_unavailable', message } });
});

it('paper_read rejects unknown section keys, quoting at most ten of them and listing the valid ones', async () => {
  const several = ['abstract', 'intro', 'results', 'intro', 'data\u202e'];
  const error = await failure({ paperCardId: TREND, sections: several });
  expect(error).toMatchObject({ code: 'invalid_request', param: 'sections' });
  expect(error.message).toMatch(
    /no section "intro" or "results" or "data"\. Valid keys are abstract, .*s02-method/,
  );
  const many = Array.from({ length: 30 }, (_, at) => `x${at}`);
  const lots = await failure({ paperCardId: TREND, sections: many });
  expect(lots.message).toContain('"x8" or "x9". Valid');
});
