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
    expect(meta.notice).toContain('No paper on this shelf fits "author: Nobody Known"');
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

  it('a time or category of which there is nothing leaves none out', async () => {
    const { cards, meta } = await search('portfolio optimisation, only papers before 1999');
    expect(cards.length).toBe(10);
    expect(meta.notice).toContain('"published: before 1999"');
    const { meta: other } = await search('only q-fin.ZZ: portfolio optimisation');
    expect(other.notice).toContain('"category: q-fin.ZZ"');
  });

  it('several at once meets all that it says "only" of', async () => {
    const { cards, meta } = await search('only q-fin.PM since 2026: portfolio optimisation');
    expect(cards.length).toBeGreaterThan(0);
    for (const card of cards) expect(yearOf(card)).toBe('2026');
    expect(meta.understood).toEqual(['published: since 2026, only', 'category: q-fin.PM, only']);
  });
});
