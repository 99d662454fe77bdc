import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRecordedPapers } from '../../scripts/eval/recorded-papers.ts';
import { digestPending } from '../../src/areas/papers/vector-queue.ts';
import { syncPapers } from '../stand-ins/synced-papers.ts';
import { makeEmptyShelf, searchByModel } from '../unit/areas/papers/shelf.ts';
import { describeWithModel } from './model.ts';

const SUBJECTS = {
  'limit order book': /limit order book/i,
  LLM: /\bLLM|large language model/i,
  DeFi: /\bDeFi\b|decentrali[sz]ed finance/i,
  ESG: /\bESG\b/,
  volatility: /volatilit/i,
};
/** Papers per subject; embedding them takes most of the time. */
const MOST = 12;

const papers = readRecordedPapers();
const about = Object.values(SUBJECTS).flatMap((subject) =>
  papers.filter((each) => subject.test(`${each.title} ${each.abstract}`)).slice(0, MOST),
);

describe.skipIf(about.length === 0)('with recorded papers', () => {
  describeWithModel('a synced and embedded shelf', (embedder) => {
    const db = makeEmptyShelf(afterAll);
    beforeAll(async () => {
      await syncPapers(db, [...new Set(about)], { now: () => new Date('2026-11-21T12:00:00Z') });
      const { signal } = new AbortController();
      await digestPending(db, (texts) => embedder.embed(texts), { signal });
    });

    it.each(Object.entries(SUBJECTS))(
      'returns three papers for "%s", the first of them on that subject, and reports at least ten in all',
      async (query, subject) => {
        const { cards, meta } = await searchByModel(db, embedder, query);
        expect(meta.verdict).not.toBe('none');
        expect(cards).toHaveLength(3);
        expect(cards.every(({ abstract }) => abstract.length > 100)).toBe(true);
        expect(subject.test(`${cards[0]?.title} ${cards[0]?.abstract}`)).toBe(true);
        expect(meta.holding).toBeGreaterThanOrEqual(10);
      },
    );
  });
});
