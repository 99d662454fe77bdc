import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Database } from 'better-sqlite3';
import { paperIndex } from '../../src/areas/papers/tables.ts';
import { openForReading } from '../../src/store/open.ts';
import type { Filter } from '../../src/store/search/filter.ts';
import { findByTerms } from '../../src/store/search/lexical/fts.ts';
import { readTotals, weightTerms } from '../../src/store/search/lexical/terms.ts';
import { queryTerms } from '../../src/store/search/lexical/tokenise.ts';
import { search } from '../../src/store/search/search.ts';
import { loadVectorExtension } from '../../src/store/search/vectors/extension.ts';
import { findNearest } from '../../src/store/search/vectors/nearest.ts';
import { type Figure, figure, quantile, type Section } from './figures.ts';
import { type Asked, gatherMaterial, type SearchMaterial } from './search/material.ts';
import { ADD_HNSW, openHnsw, openSqliteVec, type Rival } from './search/rivals.ts';
import { leastOf, longestWait, ROUNDS, spend } from './search/spend.ts';
import { createStore, fillStore } from './search/store.ts';
import { measureTool } from './search/tool.ts';
import { ExactScan, recallOf } from './search/vectors.ts';

/** What the issue of measured search promises, in the units of the figures. */
const TARGET = {
  recall: { atLeast: 0.98, of: 'p50' },
  blocked: { below: 20, of: 'p95' },
} as const;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const SIZES = [1_000, 30_000];
const LARGE_SIZES = [100_000, 1_000_000];
const DEPTH = 10;
/** Deeper than a search asks beside words. */
const CANDIDATES = 150;
/** Questions that the exact scan and the rivals are asked. */
const COMPARED = 24;
/** From this size on a rival's time is counted in minutes: it is asked once. */
const ONCE_FROM = 1_000_000;

/** One index that grows from size to size, and what stands beside it. */
interface Bench {
  path: string;
  material: SearchMaterial;
  rivals: readonly Rival[];
  exact: ExactScan;
}

/** Search at every size; with `large` up to a million cards. Says on `log` what is being done. */
export async function measureSearch(
  modelDir: string | null,
  large: boolean,
  log: (line: string) => void,
): Promise<Section[]> {
  const material = await gatherMaterial(modelDir);
  const directory = mkdtempSync(join(tmpdir(), 'quantshelf-bench-'));
  const hnsw = await openHnsw();
  const rivals = [openSqliteVec(join(directory, 'vec.sqlite')), ...(hnsw === null ? [] : [hnsw])];
  log(`search: ${material.origin}`);
  if (hnsw === null) log(ADD_HNSW);
  const compared = material.asked.slice(0, COMPARED).map(({ vector }) => vector);
  const path = join(directory, 'store.sqlite');
  const bench: Bench = { path, material, rivals, exact: new ExactScan(compared, DEPTH) };
  const sections: Section[] = [await measureTool(modelDir, material)];
  try {
    createStore(path, paperIndex);
    let held = 0;
    for (const size of [...SIZES, ...(large ? LARGE_SIZES : [])]) {
      log(`search: filling ${size.toLocaleString('en-US')} cards`);
      fill(bench, held + 1, size);
      held = size;
      sections.push(await measureSize(bench, size));
    }
  } finally {
    for (const rival of rivals) rival.close();
    rmSync(directory, { recursive: true, force: true });
  }
  return sections;
}

/** Adds cards to all that is measured. */
function fill({ path, material, rivals, exact }: Bench, from: number, to: number): void {
  fillStore(path, paperIndex, from, to, material);
  for (let id = from; id <= to; id += 1) exact.add(id, material.series(id - 1));
  for (const rival of rivals) if (to <= rival.most) rival.fill(material.series, from, to);
}

async function measureSize(bench: Bench, size: number): Promise<Section> {
  const { path, material } = bench;
  const before = anonymousMemory();
  const db = openForReading(path);
  const fault = loadVectorExtension(db);
  if (fault !== null) throw fault;
  const [firstAsked] = material.asked;
  if (firstAsked === undefined) throw new Error('there are no questions');
  const begun = performance.now();
  const firstWait = await longestWait(() => ask(db, firstAsked));
  const first = performance.now() - begun;
  const memory = (anonymousMemory() - before) / 1e6;
  const vectors = await measureVectors(db, bench, size);
  const words = await measureWords(db, material);
  const whole = await measureWhole(db, material);
  db.close();
  return {
    title: `Search of ${size.toLocaleString('en-US')} cards, each question's best of ${ROUNDS}`,
    figures: [
      ...vectors,
      ...words,
      ...whole,
      figure('first search of a process', 'ms', [first]),
      figure('  longest wait of other calls', 'ms', [firstWait]),
      figure('  memory it took beside mapped files', 'MB', [memory]),
    ],
  };
}

async function measureVectors(
  db: Database,
  { material, rivals, exact }: Bench,
  size: number,
): Promise<Figure[]> {
  const nearest = (vector: Float32Array, limit: number) =>
    findNearest(db, paperIndex.name, vector, { limit });
  const spent = await spend(material.asked, ({ vector }) => nearest(vector, CANDIDATES));
  const compared = material.asked.slice(0, COMPARED).map(({ vector }) => vector);
  const truth = exact.nearest();
  const found: number[][] = [];
  for (const vector of compared) found.push(nearest(vector, DEPTH));
  const ours = quantile(spent, 0.5);
  const figures = [
    figure(`vectors alone, ${CANDIDATES} nearest`, 'ms', spent),
    figure(
      `  recall@${DEPTH} against a float64 scan`,
      'share',
      [recallOf(found, truth)],
      TARGET.recall,
    ),
  ];
  for (const rival of rivals.filter(({ most }) => most >= size)) {
    const rounds = size >= ONCE_FROM ? 1 : undefined;
    const theirs = await spend(compared, (vector) => rival.nearest(vector, DEPTH), rounds);
    const recall = recallOf(
      compared.map((vector) => rival.nearest(vector, DEPTH)),
      truth,
    );
    figures.push(
      figure(`  ${rival.name}, ${DEPTH} nearest`, 'ms', theirs),
      figure(`    recall@${DEPTH}`, 'share', [recall]),
      figure('    ours takes of its time', 'times', [ours / quantile(theirs, 0.5)]),
    );
  }
  return figures;
}

async function measureWords(db: Database, material: SearchMaterial): Promise<Figure[]> {
  const { name, columns } = paperIndex;
  const weights = Object.values(columns);
  const find = (text: string) => {
    const terms = weightTerms(db, name, queryTerms(text), readTotals(db, paperIndex));
    return findByTerms(db, { name, weights, terms, filter: undefined, limit: CANDIDATES });
  };
  const real = material.asked.map(({ text }) => text);
  return [
    figure('lexical candidates, judged questions', 'ms', await spend(real, find)),
    figure('  rare words only', 'ms', await spend(material.rare, find)),
    figure('  common words only', 'ms', await spend(material.common, find)),
  ];
}

async function measureWhole(db: Database, material: SearchMaterial): Promise<Figure[]> {
  const common = material.common.map((text, index) => ({
    text,
    vector: material.asked[index % material.asked.length]?.vector ?? new Float32Array(),
  }));
  const half: Filter = {
    from: 'card c',
    id: 'c.id',
    where: 'c.year >= @year',
    params: { year: 2010 },
  };
  const few: Filter = {
    from: 'card c',
    id: 'c.id',
    where: 'c.year = @year',
    params: { year: 2003 },
  };
  const some = [...material.asked, ...common].filter((_, index) => index % 4 === 0);
  const waits = await leastOf(some, ROUNDS, (asked) => longestWait(() => ask(db, asked)));
  return [
    figure(
      'hybrid search, judged questions',
      'ms',
      await spend(material.asked, (asked) => ask(db, asked)),
    ),
    figure('  common words only', 'ms', await spend(common, (asked) => ask(db, asked))),
    figure(
      '  within half of the cards',
      'ms',
      await spend(material.asked, (asked) => ask(db, asked, half)),
    ),
    figure(
      '  within one card of 20',
      'ms',
      await spend(material.asked, (asked) => ask(db, asked, few)),
    ),
    figure('  longest wait of other calls in each', 'ms', waits, TARGET.blocked),
  ];
}

/** As a shelf searches. */
function ask(db: Database, { text, vector }: Asked, filter?: Filter) {
  const query = { text, vector, limit: DEPTH };
  return search(db, paperIndex, filter === undefined ? query : { ...query, filter });
}

/** Memory of this process beside mapped files, in bytes; 0 where the system does not tell. */
function anonymousMemory(): number {
  collectGarbage();
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
