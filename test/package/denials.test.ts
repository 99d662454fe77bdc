import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestPending } from '../../src/areas/papers/vector-queue.ts';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { readRecordedPapers, type StandInPaper } from '../stand-ins/arxiv-papers.ts';
import { syncPapers } from '../stand-ins/synced-papers.ts';
import { makeEmptyShelf, searchCards } from '../unit/areas/papers/shelf.ts';
import { loadRealModel, REAL_MODELS } from '../unit/embedding/real-model.ts';

const SUBJECTS = {
  'limit order book': /limit order book/i,
  LLM: /\bLLM|large language model/i,
  DeFi: /\bDeFi\b|decentrali[sz]ed finance/i,
  ESG: /\bESG\b/,
  volatility: /volatilit/i,
};
const AUTHORS = /^(?:Rachev|D'Amario)$/;
/** Papers per subject; embedding them takes most of the time. */
const MOST = 12;

function chosen(): StandInPaper[] {
  const papers = readRecordedPapers();
  const named = papers.filter(({ authors }) =>
    authors.some(
      ({ keyname, forenames }) => AUTHORS.test(keyname) || `${forenames} ${keyname}` === 'Yifan He',
    ),
  );
  const about = Object.values(SUBJECTS).flatMap((subject) =>
    papers.filter(({ title, abstract }) => subject.test(`${title} ${abstract}`)).slice(0, MOST),
  );
  return [...new Set([...about, ...named])];
}

const records = chosen();

describe.skipIf(records.length === 0 || REAL_MODELS === undefined)(
  'a shelf of recorded papers, synced and embedded',
  () => {
    const { db, remove } = makeEmptyShelf();
    let embedder: Embedder;
    beforeAll(async () => {
      embedder = await loadRealModel(2);
      await syncPapers(db, records, { now: () => new Date('2026-11-21T12:00:00Z') });
      const { signal } = new AbortController();
      await digestPending(db, (texts) => embedder.embed(texts), { signal });
    });
    afterAll(async () => {
      await embedder.close();
      remove();
    });

    const search = (query: string) =>
      searchCards(db, { query }, async (text) => {
        const [vector] = await embedder.embed([text]);
        return vector === undefined ? { unavailable: 'no vector' } : { vector };
      });

    it.each(Object.entries(SUBJECTS))(
      'finds a well-covered subject and counts its papers: %s',
      async (query, subject) => {
        const { cards, meta } = await search(query);
        expect(meta.verdict).not.toBe('none');
        expect(cards).toHaveLength(5);
        expect(cards.every(({ abstract }) => abstract.length > 100)).toBe(true);
        expect(subject.test(`${cards[0]?.title} ${cards[0]?.abstract}`)).toBe(true);
        expect(meta.holding).toBeGreaterThanOrEqual(10);
      },
    );

    it('counts matches within the fields, and reports the count for a broad subject', async () => {
      const { meta } = await search('volatility since:2026-05');
      const all = await search('volatility');
      expect(meta.verdict).not.toBe('none');
      expect(meta.holding).toBeGreaterThan(0);
      expect(meta.holding).toBeLessThan(all.meta.holding ?? 0);
      expect(all.meta.notice).toContain(`${all.meta.holding} papers hold all terms`);
    });

    it.each([
      ['papers by Yifan He', 'Yifan He', 'prefers author: Yifan He'],
      ["D'Amario", "D'Amario", "prefers author: D'Amario"],
      ['He', ' He', 'prefers author: He'],
    ])("finds papers by an author's name alone: %s", async (query, name, understood) => {
      const { cards, meta } = await search(query);
      expect(meta.verdict).toBe('strong');
      expect(cards.length).toBeGreaterThan(0);
      expect(cards.every(({ authors }) => authors.join().includes(name))).toBe(true);
      expect(meta.understood).toEqual([understood, 'newest first']);
    });

    it('reads two authors after one field as both', async () => {
      const { cards, meta } = await search('author:rachev,lindquist');
      expect(meta.understood).toEqual(['author:rachev', 'author:lindquist', 'newest first']);
      expect(cards.length).toBeGreaterThan(0);
      for (const { authors } of cards) {
        expect(authors.join()).toMatch(/Rachev.*Lindquist|Lindquist.*Rachev/);
      }
    });
  },
);
