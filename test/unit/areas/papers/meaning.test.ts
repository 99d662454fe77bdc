import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { starterTexts } from '../../../../scripts/starter/texts.ts';
import { digestText, readStarterVectors } from '../../../../scripts/starter/vectors.ts';
import { paperSearch } from '../../../../src/areas/papers/operations.ts';
import { type Embedder, loadEmbedder } from '../../../../src/embedding/embedder.ts';
import { modelDirectory } from '../../../../src/embedding/files.ts';
import { REAL_MODELS } from '../../embedding/real-model.ts';
import { call, makeStarterShelf } from './shelf.ts';

it('has a committed vector for every text of the starter shelf, and no other', () => {
  const committed = readStarterVectors('data/starter/vectors.txt');
  const wanted = starterTexts('data').map(({ key, text }) => [key, digestText(text)]);
  const held = [...committed.entries].map(([key, entry]) => [key, entry.textDigest]);
  expect(held.sort()).toEqual(wanted.sort());
});

describe.skipIf(REAL_MODELS === undefined)('with the real model', () => {
  const { db, remove } = makeStarterShelf();
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await loadEmbedder(modelDirectory(REAL_MODELS ?? ''), { threads: 2 });
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

  it.each([
    ['can I leave the medium speed out of a fast and slow momentum mix', 'arxiv:2510.23150'],
    ['teach an agent to slice a parent order in a queue-reactive book', 'arxiv:2511.15262'],
    ['how can someone push around the odds on a betting exchange', 'arxiv:2601.20452'],
    ['retirement income pooled with strangers and a refund promise', 'arxiv:2602.16212'],
  ])('finds the paper behind "%s"', async (query, sourcePaperId) => {
    const { cards, meta } = await search(query);
    expect(cards.map((card) => card.sourcePaperId)).toContain(sourcePaperId);
    expect(meta.verdict).not.toBe('none');
    expect(meta.notice).not.toContain('Lexical search only');
  });

  it('points at the section that answers', async () => {
    const { cards, meta } = await search(
      'trend horizons: how were the weights learned, asset by asset?',
    );
    const match = meta.matches?.find((each) => each.paperCardId === cards[0]?.paperCardId);
    expect(cards[0]?.sourcePaperId).toBe('arxiv:2510.23150');
    expect(match?.sections[0]?.section_key).toBe('s02-method');
  });

  it('ranks by a score that falls, and says so', async () => {
    const { meta } = await search('market impact of large orders');
    const scores = meta.matches?.map((match) => match.score) ?? [];
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
  });

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
    expect(held.none).toBe(0);
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
