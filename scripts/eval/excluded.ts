import * as z from 'zod';
import { sourceIdOf } from '../../src/areas/papers/cards/ids.ts';
import { findPapers } from '../../src/areas/papers/query/find.ts';
import { type Collection, type Judged, readEval, withGrades } from './collections.ts';
import type { CachedEmbedder } from './embed-cache.ts';
import { type Grades, mean, measure } from './measures.ts';
import { contextOf, row } from './report.ts';

/** Questions that name what the user does not want, where papers of both sorts are held. */

const CUT = 10;
const FIRST = 5;

const FILES = ['qfin-papers-constrained.json', 'qfin-papers-constrained-train.json'];
/**
 * `subject` is the question without the words that exclude; `unwanted` are papers they exclude, none
 * where such words exclude nothing: "no-arbitrage".
 */
const constrainedFile = z.array(
  z.strictObject({
    query: z.string(),
    subject: z.string(),
    half: z.enum(['train', 'test']),
    relevant: z.record(z.string(), z.number()),
    unwanted: z.array(z.string()),
  }),
);

interface Constrained {
  query: string;
  subject: string;
  grades: Grades;
  unwanted: ReadonlySet<number>;
}

/** How much naming the unwanted changes, beside the same questions without it; empty for no questions. */
export async function excludedTable(
  collection: Collection,
  half: Judged['half'],
  embedder: CachedEmbedder,
): Promise<string[]> {
  const all = readConstrained(collection, half);
  if (all.length === 0) return [];
  const questions = all.filter(({ unwanted }) => unwanted.size > 0);
  const others = all.filter(({ unwanted }) => unwanted.size === 0);
  return [
    row(`unwanted, ${collection.name}, ${half}`, [
      'nDCG@10',
      'first is wanted',
      `best in the first ${FIRST}`,
      `unwanted in ${FIRST}`,
    ]),
    await measureAs('query', 'with the exclusion', collection, questions, embedder),
    await measureAs('subject', 'the subject only', collection, questions, embedder),
    ...(others.length === 0
      ? []
      : [await measureAs('query', 'nothing is excluded', collection, others, embedder)]),
  ];
}

function readConstrained({ db }: Collection, half: Judged['half']): Constrained[] {
  const idOf = db.prepare<[string], number>('SELECT id FROM paper WHERE source_id = ?').pluck();
  const cardOf = (key: string) => idOf.get(sourceIdOf(key));
  return FILES.flatMap((file) => readEval(file, constrainedFile))
    .filter((one) => one.half === half)
    .map((one) => ({
      query: one.query,
      subject: one.subject,
      grades: withGrades(one, cardOf).grades,
      unwanted: new Set(one.unwanted.flatMap((key) => cardOf(key) ?? [])),
    }));
}

async function measureAs(
  wording: 'query' | 'subject',
  name: string,
  collection: Collection,
  questions: readonly Constrained[],
  embedder: CachedEmbedder,
): Promise<string> {
  const context = contextOf(collection, embedder);
  const measured: number[][] = [];
  for (const { [wording]: text, grades, unwanted } of questions) {
    const { papers } = await findPapers(context, text, CUT);
    const ids = papers.map(({ paper }) => paper.id);
    const top = ids.slice(0, FIRST);
    const best = Math.max(...grades.values());
    measured.push([
      measure(ids, grades).ndcg,
      Number(ids.slice(0, 1).some((id) => grades.has(id))),
      Number(top.some((id) => grades.get(id) === best)),
      top.filter((id) => unwanted.has(id)).length,
    ]);
  }
  const cells = [0, 1, 2, 3].map((column) =>
    mean(measured.map((values) => values[column] ?? 0)).toFixed(3),
  );
  return row(`  ${name} (${questions.length})`, cells);
}
