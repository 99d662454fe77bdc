import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { sourceIdOf } from '../src/areas/papers/ids.ts';
import { paperIndex } from '../src/areas/papers/tables.ts';
import { readConfig } from '../src/config.ts';
import { loadEmbedder } from '../src/embedding/embedder.ts';
import { findModel } from '../src/embedding/files.ts';
import { openForReading } from '../src/store/open.ts';
import { type Hit, searchHybrid } from '../src/store/search.ts';
import { judgeMatch, VERDICT } from '../src/store/verdict.ts';
import { compileStarter } from './starter/compile.ts';

/**
 * `npm run eval`: search quality on the starter shelf, words and vectors alone as the baselines of
 * their fusion, and the verdict on questions that the shelf can and cannot answer.
 */
type Mode = 'words' | 'vectors' | 'fused';
interface Question {
  text: string;
  vector: Float32Array;
}

const judged = z.array(z.strictObject({ query: z.string(), paper: z.string() }));

const directory = await findModel(readConfig(process.env));
if (directory === null) {
  throw new Error('the model is not here: run `npm start -- model`, or set QUANTSHELF_MODEL_DIR');
}
const embedder = await loadEmbedder(directory, { threads: 2 });
const scratch = mkdtempSync(join(tmpdir(), 'quantshelf-eval-'));
compileStarter('data', join(scratch, 'starter.sqlite'));
const db = openForReading(join(scratch, 'starter.sqlite'));
const sourceId = db.prepare<[number], string>('SELECT source_id FROM paper WHERE id = ?').pluck();

async function ask(texts: readonly string[]): Promise<Question[]> {
  const vectors = await embedder.embed(texts);
  return texts.flatMap((text, index) => {
    const vector = vectors[index];
    return vector === undefined ? [] : [{ text, vector }];
  });
}

function search(question: Question, mode: Mode): Hit[] {
  return searchHybrid(db, paperIndex, {
    text: mode === 'vectors' ? '' : question.text,
    vector: mode === 'words' ? null : question.vector,
    limit: 10,
  });
}

const papers = judged.parse(JSON.parse(readFileSync('data/eval/starter-papers.json', 'utf8')));
const offTopic = z
  .array(z.string())
  .parse(JSON.parse(readFileSync('data/eval/off-topic.json', 'utf8')));
const onQuestions = await ask(papers.map(({ query }) => query));
const offQuestions = await ask(offTopic);

const lines = ['starter papers        first  in 3  MRR@10'];
for (const mode of ['words', 'vectors', 'fused'] as const) {
  const ranks = onQuestions.map((question, index) => {
    const wanted = sourceIdOf(papers[index]?.paper ?? '');
    return search(question, mode).findIndex((hit) => sourceId.get(hit.id) === wanted) + 1;
  });
  const share = (depth: number) => ranks.filter((rank) => rank > 0 && rank <= depth).length;
  const mrr = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length;
  lines.push(
    `${mode.padEnd(20)}${String(share(1)).padStart(4)}/${ranks.length}${String(share(3)).padStart(4)}/${ranks.length}${mrr.toFixed(3).padStart(7)}`,
  );
}
lines.push('', 'verdict               strong   weak   none');
for (const [name, questions] of [
  ['answerable', onQuestions],
  ['off-topic', offQuestions],
] as const) {
  for (const mode of ['fused', 'words'] as const) {
    const verdicts = questions.map((question) =>
      judgeMatch(search(question, mode), mode === 'fused'),
    );
    const count = (verdict: string) => verdicts.filter((each) => each === verdict).length;
    const cells = ['strong', 'weak', 'none'].map((verdict) => String(count(verdict)).padStart(6));
    lines.push(`${`${name}, ${mode}`.padEnd(21)}${cells.join(' ')}`);
  }
}
lines.push('', `thresholds: ${JSON.stringify(VERDICT)}`);
process.stdout.write(`${lines.join('\n')}\n`);
await embedder.close();
db.close();
rmSync(scratch, { recursive: true });
