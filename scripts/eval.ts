import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import { eventIndex } from '../src/areas/markets/tables.ts';
import { sourceIdOf } from '../src/areas/papers/ids.ts';
import { paperIndex } from '../src/areas/papers/tables.ts';
import { readConfig } from '../src/config.ts';
import { type Embedder, loadEmbedder } from '../src/embedding/embedder.ts';
import { findModel } from '../src/embedding/files.ts';
import { openForReading } from '../src/store/open.ts';
import { type Hit, searchHybrid } from '../src/store/search.ts';
import { judgeMatch, VERDICT } from '../src/store/verdict.ts';
import { compileStarter } from './starter/compile.ts';

/**
 * `npm run eval`: search quality on the starter shelf. Words and vectors alone are the baselines of
 * their fusion; the verdict is judged on questions that the shelf can and cannot answer.
 */
type Mode = 'words' | 'vectors' | 'fused';

/** A question with the ids of the cards that answer it; none for an off-topic one. */
interface Judged {
  query: string;
  answers: number[];
}

const MODES: readonly Mode[] = ['words', 'vectors', 'fused'];
const DEPTH = 10;

async function main(): Promise<void> {
  const directory = await findModel(readConfig(process.env));
  if (directory === null) {
    throw new Error('the model is not here: run `npm start -- model`, or set QUANTSHELF_MODEL_DIR');
  }
  const embedder = await loadEmbedder(directory, { threads: 2 });
  const scratch = mkdtempSync(join(tmpdir(), 'quantshelf-eval-'));
  compileStarter('data', join(scratch, 'starter.sqlite'));
  const db = openForReading(join(scratch, 'starter.sqlite'));
  const offTopic = readJson('off-topic.json', z.array(z.string()));
  const none = offTopic.map((query) => ({ query, answers: [] }));
  for (const [name, index, judged] of [
    ['papers', paperIndex, paperQuestions(db)],
    ['events', eventIndex, eventQuestions()],
  ] as const) {
    const vectors = await embedAll(embedder, [...judged, ...none]);
    const search = (question: Judged, mode: Mode): Hit[] =>
      searchHybrid(db, index, {
        text: mode === 'vectors' ? '' : question.query,
        vector: mode === 'words' ? null : (vectors.get(question.query) ?? null),
        limit: DEPTH,
      });
    print(rankingTable(name, judged, search));
    print(verdictTable(name, judged, none, search));
  }
  print([`thresholds ${JSON.stringify(VERDICT)}`]);
  await embedder.close();
  db.close();
  rmSync(scratch, { recursive: true });
}

function rankingTable(
  name: string,
  judged: readonly Judged[],
  search: (question: Judged, mode: Mode) => Hit[],
): string[] {
  const rows = MODES.map((mode) => {
    const ranks = judged.map((question) => {
      const hits = search(question, mode);
      return hits.findIndex((hit) => question.answers.includes(hit.id)) + 1;
    });
    const within = (depth: number) => ranks.filter((rank) => rank > 0 && rank <= depth).length;
    const mrr = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length;
    return row(mode, [
      `${within(1)}/${ranks.length}`,
      `${within(3)}/${ranks.length}`,
      mrr.toFixed(3),
    ]);
  });
  return [row(name, ['first', 'in 3', `MRR@${DEPTH}`]), ...rows];
}

function verdictTable(
  name: string,
  judged: readonly Judged[],
  offTopic: readonly Judged[],
  search: (question: Judged, mode: Mode) => Hit[],
): string[] {
  const rows = (['fused', 'words'] as const).flatMap((mode) =>
    [['answerable', judged] as const, ['off-topic', offTopic] as const].map(([kind, questions]) => {
      const verdicts = questions.map((q) => judgeMatch(search(q, mode), mode === 'fused'));
      const counts = ['strong', 'weak', 'none'].map(
        (verdict) => `${verdicts.filter((each) => each === verdict).length}`,
      );
      return row(`${kind}, ${mode}`, counts);
    }),
  );
  return [row(`verdict on ${name}`, ['strong', 'weak', 'none']), ...rows];
}

function row(head: string, cells: readonly string[]): string {
  return head.padEnd(22) + cells.map((cell) => cell.padStart(8)).join('');
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

async function embedAll(
  embedder: Embedder,
  questions: readonly Judged[],
): Promise<Map<string, Float32Array>> {
  const vectors = await embedder.embed(questions.map(({ query }) => query));
  return new Map(
    questions.flatMap(({ query }, index) => {
      const vector = vectors[index];
      return vector === undefined ? [] : [[query, vector] as const];
    }),
  );
}

function paperQuestions(db: Database): Judged[] {
  const idOf = db.prepare<[string], number>('SELECT id FROM paper WHERE source_id = ?').pluck();
  const schema = z.array(z.strictObject({ query: z.string(), paper: z.string() }));
  return readJson('starter-papers.json', schema).map(({ query, paper }) => {
    const id = idOf.get(sourceIdOf(paper));
    return { query, answers: id === undefined ? [] : [id] };
  });
}

function eventQuestions(): Judged[] {
  const one = z.strictObject({ query: z.string(), event: z.string() });
  const several = z.strictObject({ query: z.string(), events: z.array(z.string()) });
  return readJson('starter-events.json', z.array(z.union([one, several]))).map((question) => {
    const ids = 'event' in question ? [question.event] : question.events;
    return { query: question.query, answers: ids.map(Number) };
  });
}

function readJson<T>(name: string, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(readFileSync(join('data', 'eval', name), 'utf8')));
}

await main();
