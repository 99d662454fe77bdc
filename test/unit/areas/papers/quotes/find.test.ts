import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { insertPapers } from '../../../../../scripts/starter/insert-papers.ts';
import { sourceIdOf } from '../../../../../src/areas/papers/cards/ids.ts';
import type { HeldShelf } from '../../../../../src/core/context.ts';
import { runInSlices } from '../../../../../src/core/time.ts';
import { offline } from '../../../../context.ts';
import { makeEmptyShelf } from '../shelf.ts';

/** What is looked up for a quote, and where it stops. */

const QUERIES = '../../../../../src/areas/papers/quotes/queries.ts';
type Queries = typeof import('../../../../../src/areas/papers/quotes/queries.ts');
type Find = typeof import('../../../../../src/areas/papers/quotes/find.ts');
type Prompts = typeof import('../../../../../src/areas/papers/prompts.ts');

let listWithPhrase: Queries['listWithPhrase'];
let listWithSome: Queries['listWithSome'];
let countSections: Queries['countSections'];
let findSectionAt: Queries['findSectionAt'];
let findQuote: Find['findQuote'];
let MAX_CHARACTERS: number;
let paperPrompts: Prompts['paperPrompts'];

// The queries answer as ever, and are watched. Other tests may have loaded them already.
beforeAll(async () => {
  vi.resetModules();
  vi.doMock(QUERIES, { spy: true });
  ({ listWithPhrase, listWithSome, countSections, findSectionAt } = await import(
    '../../../../../src/areas/papers/quotes/queries.ts'
  ));
  ({ findQuote, MAX_CHARACTERS } = await import('../../../../../src/areas/papers/quotes/find.ts'));
  ({ paperPrompts } = await import('../../../../../src/areas/papers/prompts.ts'));
});
afterAll(() => {
  vi.doUnmock(QUERIES);
  vi.resetModules();
});

const NOW = new Date('2026-11-21T12:00:00Z');
/** Forty words. */
const QUOTE = `Dealers who hold too much of an asset quote a lower price to be rid of it and as the
  end of the day is near they widen the spread so that nobody sells them what they would have to
  keep overnight`;

let db: HeldShelf['db'];
let remove: () => void;
let shelf: HeldShelf;

beforeEach(() => {
  ({ db, remove } = makeEmptyShelf());
  shelf = { db, now: () => NOW, policy: 'personal' };
  vi.clearAllMocks();
});
afterEach(() => remove());

function put(arxivId: string, ...texts: readonly string[]) {
  insertPapers(db, [
    {
      ...{ sourceId: sourceIdOf(arxivId), version: 1, title: arxivId, authors: ['Ada Example'] },
      ...{ abstract: 'Short.', summary: 'Short.', tags: ['dealers'], categories: ['q-fin.TR'] },
      ...{ published: '2026-05-01', licenseUrl: null, pdfUrl: 'https://arxiv.org/pdf/x' },
      ...{ origin: 'arxiv', asOf: NOW.toISOString(), vector: null },
      sections: texts.map((content, index) => ({
        ...{ key: `s${index}`, type: 'methods', title: 'Model', content, vectors: [] },
      })),
    },
  ]);
}

/** The phrases that were looked up, as words. */
const phrases = () => vi.mocked(listWithPhrase).mock.calls.map(([, words]) => words);

it('twelve words around the rarest one find the whole of a long quote', async () => {
  put('2609.00001', `Before. ${QUOTE}. Behind.`);
  // The same twelve words, but not the rest.
  put('2609.00002', 'they would have to keep overnight, whatever the spread that they widen');
  const { matches: found, isCutShort } = await runInSlices(
    findQuote(shelf, QUOTE, undefined),
    offline.signal,
  );
  expect(found.map(({ paper, isExact }) => [paper.sourceId, isExact])).toEqual([
    ['arxiv:2609.00001', true],
  ]);
  expect(isCutShort).toBe(false);
  expect(phrases().map(({ length }) => length)).toEqual([12]);
});

it('the phrase is around the rarest word, wherever that stands', async () => {
  put('2609.00001', QUOTE);
  for (const word of ['dealers', 'nobody', 'overnight']) {
    vi.clearAllMocks();
    const others = QUOTE.toLowerCase()
      .split(/\s+/)
      .filter((each) => each !== word);
    put('2609.00002', others.join(' '));
    const { matches: found } = await runInSlices(
      findQuote(shelf, QUOTE, undefined),
      offline.signal,
    );
    expect(found[0], word).toMatchObject({ isExact: true, section: { key: 's0' } });
    expect(phrases(), word).toEqual([expect.arrayContaining([word])]);
  }
});

it('words that stand nearly everywhere are not looked up as a phrase', async () => {
  const insert = db.prepare('INSERT INTO paper_section_terms (rowid, content) VALUES (?, ?)');
  db.transaction(() => {
    for (let row = 1; row <= 20_001; row += 1) insert.run(row * 4096, 'a the');
  })();
  const quote = 'a the '.repeat(250);
  expect((await runInSlices(findQuote(shelf, quote, undefined), offline.signal)).matches).toEqual(
    [],
  );
  expect(phrases()).toEqual([]);
});

it('counts no more than sixty words of a claim', async () => {
  put('2609.00001', QUOTE);
  const words = Array.from({ length: 300 }, (_, index) => `w${index}`);
  await runInSlices(findQuote(shelf, `${words.join(' ')} overnight`, undefined), offline.signal);
  expect(countSections).toHaveBeenCalledTimes(60);
});

it('compares no more than its budget, and the prompt says where it stopped', async () => {
  const filler = 'market making '.repeat(MAX_CHARACTERS / 2 / 14);
  put('2609.00001', `${filler} end`, `${filler} end`, QUOTE);
  const write = (claim: string) =>
    paperPrompts
      .find(({ name }) => name === 'check_claim')
      ?.write({ claim, paper: '2609.00001' }, shelf, offline.signal);
  expect(await write(QUOTE)).toContain('Only the first 2,000,000 characters of the texts');
  expect(await write(QUOTE)).toContain('nothing similar was found');
  put('2609.00001', QUOTE);
  expect(await write(QUOTE)).toContain('It appears word for word');
  expect(await write(QUOTE)).not.toContain('Only the first');
});

it('a claim is short enough to be looked up', () => {
  const { claim } = paperPrompts.find(({ name }) => name === 'check_claim')?.arguments ?? {};
  expect(claim?.max).toBe(1_000);
  expect(claim?.description).toContain('1,000 characters');
});

it('looks into the index once between two pauses, and reads one section', async () => {
  for (let paper = 0; paper < 30; paper += 1) {
    put(`2609.${String(paper).padStart(5, '0')}`, QUOTE.replace('overnight', 'for a day'));
  }
  vi.clearAllMocks();
  const looks = () =>
    [listWithPhrase, listWithSome, countSections, findSectionAt].reduce(
      (sum, look) => sum + vi.mocked(look).mock.calls.length,
      0,
    );
  const search = findQuote(shelf, QUOTE, undefined);
  let most = 0;
  for (let done = false; !done; ) {
    const before = looks();
    done = search.next().done === true;
    most = Math.max(most, looks() - before);
  }
  expect(looks()).toBeGreaterThan(30);
  expect(most).toBe(1);
});
