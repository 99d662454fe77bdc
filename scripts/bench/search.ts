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
import { readSample } from '../../src/store/search/vectors/sample.ts';
import { details, type Figure, figure, quantile, type Section } from './figures.ts';
import { ADD_HNSW, type Baseline, openHnsw, openSqliteVec } from './search/baselines.ts';
import { type Asked, gatherMaterial, type SearchMaterial } from './search/material.ts';
import { createStore, fillStore } from './search/store.ts';
import { fastestOf, longestWait, ROUNDS, timeEach } from './search/timing.ts';
import { measureTool } from './search/tool.ts';
import { ExactScan, recallOf } from './search/vectors.ts';
import type { SearchSizes } from './sizes.ts';

/** Targets, in the units of the figures. */
const TARGET = {
  recall: { atLeast: 0.98, of: 'p50' },
  blocked: { below: 20, of: 'p95' },
} as const;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Cards of the largest index whose figures the page shows. */
const SHOWN = 30_000;
const DEPTH = 10;
/** More than hybrid search retrieves. */
const CANDIDATES = 150;
/** As in search without the model. */
const POSTINGS = 2_000;
/** Queries for the exact scan and the baselines. */
const COMPARED = 24;
/** From this size on, a baseline takes minutes, so it runs only once. */
const ONCE_FROM = 1_000_000;

/** One index that grows from size to size, and what it is compared with. */
interface Bench {
  path: string;
  material: SearchMaterial;
  baselines: readonly Baseline[];
  exact: ExactScan;
}

/** Search at every size. Reports progress to `log`. */
export async function measureSearch(
  { papers, cards, queries }: SearchSizes,
  modelDir: string | null,
  log: (line: string) => void,
): Promise<Section[]> {
  const material = await gatherMaterial(modelDir, queries);
  const directory = mkdtempSync(join(tmpdir(), 'quantshelf-bench-'));
  const hnsw = await openHnsw();
  const baselines = [
    openSqliteVec(join(directory, 'vec.sqlite')),
    ...(hnsw === null ? [] : [hnsw]),
  ];
  log(`search: ${material.origin}`);
  if (hnsw === null) log(ADD_HNSW);
  const compared = material.asked.slice(0, COMPARED).map(({ vector }) => vector);
  const path = join(directory, 'store.sqlite');
  const bench: Bench = { path, material, baselines, exact: new ExactScan(compared, DEPTH) };
  const sections: Section[] = [await measureTool(modelDir, papers, material)];
  try {
    createStore(path, paperIndex);
    let filled = 0;
    for (const size of cards) {
      log(`search: filling ${size.toLocaleString('en-US')} cards`);
      fill(bench, filled + 1, size);
      filled = size;
      sections.push(await measureSize(bench, size));
    }
  } finally {
    for (const baseline of baselines) baseline.close();
    rmSync(directory, { recursive: true, force: true });
  }
  return sections;
}

/** Adds cards to the store, the exact scan and the baselines. */
function fill({ path, material, baselines, exact }: Bench, from: number, to: number): void {
  fillStore(path, paperIndex, from, to, material);
  for (let id = from; id <= to; id += 1) exact.add(id, material.series(id - 1));
  for (const baseline of baselines)
    if (to <= baseline.maxVectors) baseline.fill(material.series, from, to);
}

async function measureSize(bench: Bench, size: number): Promise<Section> {
  const { path, material } = bench;
  const before = anonymousMemory();
  const db = openForReading(path);
  const fault = loadVectorExtension(db);
  if (fault !== null) throw fault;
  const [firstAsked] = material.asked;
  if (firstAsked === undefined) throw new Error('there are no queries');
  const begun = performance.now();
  const firstWait = await longestWait(() => ask(db, firstAsked));
  const first = performance.now() - begun;
  const memory = (anonymousMemory() - before) / 1e6;
  const vectors = await measureVectors(db, bench, size);
  const words = await measureWords(db, material);
  const whole = await measureWhole(db, material);
  db.close();
  const figures = [
    ...whole,
    figure('first search of a process', 'ms', [first]),
    ...details([
      figure('  longest block of other calls', 'ms', [firstWait]),
      figure('  memory used, without mapped files', 'MB', [memory]),
    ]),
    ...vectors,
    ...details(words),
  ];
  return {
    title: `Index of ${size.toLocaleString('en-US')} cards, query already embedded`,
    figures: size === SHOWN ? figures : details(figures),
  };
}

async function measureVectors(
  db: Database,
  { material, baselines, exact }: Bench,
  size: number,
): Promise<Figure[]> {
  const nearest = (vector: Float32Array, limit: number) =>
    findNearest(db, paperIndex.name, vector, {
      limit,
      sample: readSample(db, paperIndex.name, vector, size),
    });
  const spent = await timeEach(material.asked, ({ vector }) => nearest(vector, CANDIDATES));
  const compared = material.asked.slice(0, COMPARED).map(({ vector }) => vector);
  const truth = exact.nearest();
  const found: number[][] = [];
  for (const vector of compared) found.push(nearest(vector, DEPTH));
  const ours = quantile(spent, 0.5);
  const recall = [recallOf(found, truth)];
  const figures = [
    figure(`vectors only, ${CANDIDATES} nearest`, 'ms', spent),
    figure(`  recall@${DEPTH} against a float64 scan`, 'share', recall, TARGET.recall),
  ];
  for (const baseline of baselines.filter(({ maxVectors }) => maxVectors >= size)) {
    const rounds = size >= ONCE_FROM ? 1 : undefined;
    const theirs = await timeEach(compared, (vector) => baseline.nearest(vector, DEPTH), rounds);
    const recall = recallOf(
      compared.map((vector) => baseline.nearest(vector, DEPTH)),
      truth,
    );
    const measured = [
      figure(`  ${baseline.name}, ${DEPTH} nearest`, 'ms', theirs),
      figure(`    recall@${DEPTH}`, 'share', [recall]),
      figure('    our time relative to it', 'times', [ours / quantile(theirs, 0.5)]),
    ];
    figures.push(...details(measured));
  }
  return figures;
}

async function measureWords(db: Database, material: SearchMaterial): Promise<Figure[]> {
  const { name, columns } = paperIndex;
  const weights = Object.values(columns);
  const find = (text: string) => {
    const totals = readTotals(db, paperIndex);
    const terms = weightTerms(db, name, queryTerms(text), totals);
    const { cards } = totals;
    return findByTerms(db, {
      ...{ name, weights, terms, cards, filter: undefined, limit: CANDIDATES },
      postings: POSTINGS,
    });
  };
  const real = material.asked.map(({ text }) => text);
  return [
    figure('lexical candidates, judged queries', 'ms', await timeEach(real, find)),
    figure('  rare words only', 'ms', await timeEach(material.rare, find)),
    figure('  common words only', 'ms', await timeEach(material.common, find)),
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
  const waits = await fastestOf(some, ROUNDS, (asked) => longestWait(() => ask(db, asked)));
  const within = async (filter: Filter) =>
    timeEach(material.asked, (asked) => ask(db, asked, filter));
  const plain = await timeEach(material.asked, (asked) => ask(db, asked));
  return [
    figure('hybrid search', 'ms', plain),
    ...details([
      figure('  common words only', 'ms', await timeEach(common, (asked) => ask(db, asked))),
      figure('  within half of the cards', 'ms', await within(half)),
      figure('  within one card in 20', 'ms', await within(few)),
    ]),
    figure('  longest block of other calls', 'ms', waits, TARGET.blocked),
  ];
}

/** Searches as a shelf does. */
function ask(db: Database, { text, vector }: Asked, filter?: Filter) {
  const query = { text, vector, limit: DEPTH };
  return search(db, paperIndex, filter === undefined ? query : { ...query, filter });
}

/** Memory of this process without mapped files, in bytes; 0 if the system does not report it. */
function anonymousMemory(): number {
  collectGarbage();
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
