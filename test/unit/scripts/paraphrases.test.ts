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

const paraphrases = z
  .array(z.strictObject({ paper: z.string(), query: z.string() }))
  .parse(JSON.parse(readFileSync('data/eval/qfin-papers-long.json', 'utf8')));

function contentStems(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && !isStopWord(word));
  return words.flatMap(plainStems).filter((stem) => !PLAIN.has(stem) && stem.length > 1);
}

describeShared('the paraphrases', 'data/papers/qfin-2025-2026-2000.json', (path) => {
  const papers = z
    .array(z.object({ arxiv_id: z.string(), title: z.string() }))
    .parse(JSON.parse(readFileSync(path, 'utf8')));
  const titles = new Map(
    papers.map(({ arxiv_id, title }) => [arxiv_id.replace(/v\d+$/, ''), title]),
  );

  it('describe papers that are recorded, each once', () => {
    expect(paraphrases.filter(({ paper }) => !titles.has(paper))).toEqual([]);
    expect(new Set(paraphrases.map(({ paper }) => paper)).size).toBe(paraphrases.length);
  });

  it('share no word with the title of their paper', () => {
    const shared = paraphrases.flatMap(({ paper, query }) => {
      const title = new Set(contentStems(titles.get(paper) ?? ''));
      const words = contentStems(query).filter((stem) => title.has(stem));
      return words.length > 0 ? [`${paper}: ${words.join(' ')}`] : [];
    });
    expect(shared).toEqual([]);
  });
});
