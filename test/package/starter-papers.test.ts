import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { paperSearch } from '../../src/areas/papers/operations.ts';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { call, makeStarterShelf } from '../unit/areas/papers/shelf.ts';
import { loadRealModel, REAL_MODELS } from '../unit/embedding/real-model.ts';

/* How well the shelf that is shipped answers judged questions, some hundreds of them. */

describe.skipIf(REAL_MODELS === undefined)('judged questions to the starter papers', () => {
  const { db, remove } = makeStarterShelf();
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await loadRealModel(2);
  });
  afterAll(async () => {
    await embedder.close();
    remove();
  });

  const embedQuery = async (text: string) => {
    const [vector] = await embedder.embed([text]);
    return vector === undefined ? { unavailable: 'no vector' } : { vector };
  };
  const search = async (query: string) => {
    const outcome = await call(db, paperSearch, { query, topK: 3 }, embedQuery);
    if (!outcome.ok) throw new Error(outcome.envelope.error.message);
    return { cards: paperSearch.output.parse(outcome.envelope.data), meta: outcome.envelope.meta };
  };

  const read = (file: string) => JSON.parse(readFileSync(`data/eval/${file}`, 'utf8'));
  const judgeAll = async (questions: readonly string[]) => {
    const verdicts: unknown[] = [];
    for (const question of questions) verdicts.push((await search(question)).meta.verdict);
    const shareOf = (verdict: string) =>
      verdicts.filter((each) => each === verdict).length / verdicts.length;
    return { strong: shareOf('strong'), none: shareOf('none') };
  };
  const texts = z.array(z.string());

  it.each([
    ['other subjects', 'off-topic.json', 0.6],
    ['words of finance in another sense', 'off-topic-2.json', 0.5],
    ['the methods of the field in another', 'off-topic-3.json', 0.1],
    ['words that ask nothing', 'vague.json', 0.1],
  ])('never calls a match on %s strong', async (_, file, least) => {
    const { strong, none } = await judgeAll(texts.parse(read(file)));
    expect(strong).toBe(0);
    expect(none).toBeGreaterThan(least);
  });

  it('tells short questions that the shelf answers from those that it does not', async () => {
    const questions = z
      .array(z.object({ query: z.string(), relevant: z.record(z.string(), z.number()) }))
      .parse(read('starter-papers-short.json'));
    const of = (isHeld: boolean) =>
      questions
        .filter(({ relevant }) => Object.keys(relevant).length > 0 === isHeld)
        .map(({ query }) => query);
    expect((await judgeAll(of(false))).strong).toBeLessThan(0.05);
    const held = await judgeAll(of(true));
    expect(held.strong).toBeGreaterThan(0.45);
    expect(held.none).toBeLessThan(0.02);
  });

  it("answers questions in the users' words: nine of ten times the paper is among the first three", async () => {
    const questions = z
      .array(z.object({ query: z.string(), paper: z.string() }))
      .parse(JSON.parse(readFileSync('data/eval/starter-papers.json', 'utf8')));
    let found = 0;
    const verdicts: unknown[] = [];
    for (const { query, paper } of questions) {
      const { cards, meta } = await search(query);
      if (cards.some((card) => card.sourcePaperId === `arxiv:${paper}`)) found += 1;
      verdicts.push(meta.verdict);
    }
    expect(found / questions.length).toBeGreaterThanOrEqual(0.9);
    const missed = verdicts.filter((verdict) => verdict === 'none').length;
    expect(missed / verdicts.length).toBeLessThan(0.05);
  });
});
