import { afterAll, expect, it } from 'vitest';
import { readQuestions } from '../../scripts/eval/questions.ts';
import { predictionMarketEventSearch } from '../../src/areas/markets/operations.ts';
import { makeStarterShelf, replyOf } from '../unit/areas/markets/shelf.ts';
import { describeWithModel } from './model.ts';

const questions = readQuestions().filter(({ set }) => set === 'starter-events: answered');

describeWithModel('with the real model', (embedder) => {
  const db = makeStarterShelf();
  afterAll(() => void db.close());
  /** Vectors by question, since the tests repeat questions. */
  const vectors = new Map<string, Float32Array>();
  const embedQuery = async (text: string) => {
    const vector = vectors.get(text) ?? (await embedder.embed([text]))[0];
    if (vector === undefined) return { unavailable: 'no vector' };
    vectors.set(text, vector);
    return { vector };
  };
  const titles = async (query: string, limit = 3) => {
    const input = { query, limit };
    const { data } = await replyOf(db, predictionMarketEventSearch, input, { embedQuery });
    return data.events.map(({ title }) => title);
  };

  it('search ranks the right event among the first three for at least seven in eight questions', async () => {
    const stored = db.prepare<[string], string>(
      'SELECT source_id FROM market_event WHERE title = ?',
    );
    let found = 0;
    for (const { query, grades } of questions) {
      const ids = (await titles(query)).map((title) => stored.pluck().get(title) ?? '');
      if (ids.some((id) => grades.has(id))) found += 1;
    }
    expect(questions.length).toBeGreaterThan(100);
    expect(found / questions.length).toBeGreaterThanOrEqual(7 / 8);
  });

  const judged = async (input: { query: string; tag?: string; limit?: number }) =>
    (await replyOf(db, predictionMarketEventSearch, input, { embedQuery })).meta.verdict;

  it('the verdict does not depend on how many events were requested', async () => {
    for (const { query } of questions.filter((_, at) => at % 4 === 0)) {
      expect(await judged({ query, limit: 1 }), query).toBe(await judged({ query, limit: 20 }));
    }
  });

  it("an event's exact title is a strong match, even if a filter leaves few other events", async () => {
    const query = 'Kraken IPO in 2025?';
    expect(await judged({ query })).toBe('strong');
    expect(await judged({ query, tag: 'exchange' })).toBe('strong');
  });

  it.each([
    'Will the ECB cut rates in March?',
    'UK recession in 2025',
    'Fed Chair Powell fired in 2026',
    'Will Google buy Bitcoin?',
  ])('the question "%s", which no event answers, has no strong match', async (query) => {
    expect(await judged({ query })).not.toBe('strong');
  });
});
