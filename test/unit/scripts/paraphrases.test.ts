import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { isStopWord, plainStems } from '../../../src/store/search/lexical/tokenise.ts';
import { describeShared } from '../../shared.ts';

/** Words of a title that say nothing about its subject, beside the stop words of search. */
const PLAIN = new Set(
  plainStems(
    'against among beyond its new on one onto or toward towards two via versus vs without',
  ),
);

const readJudged = (name: string): unknown =>
  JSON.parse(readFileSync(`data/eval/${name}.json`, 'utf8'));

const paraphrases = z
  .array(z.strictObject({ paper: z.string(), query: z.string() }))
  .parse(readJudged('qfin-papers-long'));
const known = z
  .array(z.object({ paper: z.string(), kind: z.string(), query: z.string() }))
  .parse(readJudged('qfin-papers-known'));
const constrainedFile = z.array(
  z.object({
    query: z.string(),
    subject: z.string(),
    relevant: z.record(z.string(), z.number()),
    unwanted: z.array(z.string()),
  }),
);
const constrained = constrainedFile.parse(readJudged('qfin-papers-constrained'));
const train = constrainedFile.parse(readJudged('qfin-papers-constrained-train'));
/** The others exclude nothing. */
const excluding = [...constrained, ...train.filter(({ unwanted }) => unwanted.length > 0)];

function contentStems(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && !isStopWord(word));
  return words.flatMap(plainStems).filter((stem) => !PLAIN.has(stem) && stem.length > 1);
}

const PAPERS = 'data/papers/qfin-2025-2026-2000.json';

/** Titles of the recorded papers, by id without version. */
function readTitles(path: string): Map<string, string> {
  const papers = z
    .array(z.object({ arxiv_id: z.string(), title: z.string() }))
    .parse(JSON.parse(readFileSync(path, 'utf8')));
  return new Map(papers.map(({ arxiv_id, title }) => [arxiv_id.replace(/v\d+$/, ''), title]));
}

describeShared('the paraphrases', PAPERS, (path) => {
  const titles = readTitles(path);

  it('describe papers that are recorded, each once', () => {
    expect(paraphrases.filter(({ paper }) => !titles.has(paper))).toEqual([]);
    expect(new Set(paraphrases.map(({ paper }) => paper)).size).toBe(paraphrases.length);
  });

  it('share no word with the title of their paper', () => {
    const all = [...paraphrases, ...known.filter(({ kind }) => kind === 'paraphrase')];
    const shared = all.flatMap(({ paper, query }) => {
      const title = new Set(contentStems(titles.get(paper) ?? ''));
      const words = contentStems(query).filter((stem) => title.has(stem));
      return words.length > 0 ? [`${paper}: ${words.join(' ')}`] : [];
    });
    expect(shared).toEqual([]);
  });

  it('are apart from the known items, each of another paper', () => {
    const elsewhere = ['qfin-papers-long', 'near-miss-specifics', 'qfin-papers-short']
      .map((name) => JSON.stringify(readJudged(name)))
      .join();
    expect(known.filter(({ paper }) => elsewhere.includes(`"${paper}"`))).toEqual([]);
    expect(known.filter(({ paper }) => !titles.has(paper))).toEqual([]);
    expect(new Set(known.map(({ paper }) => paper)).size).toBe(known.length);
  });
});

describeShared('the questions with an exclusion', PAPERS, (path) => {
  const titles = readTitles(path);

  it('have wanted and unwanted papers that are recorded, none of them both', () => {
    expect(constrained.filter(({ unwanted }) => unwanted.length === 0)).toEqual([]);
    for (const { query, relevant, unwanted } of [...constrained, ...train]) {
      const wanted = Object.keys(relevant);
      expect(Object.values(relevant), query).toContain(2);
      expect(
        [...wanted, ...unwanted].filter((id) => !titles.has(id)),
        query,
      ).toEqual([]);
      expect(new Set([...wanted, ...unwanted]).size, query).toBe(wanted.length + unwanted.length);
    }
  });

  it('say more than their subject', () => {
    const same = excluding.filter(({ query, subject }) => query.length <= subject.length);
    expect(same).toEqual([]);
  });
});
