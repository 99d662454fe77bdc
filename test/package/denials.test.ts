import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestPending } from '../../src/areas/papers/vector-queue.ts';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { readRecordedPapers, type StandInPaper } from '../stand-ins/arxiv-papers.ts';
import { syncPapers } from '../stand-ins/synced-papers.ts';
import { makeEmptyShelf, searchCards } from '../unit/areas/papers/shelf.ts';
import { loadRealModel, REAL_MODELS } from '../unit/embedding/real-model.ts';

const SUBJECTS = {
  'limit order book': /limit order book/i,
  hedging: /\bhedg/i,
  options: /\boption/i,
  'order flow': /order flow/i,
  LLM: /\bLLM|large language model/i,
  DeFi: /\bDeFi\b|decentrali[sz]ed finance/i,
  ESG: /\bESG\b/,
  volatility: /volatilit/i,
};
const AUTHORS = /^(?:Rachev|Gonchar|Bouchaud|Lillo|Lopez|D'Amario)$/;
/** It samples proteins, too, and is far from an answer. */
const STRAY = /^Stochastic Attention via Langevin Dynamics/;
/** Papers of each subject; to embed them takes most of the time. */
const MOST = 24;

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
  const stray = papers.filter(({ title }) => STRAY.test(title));
  return [...new Set([...about, ...named, ...stray])];
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
    }, 600_000);
    afterAll(async () => {
      await embedder.close();
      remove();
    });

    const search = (query: string, topK?: number) =>
      searchCards(db, { query, topK }, async (text) => {
        const [vector] = await embedder.embed([text]);
        return vector === undefined ? { unavailable: 'no vector' } : { vector };
      });

    it.each(Object.entries(SUBJECTS))(
      'does not deny a subject of many papers, and counts them: %s',
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
      ['N. S. Gonchar', 'N. S. Gonchar', 'prefers author: N. S. Gonchar'],
      ['Rachev', 'Rachev', 'prefers author: Rachev'],
      ["D'Amario", "D'Amario", "prefers author: D'Amario"],
      ['Lopez', 'Lopez', 'prefers author: Lopez'],
      ['He', ' He', 'prefers author: He'],
    ])('finds the papers of an author alone: %s', async (query, name, understood) => {
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

    it('does not exclude the words after the model that a question excludes', async () => {
      const { meta } = await search('volatility models except GARCH that fit intraday data');
      expect(meta.understood ?? []).toEqual([]);
    });

    it('gives no strong verdict to a question from another field', async () => {
      const query = 'protein folding prediction from amino acid sequences with deep nets';
      const { cards, meta } = await search(query);
      expect(STRAY.test(cards[0]?.title ?? '')).toBe(true);
      expect(meta.verdict).not.toBe('strong');
    });

    it('gives a question the same verdict with and without its polite frame', async () => {
      const query = 'futures of Arctic sea ice in climate model ensembles';
      const framed = `Good morning! I would be most grateful for help with this: ${query}. Thank you!`;
      expect((await search(framed)).meta.verdict).not.toBe('strong');
    });
  },
);
