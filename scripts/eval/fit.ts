import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventIndex } from '../../src/areas/markets/tables.ts';
import { sourceIdOf } from '../../src/areas/papers/arxiv/ids.ts';
import { paperIndex } from '../../src/areas/papers/tables.ts';
import { loadEmbedder } from '../../src/embedding/embedder.ts';
import { removeFromIndex, type SearchProfile } from '../../src/search/profile.ts';
import { type SearchContext, search } from '../../src/search/search.ts';
import { type Evidence, probabilityOf } from '../../src/search/verdict.ts';
import { Database, loadVectorExtension } from '../../src/store/sqlite.ts';
import { findModelIn, givenModels } from '../model.ts';
import type { Mode } from './ask.ts';
import { type QuestionSet, readQuestions } from './questions.ts';
import { openShelf, type Shelves } from './shelves.ts';

const FITTED = 'data/fitted.json';
const ASKED_AT = new Date('2026-11-23T12:00:00Z');
const OTHER = 'papers: another field';
/** What each model sees, at most three inputs. */
const INPUTS = {
  papers: {
    hybrid: ['lead', 'specificity', 'coverage'],
    lexical: ['lead', 'specificity', 'coverage'],
  },
  events: { hybrid: ['lead', 'specificity', 'title'], lexical: ['lead', 'specificity', 'title'] },
  related: {
    hybrid: ['lead', 'cosine', 'specificity'],
    lexical: ['score', 'specificity', 'coverage'],
  },
} as const satisfies Record<string, Record<Mode, readonly (keyof Evidence)[]>>;
/** Of answers called `strong`, asked with and without them in equal number, and of near misses. */
const STRONG = { right: 0.9, nearMisses: 0.08 };
/** Damps the slopes of a fit. */
const DAMPING: number = 1e-4;
/** Share of the answered questions that may be called `none`. */
const NONE = 0.01;

interface Example {
  area: 'papers' | 'events';
  mode: Mode;
  kind: 'answered' | 'withdrawn' | 'near miss' | 'another field';
  evidence: Evidence;
  /** Each set counts as much as any other. */
  share: number;
}

/** Fits the verdict on the train halves and writes it into data/fitted.json. */
export async function fitVerdict(shelves: Shelves): Promise<string[]> {
  const examples = await collect(shelves);
  const file = JSON.parse(readFileSync(FITTED, 'utf8'));
  const lines: string[] = [];
  for (const area of ['papers', 'events'] as const) {
    for (const mode of ['hybrid', 'lexical'] as const) {
      const own = examples.filter((one) => one.area === area && one.mode === mode);
      // A mismatch has decided before.
      const judged = own.filter(({ evidence }) => evidence.mismatches === 0);
      const right = judged.filter(({ kind }) => kind === 'answered');
      const wrong = judged.filter(({ kind }) => kind === 'withdrawn' || kind === 'near miss');
      const others = own.filter(({ kind }) => kind === 'another field');
      const field = own.filter(({ kind }) => kind !== 'another field');
      const answered = fitLogistic(INPUTS[area][mode], right, wrong);
      const related = fitLogistic(INPUTS.related[mode], field, others);
      const reach = (some: readonly Example[], model: typeof answered, least: number) =>
        some.filter(({ evidence }) => probabilityOf(evidence, model) >= least).length;
      const shareOf = (kind: Example['kind'], least: number) =>
        reach(
          judged.filter((one) => one.kind === kind),
          answered,
          least,
        ) / Math.max(1, own.filter((one) => one.kind === kind).length);
      const least = steps().find((one) => {
        const [yes, no] = [shareOf('answered', one), shareOf('withdrawn', one)];
        return yes / (yes + no) >= STRONG.right && shareOf('near miss', one) <= STRONG.nearMisses;
      });
      const held = own.filter(({ kind }) => kind === 'answered');
      const most = steps().findLast((one) => reach(held, related, one) >= (1 - NONE) * held.length);
      const verdict = {
        related: { ...related, least: most ?? 0.25 },
        answered: { ...answered, least: least ?? 0.9 },
      };
      file[area][mode].verdict = verdict;
      const none = 1 - reach(others, related, verdict.related.least) / Math.max(1, others.length);
      const strong = shareOf('answered', verdict.answered.least).toFixed(2);
      lines.push(`${area}, ${mode}: strong ${strong}, none of other fields ${none.toFixed(2)}`);
    }
  }
  // Sets of numbers on a line each.
  const text = JSON.stringify(file, null, 2).replace(
    /([[{])\s+([^[\]{}]*?)\s+(?=[\]}])/g,
    (_, open, inner) => `${open}${inner.replace(/\s+/g, ' ')}`,
  );
  writeFileSync(FITTED, `${text}\n`);
  return lines;
}

const steps = () => Array.from({ length: 95 }, (_, at) => (at + 1) / 100);

/** The evidence of every question of the train halves, with its answers on the shelf and without. */
async function collect(shelves: Shelves): Promise<Example[]> {
  const files = await findModelIn(givenModels());
  if (files === null) throw new Error('no model: QUANTSHELF_MODEL_DIR must name a copy of it');
  const embedder = await loadEmbedder(files, { threads: 1 });
  const sets = readQuestions().filter(({ name }) => /^(?:starter-)?(?:papers|events):/.test(name));
  const examples: Example[] = [];
  for (const shelf of ['papers', 'events', 'starter'] as const) {
    const home = await openShelf(shelves, shelf);
    if (home === null) continue;
    // A copy in memory has no write-ahead log: 1 in these bytes of the header says so.
    const db = new Database(readFileSync(join(home, 'quantshelf.sqlite')).fill(1, 18, 20));
    const fault = loadVectorExtension(db);
    if (fault !== null) throw fault;
    for (const mode of ['hybrid', 'lexical'] as const) {
      const context: SearchContext = {
        db,
        now: () => ASKED_AT,
        isWord: async (word) => mode === 'hybrid' && embedder.isWord(word),
        async embedQuery(text) {
          const [vector] = mode === 'hybrid' ? await embedder.embed([text]) : [];
          return vector === undefined ? { unavailable: 'no model' } : { vector };
        },
      };
      for (const set of sets.filter((one) => one.shelf === shelf || one.name === OTHER)) {
        for (const area of areasOf(set, shelf)) {
          examples.push(...(await ask(context, set, area, mode)));
        }
      }
    }
    db.close();
  }
  await embedder.close();
  return examples;
}

/** Questions of other fields are asked of papers and of events. */
function areasOf({ tool, name }: QuestionSet, shelf: string): Example['area'][] {
  if (name === OTHER) return shelf === 'papers' || shelf === 'events' ? [shelf] : [];
  return [tool === 'paper_search' ? 'papers' : 'events'];
}

async function ask(
  context: SearchContext,
  { name, questions }: QuestionSet,
  area: Example['area'],
  mode: Mode,
): Promise<Example[]> {
  const { db } = context;
  const profile: SearchProfile = area === 'papers' ? paperIndex : eventIndex;
  const table = area === 'papers' ? 'paper' : 'market_event';
  const find = db.prepare<[string], number>(`SELECT id FROM ${table} WHERE source_id = ?`).pluck();
  const idOf = (key: string) => find.get(area === 'papers' ? sourceIdOf(key) : key);
  const train = questions.filter(({ half }) => half === 'train');
  const examples: Example[] = [];
  const add = (kind: Example['kind'], evidence: Evidence | null) => {
    const share = 1 / Math.sqrt(train.length);
    if (evidence !== null) examples.push({ area, mode, kind, evidence, share });
  };
  for (const { query, grades } of train) {
    const answers = [...grades.keys()].flatMap((key) => idOf(key) ?? []);
    const { matches, evidence } = await search(context, profile, { text: query, limit: 1 });
    if (answers.length === 0) {
      add(name === OTHER ? 'another field' : 'near miss', evidence);
      continue;
    }
    // An answer that does not come first is for the ranking, not for the verdict.
    if (answers.includes(matches[0]?.id ?? -1)) add('answered', evidence);
    db.exec('SAVEPOINT withdrawn');
    for (const id of answers) removeFromIndex(db, profile, id);
    add('withdrawn', (await search(context, profile, { text: query, limit: 1 })).evidence);
    db.exec('ROLLBACK TO withdrawn; RELEASE withdrawn');
  }
  return examples;
}

/** A logistic model by Newton's method; both sides count equally, and slopes are slightly damped. */
function fitLogistic(
  inputs: readonly (keyof Evidence)[],
  yes: readonly Example[],
  no: readonly Example[],
): { bias: number } & Partial<Record<keyof Evidence, number>> {
  const sides = [yes, no].map((side) => {
    const total = side.reduce((sum, { share }) => sum + share, 0);
    return side.map((one) => ({ ...one, y: Number(side === yes), weight: one.share / total }));
  });
  const rows = sides.flat().map(({ evidence, y, weight }) => ({
    ...{ y, weight },
    x: [1, ...inputs.map((name) => evidence[name])],
  }));
  let weights = new Array<number>(inputs.length + 1).fill(0);
  for (let step = 0; step < 40; step += 1) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : -DAMPING * weight));
    const hessian = weights.map((_, row) =>
      weights.map((__, column) => (row === column && row > 0 ? DAMPING : 0)),
    );
    for (const { x, y, weight } of rows) {
      const logit = x.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
      const chance = 1 / (1 + Math.exp(-logit));
      for (const [i, value] of x.entries()) {
        gradient[i] = (gradient[i] ?? 0) + weight * (y - chance) * value;
        for (const [j, other] of x.entries()) {
          const line = hessian[i] ?? [];
          line[j] = (line[j] ?? 0) + weight * chance * (1 - chance) * value * other;
        }
      }
    }
    weights = solve(hessian, gradient).map((change, at) => change + (weights[at] ?? 0));
  }
  const [bias = 0, ...slopes] = weights.map((weight) => Number(weight.toFixed(2)));
  return { bias, ...Object.fromEntries(inputs.map((name, at) => [name, slopes[at] ?? 0])) };
}

/** Solves a system of linear equations with a positive definite matrix, by elimination. */
function solve(matrix: readonly (readonly number[])[], values: readonly number[]): number[] {
  const rows = matrix.map((line, at) => [...line, values[at] ?? 0]);
  for (const [at, pivot] of rows.entries()) {
    for (const [other, row] of rows.entries()) {
      if (other === at) continue;
      const factor = (row[at] ?? 0) / (pivot[at] ?? 1);
      for (let column = at; column < row.length; column += 1) {
        row[column] = (row[column] ?? 0) - factor * (pivot[column] ?? 0);
      }
    }
  }
  return rows.map((row, at) => (row.at(-1) ?? 0) / (row[at] ?? 1));
}
