import { afterAll, beforeAll, expect, it } from 'vitest';
import { readStarterPapers } from '../../../../scripts/starter/papers.ts';
import { paperSearch } from '../../../../src/areas/papers/operations.ts';
import { makePaper, type StandInPaper } from '../../../stand-ins/arxiv-papers.ts';
import { syncPapers } from '../../../stand-ins/synced-papers.ts';
import { failureOf, makeEmptyShelf, searchCards } from './shelf.ts';

/** Papers as arXiv lists them: the starter papers' facts, with our digests as abstracts. */
function records(): StandInPaper[] {
  const namesOf = (names: readonly string[]) => names.map((keyname) => ({ keyname }));
  const starter = readStarterPapers('data/starter/papers').map(
    ({ id, title, authors, categories, published, digest: abstract }, index) => {
      const dates = { published, updated: published, datestamp: '2026-10-01' };
      const facts = { id, title, authors: namesOf(authors), categories: [...categories], abstract };
      return makePaper({ ...dates, ...facts }, index);
    },
  );
  const authors = namesOf(['Jan van der Berg', 'Ana Maria López de la Cruz']);
  return [...starter, makePaper({ authors, published: '2026-01-05' })];
}

// Filled by the program's own sync, so that dates, authors and categories are as stored.
const db = makeEmptyShelf(afterAll);
beforeAll(() => syncPapers(db, records(), { now: () => new Date('2026-11-21T12:00:00Z') }));

const search = (query: string, topK = 10) => searchCards(db, { query, topK });
type Card = Awaited<ReturnType<typeof search>>['cards'][number];
const isOfAbiJaber = ({ authors }: Card) => authors.includes('Eduardo Abi Jaber');

const categories = db.prepare('SELECT categories FROM paper WHERE card_id = ?').pluck();
const isIn = (code: string) => (card: Card) =>
  String(categories.get(card.paperCardId)).includes(code);
const textOf = ({ title, abstract }: Card) => `${title} ${abstract}`.toLowerCase();
const dayOf = ({ published = '' }: Card) => published;

it.each<[filter: string, subject: string, fits: (card: Card) => boolean]>([
  ['author:jaber', 'volatility', isOfAbiJaber],
  ['author:"Eduardo Abi Jaber"', 'volatility', isOfAbiJaber],
  ['author:"Jaber, Eduardo"', 'volatility', isOfAbiJaber],
  ['author:"E. Jaber"', 'volatility', isOfAbiJaber],
  ['-author:"S. Jaber"', 'author:jaber', isOfAbiJaber],
  ['since:2026-02', 'portfolio optimisation', (card) => dayOf(card) >= '2026-02'],
  ['until:2025-11', 'portfolio optimisation', (card) => dayOf(card).slice(0, 7) <= '2025-11'],
  ['year:2025', 'portfolio optimisation', (card) => dayOf(card).startsWith('2025')],
  ['cat:q-fin.pm', 'risk', isIn('q-fin.PM')],
  ['cat:q-fin', 'risk', isIn('q-fin')],
  ['-author:jaber', 'volatility', (card) => !isOfAbiJaber(card)],
  ['-year:2026', 'volatility', (card) => !dayOf(card).startsWith('2026')],
  ['-cat:q-fin.TR', 'volatility', (card) => !isIn('q-fin.TR')(card)],
  ['-rough', 'volatility', (card) => !/\brough\b/.test(textOf(card))],
  ['-"deep learning"', 'volatility', (card) => !textOf(card).includes('deep learning')],
])('the filter %s selects only papers that fit it', async (field, subject, fits) => {
  const { cards, meta } = await search(`${field} ${subject}`);
  expect(cards.length).toBeGreaterThan(0);
  expect(cards.filter((card) => !fits(card))).toEqual([]);
  expect(meta.understood?.[0]?.replaceAll('"', '')).toBe(field.replaceAll('"', ''));
});

it.each([
  ["author:Ben-Ze'ev", "Noam Ben-Ze'ev"],
  ['author:"Ben-Ze’ev"', "Noam Ben-Ze'ev"],
  ['author:"Le Floc\'h"', "Fabien Le Floc'h"],
  ['author:"van Zyl"', 'Terence van Zyl'],
  ['author:"van der Berg"', 'Jan van der Berg'],
  ['author:"Berg, Jan van der"', 'Jan van der Berg'],
  ['author:"de la Cruz"', 'Ana Maria López de la Cruz'],
  ['author:"López de la Cruz"', 'Ana Maria López de la Cruz'],
])('an author field matches whole surnames, as in %s', async (query, name) => {
  const { cards, meta } = await search(query);
  expect(cards.length).toBeGreaterThan(0);
  expect(cards.every(({ authors }) => authors.includes(name))).toBe(true);
  expect(meta.verdict).toBe('strong');
});

it('an author field followed by another name still finds papers, and a notice says how to write both', async () => {
  const apart = await search('author:jaber Mantegna');
  expect(apart.cards.length).toBeGreaterThan(0);
  expect(apart.cards.every(isOfAbiJaber)).toBe(true);
  expect(apart.meta.verdict).toBe('weak');
  expect(apart.meta.notice).toContain('author:bouchaud,lillo');
  const cut = await search('author:van der Berg');
  expect(cut.meta.notice).toContain('quote a name of several words');
});

it('a paper must match all fields of a question', async () => {
  const { cards, meta } = await search('risk since:2025-12 -cat:q-fin.TR until:2026-01');
  expect(cards.length).toBeGreaterThan(0);
  expect(cards.every((card) => /^2025-12|^2026-01/.test(dayOf(card)))).toBe(true);
  expect(cards.some(isIn('q-fin.TR'))).toBe(false);
  expect(meta.understood).toEqual(['since:2025-12', '-cat:q-fin.TR', 'until:2026-01']);
});

it.each([
  ['until:2025-12', /^2025-12/, ['until:2025-12', 'newest first']],
  ['newest papers', /^2026/, ['newest first']],
  ['What are the most recent papers?', /^2026/, ['newest first']],
  ['latest', /^2026/, ['newest first']],
  ['papers not about crypto', /^2026/, ['-crypto', 'newest first']],
])('the newest papers come first if there is no subject: %s', async (query, newest, understood) => {
  const { cards, meta } = await search(query);
  const days = cards.map(dayOf);
  expect(days).toHaveLength(10);
  expect(days).toEqual(days.toSorted().reverse());
  expect(days[0]).toMatch(newest);
  expect(meta).toMatchObject({ verdict: 'strong', understood });
});

it('a notice says so if a field excludes every paper, and how many there are', async () => {
  const shelf = db.prepare<[], number>('SELECT count(*) FROM paper').pluck().get();
  const notice = expect.stringContaining(`excludes all ${shelf} papers on this shelf`);
  for (const query of ['author:nobody volatility', 'since:2099 volatility', 'author:nobody']) {
    expect(await search(query)).toMatchObject({ cards: [], meta: { verdict: 'none', notice } });
  }
});

it.each([
  ['cat:q-fin.XX since:2020', /"cat:q-fin.XX" excludes all .* shelf; arXiv lists no such category/],
  ['cat:hep-th volatility', /"cat:hep-th" excludes all \d+ papers on this shelf; lexical/],
  ['author:nobody since:2020', /"author:nobody" excludes all/],
  ['source:own', /excludes all \d+ papers on this shelf; `quantshelf add` puts your own there/],
  ['-options option pricing', /-options excludes part of the subject itself/],
  ['option pricing not about option pricing', /-"option pricing" excludes part of the subject/],
  ['authr:cont', /"authr:" is not one of the fields \(author:, since:, .*, so it was read as /],
  ['-Categories:q-fin volatility', /"Categories:" is not one of the fields/],
])('the notice names the part of a question that is at fault: %s', async (query, says) => {
  expect((await search(query)).meta.notice).toMatch(says);
});

it.each([
  'volatility -"deep learning"',
  'Volatility: a survey',
  'https://example.org/page volatility',
  'BTC:USD volatility at 10:30',
  'Author:jaber newest papers',
  // Dates that overlap.
  'since:2026 until:2026-01',
  'since:2026-01-05 until:2026',
  '-year:2025 since:2026',
])('a well-formed question finds papers, and no notice corrects it: %s', async (query) => {
  const { cards, meta } = await search(query);
  expect(cards.length).toBeGreaterThan(0);
  expect(meta.notice ?? '').not.toMatch(/is not one of|excludes|dates, add/i);
});

it('a notice says that papers pass the filter, but none of them matches the subject', async () => {
  const { cards, meta } = await search('garch -garch');
  expect(cards).toEqual([]);
  expect(meta.notice).toContain('"-garch" matches papers, but none');
});

it.each([
  ['since:yesterday swaps', /write year:2024/],
  ['year:2024-05', /write year:2024/],
  ['year:\u202e20x', /^year:20x is not valid: write year:2024/],
  ['until:2024-13', /write year:2024/],
  ['since:2020 until:2019', /^since:2020 is after until:2019: swap them or drop one\.$/],
  ['cat:q-fin.PR until:2019-05 since:2019-06-01', /^since:2019-06-01 is after until:2019-05: swap/],
])('invalid or contradictory dates are refused, with a remedy: %s', async (query, says) => {
  const error = await failureOf(db, paperSearch, { query });
  expect(error).toMatchObject({ code: 'invalid_request', param: 'query' });
  expect(error.message).toMatch(says);
});

it.each(['volatility models by Eduardo Abi Jaber', 'eduardo abi jaber on volatility models'])(
  'naming an author in prose ranks that author first but excludes nobody: %s',
  async (query) => {
    const { cards, meta } = await search(query, 5);
    expect(cards[0]?.authors).toContain('Eduardo Abi Jaber');
    expect(cards.some((card) => !isOfAbiJaber(card))).toBe(true);
    expect(meta.understood?.[0]?.toLowerCase()).toBe('prefers author: eduardo abi jaber');
  },
);

it.each([
  ['papers by Nobody Known on volatility models', 'Nobody Known', 'none'],
  ['papers by Heston', 'Heston', 'weak'],
  ['Papers by heston.', 'heston', 'weak'],
  ['papers by Black', 'Black', 'weak'],
  ['option pricing by Black', 'Black', 'strong'],
  ['volatility by Sergei Jaber', 'Sergei Jaber', 'weak'],
])('a notice names an author by whom no paper is stored: %s', async (query, name, verdict) => {
  const { cards, meta } = await search(query);
  expect(cards).not.toEqual([]);
  expect(meta).toMatchObject({ verdict });
  expect(meta.understood).toBeUndefined();
  expect(meta.notice).toMatch(new RegExp(`no stored paper is by ${name}`, 'i'));
});

it.each([
  'papers on volatility not by Eduardo Abi Jaber',
  'papers not by Rosenbaum on volatility',
  'volatility excluding papers by Mathieu Rosenbaum or Eduardo Abi Jaber',
  'volatility by authors other than Mathieu Rosenbaum',
])('an unwanted author is not preferred, and a notice suggests a filter: %s', async (query) => {
  const { cards, meta } = await search(query);
  expect(cards.length).toBeGreaterThan(5);
  expect(meta.understood).toBeUndefined();
  expect(meta.notice).toContain('add -author:');
});

it.each(['портфель оптимизация', 'Rosenbaum волатильность', '模型 Jaber'])(
  'a question with words in a non-Latin script prefers no author: %s',
  async (query) => expect((await search(query)).meta.understood).toBeUndefined(),
);

// A stemmer shortens the given names Eric and Béatrice.
const authors = `Papers by Jean-Philippe Bouchaud, Mathieu Rosenbaum, Dylan Patrick Kelly, Fabien Le Floc'h,
  Eric Benhamou, Béatrice Guez`;
it.each(authors.split(/,\s+/))(
  'a question that names only an author returns only papers by that author: %s',
  async (query) => {
    const { cards, meta } = await search(query);
    const name = query.replace('Papers by ', '');
    expect(cards.length).toBeGreaterThan(0);
    expect(cards.every(({ authors }) => authors.includes(name))).toBe(true);
    expect(meta.understood).toEqual([`prefers author: ${name}`, 'newest first']);
  },
);

it('a notice says that the surname that is the whole question is also a word in a paper', async () => {
  const says = '"kelly" was read as an author; for 1 paper with the word, add another';
  expect((await search('kelly')).meta.notice).toContain(says);
  expect((await search('Rosenbaum')).meta.notice).toBeUndefined();
});

it.each([
  ['papers from 2025 on volatility', 'volatility'],
  ['volatility 2025', 'volatility'],
  ['option pricing 2026', 'option pricing'],
  ['Which papers of 2024 are on option pricing?', 'option pricing'],
])('a paper matches even if it lacks the year in the question: %s', async (query, undated) => {
  const { meta } = await search(query);
  expect(meta.verdict).not.toBe('none');
  expect(meta.notice).toContain('since:2026-05');
  expect(meta.holding).toBe((await search(undated)).meta.holding);
});

it.each(['portfolio optimisation since 2026', 'recent papers on portfolio optimisation'])(
  'a date in prose filters nothing, and a notice says how to filter by date: %s',
  async (query) => {
    const { cards, meta } = await search(query);
    expect(cards).toEqual((await search('portfolio optimisation')).cards);
    expect(meta.understood).toBeUndefined();
    expect(meta.notice).toContain('by subject, not by date: for dates, add since:2026-05');
  },
);
