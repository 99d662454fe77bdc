import { afterAll, describe, expect, it } from 'vitest';
import { paperSearch } from '../../../../../src/areas/papers/operations.ts';
import { call, makeStarterShelf } from '../shelf.ts';

const { db, remove } = makeStarterShelf();
afterAll(remove);

async function search(query: string, topK = 10) {
  const outcome = await call(db, paperSearch, { query, topK });
  if (!outcome.ok) throw new Error(outcome.envelope.error.message);
  return { cards: paperSearch.output.parse(outcome.envelope.data), meta: outcome.envelope.meta };
}
const yearOf = ({ published }: { published?: string | undefined }) => published?.slice(0, 4);

describe('a question that names', () => {
  it("an author prefers the author's papers and says so", async () => {
    for (const by of ['papers by Abi Jaber', 'papers by eduardo abi jaber']) {
      const { cards, meta } = await search(`volatility models, ${by}`, 5);
      expect(cards[0]?.authors).toContain('Eduardo Abi Jaber');
      expect(cards.some(({ authors }) => !authors.includes('Eduardo Abi Jaber'))).toBe(true);
      expect(meta.understood).toEqual(['author: Eduardo Abi Jaber']);
    }
  });

  it('an unknown author ranks by the rest, and the notice says who is not there', async () => {
    const { cards, meta } = await search('papers by Nobody Known on volatility models', 5);
    const plain = await search('papers on volatility models', 5);
    expect(cards).toEqual(plain.cards);
    expect(meta.understood).toBeUndefined();
    expect(meta.notice).toContain(
      '"author: Nobody Known" was ignored: no paper on this shelf fits.',
    );
    expect(meta.verdict).not.toBe('strong');
  });

  it('a date prefers papers of that time; with "only" there are no others', async () => {
    const before = await search('portfolio optimisation');
    const preferred = await search('portfolio optimisation since 2026');
    const only = await search('portfolio optimisation, only since 2026');
    const count = (cards: typeof before.cards) =>
      cards.filter((card) => yearOf(card) === '2026').length;
    expect(count(preferred.cards)).toBeGreaterThan(count(before.cards));
    expect(only.cards.map(yearOf)).toEqual(only.cards.map(() => '2026'));
    expect(only.cards.length).toBeGreaterThan(5);
    expect(only.meta.understood).toEqual(['published: since 2026, only']);
    expect(preferred.meta.understood).toEqual(['published: since 2026']);
  });

  it('the newest prefers what is newest here, and a date like "last year" is that of the call', async () => {
    const plain = await search('portfolio optimisation');
    const latest = await search('latest papers on portfolio optimisation');
    const [, since = ''] =
      /^published: latest \(since (.+)\)$/.exec(latest.meta.understood?.[0] ?? '') ?? [];
    const shelf = db
      .prepare<[], string>('SELECT published FROM paper ORDER BY published')
      .pluck()
      .all();
    expect(shelf.filter((day) => day >= since).length).toBeCloseTo(shelf.length / 4, -1);
    const newer = ({ cards }: typeof plain) =>
      cards.filter(({ published = '' }) => published >= since).length;
    expect(newer(latest)).toBeGreaterThan(newer(plain));
    expect(latest.meta.notice).not.toContain('ignored');
    const { cards, meta } = await search('portfolio optimisation, only papers from last year');
    expect(meta.understood).toEqual(['published: 2025, only']);
    expect(cards.map(yearOf)).toEqual(cards.map(() => '2025'));
    // The shelf ends some months before the call.
    const { meta: none } = await search('papers on portfolio optimisation in the last month');
    expect(none.notice).toContain('"published: since 2026-10-22" was ignored');
  });

  it('a time or category of which there is nothing leaves none out', async () => {
    const { cards, meta } = await search('portfolio optimisation, only papers before 1999');
    expect(cards.length).toBe(10);
    expect(meta.notice).toContain('"published: before 1999"');
    const { meta: other } = await search('only q-fin.ZZ: portfolio optimisation');
    expect(other.notice).toContain('"category: q-fin.ZZ"');
  });

  it('these alone gets the newest papers that fit, and no others', async () => {
    const author = await search('Papers by Eduardo Abi Jaber, please');
    expect(author.cards.map(({ authors }) => authors.includes('Eduardo Abi Jaber'))).toEqual([
      true,
    ]);
    expect(author.meta.verdict).toBe('strong');
    expect(author.meta.understood).toEqual(['author: Eduardo Abi Jaber', 'newest first']);
    const { cards, meta } = await search('What are the latest papers?');
    const days = cards.map(({ published = '' }) => published);
    const newest = db
      .prepare<[], string>('SELECT published FROM paper ORDER BY published DESC LIMIT 10')
      .pluck()
      .all();
    expect(days).toEqual(newest);
    expect(meta.verdict).toBe('strong');
    const unknown = await search('papers by Abi Jaber and Nobody Known');
    expect(unknown.meta.verdict).toBe('weak');
    expect(unknown.meta.notice).toContain('"author: Nobody Known" was ignored');
  });

  it('several at once meets all that it says "only" of', async () => {
    const { cards, meta } = await search('only q-fin.PM since 2026: portfolio optimisation');
    expect(cards.length).toBeGreaterThan(0);
    for (const card of cards) expect(yearOf(card)).toBe('2026');
    expect(meta.understood).toEqual(['published: since 2026, only', 'category: q-fin.PM, only']);
  });
});
