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
/** Papers per subject; embedding them takes most of the time. */
const MOST = 12;

function chosen(): StandInPaper[] {
  const papers = readRecordedPapers();
  const about = Object.values(SUBJECTS).flatMap((subject) =>
    papers.filter(({ title, abstract }) => subject.test(`${title} ${abstract}`)).slice(0, MOST),
  );
  return [...new Set(about)];
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
  },
);
