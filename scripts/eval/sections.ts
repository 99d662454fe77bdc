import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { sectionText } from '../../src/areas/papers/digest/texts.ts';
import { readHtml } from '../../src/areas/papers/full-text/html/html.ts';
import { passagesOf } from '../../src/areas/papers/full-text/passages.ts';
import { type SectionText, sectionScorer } from '../../src/areas/papers/query/section-score.ts';
import { cosineOf } from '../../src/store/search/vectors/float32.ts';
import { halfOf, type Judged, readEval } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';
import { row } from './report.ts';

/** Whether the section that answers a question about a recorded paper comes first. */

const FOLDER = 'data/papers/html';
const questionFile = z.array(
  z.strictObject({
    page: z.string(),
    title: z.string(),
    questions: z.array(z.strictObject({ section: z.string(), query: z.string() })),
  }),
);
/** What is not embedded. */
const WITHOUT: ReadonlySet<string> = new Set(['references', 'note']);

/** The sections of a paper with the cosines of a question and their passages. */
interface SectionCase {
  half: Judged['half'];
  query: string;
  answer: string;
  sections: (SectionText & { key: string })[];
}

/** All questions with the sections of their papers; empty without the recorded pages. */
async function readSectionCases(shared: string, embedder: CachedEmbedder): Promise<SectionCase[]> {
  const cases: SectionCase[] = [];
  for (const { page, title, questions } of readEval('sections.json', questionFile)) {
    const path = join(shared, FOLDER, page);
    if (!existsSync(path)) return [];
    const bytes = readFileSync(path);
    const read = readHtml((page.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
    if (!read.ok) throw new Error(`${page} is no paper`);
    const sections = read.sections.filter(({ type }) => !WITHOUT.has(type));
    const vectors = new Map<string, Float32Array[]>();
    for (const section of sections) {
      const texts = passagesOf(section).map((part) => sectionText(title, part.title, part.content));
      vectors.set(section.key, await embedder.embed(texts));
    }
    for (const { query, section } of questions) {
      const [vector = new Float32Array()] = await embedder.embed([query]);
      cases.push({
        half: halfOf(cases.length),
        query,
        answer: section,
        sections: sections.map(({ key, type, content }) => ({
          key,
          type,
          content,
          cosines: (vectors.get(key) ?? []).map((passage) => cosineOf(passage, vector)),
        })),
      });
    }
  }
  return cases;
}

/** How often the right section of a recorded paper comes first, and among the first two. */
export async function sectionsTable(
  shared: string,
  half: Judged['half'],
  embedder: CachedEmbedder,
): Promise<string[]> {
  const cases = (await readSectionCases(shared, embedder)).filter((one) => one.half === half);
  const places = cases.map(({ query, answer, sections }) => {
    const scores = sectionScorer(query)(sections);
    return sections
      .map(({ key }, at) => ({ key, score: scores[at] ?? 0 }))
      .sort((a, b) => b.score - a.score)
      .findIndex(({ key }) => key === answer);
  });
  const within = (count: number) => places.filter((place) => place < count).length;
  return [
    row(`sections of 11 recorded papers, ${half}`, ['first', 'among the first 2']),
    row(`questions (${cases.length})`, [String(within(1)), String(within(2))]),
  ];
}
