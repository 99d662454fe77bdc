import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Database } from 'better-sqlite3';
import { paperIndex } from '../../src/areas/papers/tables.ts';
import { openForReading } from '../../src/store/open.ts';
import { readTotals, soughtStem } from '../../src/store/search/cards.ts';
import { countHolders } from '../../src/store/search/holders.ts';
import { withMatrix } from '../../src/store/search/matrix.ts';
import { PACKED_BYTES } from '../../src/store/search/quantise.ts';
import { searchHybrid, type Within } from '../../src/store/search/search.ts';
import { openSearchThread } from '../../src/store/search/thread.ts';
import { contentStems } from '../../src/store/search/tokens.ts';
import { createPause } from '../../src/store/search/turns.ts';
import { findByWords } from '../../src/store/search/words.ts';
import { type Figure, figure, quantile, type Section } from './figures.ts';
import { type Asked, gatherMaterial, type SearchMaterial } from './search/material.ts';
import { ADD_HNSW, openHnsw, openSqliteVec, type Rival } from './search/rivals.ts';
import { leastOf, longestWait, ROUNDS, readingTime, spend } from './search/spend.ts';
import { createStore, fillStore } from './search/store.ts';
import { measureTool } from './search/tool.ts';
import { ExactScan, recallOf } from './search/vectors.ts';

/** What the issue of measured search promises, in the units of the figures. */
const TARGET = {
  nearestAtMillion: { below: 45, of: 'p50' },
  recall: { atLeast: 0.98, of: 'p50' },
  blocked: { below: 20, of: 'p95' },
} as const;

const SEARCH_PROGRAM = new URL('../../dist/search-thread.mjs', import.meta.url);

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
      sections.push(await measureSize(bench, size, log));
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

async function measureSize(
  bench: Bench,
  size: number,
  log: (line: string) => void,
): Promise<Section> {
  const { path, material } = bench;
  const bytes = size * PACKED_BYTES;
  const bound = readingTime(bytes);
  const before = anonymousMemory();
  const db = openForReading(path);
  const thread = openSearchThread(db, { program: SEARCH_PROGRAM, log });
  const [firstAsked] = material.asked;
  if (firstAsked === undefined) throw new Error('there are no questions');
  const begun = performance.now();
  const firstWait = await longestWait(() => search(db, firstAsked));
  const first = performance.now() - begun;
  const perVector = (anonymousMemory() - before) / size;
  const vectors = await measureVectors(db, bench, size, bytes, bound);
  const words = await measureWords(db, material);
  const whole = await measureWhole(db, material);
  await thread.close();
  db.close();
  return {
    title: `Search of ${size.toLocaleString('en-US')} cards, each question's best of ${ROUNDS}`,
    figures: [
      ...vectors,
      ...words,
      ...whole,
      figure('first search of a process: reads all vectors', 'ms', [first]),
      figure('  longest wait of other calls', 'ms', [firstWait]),
      ...(size >= 100_000 ? [figure('memory per vector', 'B', [perVector])] : []),
    ],
  };
}

async function measureVectors(
  db: Database,
  { material, rivals, exact }: Bench,
  size: number,
  bytes: number,
  bound: number,
): Promise<Figure[]> {
  const nearest = (vector: Float32Array, depth: number) =>
    withMatrix(db, paperIndex.name, (matrix) =>
      matrix.nearest(vector, depth, (ids) => new Set(ids)),
    );
  const spent = await spend(material.asked, ({ vector }) => nearest(vector, CANDIDATES));
  const compared = material.asked.slice(0, COMPARED).map(({ vector }) => vector);
  const truth = exact.nearest();
  const found: number[][] = [];
  for (const vector of compared) found.push(await nearest(vector, DEPTH));
  const ours = quantile(spent, 0.5);
  const figures = [
    figure(
      `vectors alone, ${CANDIDATES} nearest`,
      'ms',
      spent,
      size >= 1_000_000 ? TARGET.nearestAtMillion : undefined,
    ),
    figure(
      `  recall@${DEPTH} against a float64 scan`,
      'share',
      [recallOf(found, truth)],
      TARGET.recall,
    ),
    figure('  bytes read', 'MB', [bytes / 1e6]),
    figure('  reading as many bytes from memory', 'ms', [bound]),
    figure('  ratio to that', 'times', [ours / bound]),
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
  const find = async (text: string) => {
    const pause = createPause();
    const totals = readTotals(db, name);
    const counted = await countHolders(db, name, contentStems(text), pause);
    return findByWords(db, {
      name,
      weights: Object.values(columns),
      titleColumn: Object.keys(columns)[0] ?? '',
      sought: counted.map((stem) => soughtStem(stem, totals)),
      admit: (ids) => new Set(ids),
      depth: CANDIDATES,
      pause,
    });
  };
  const real = material.asked.map(({ text }) => text);
  return [
    figure('words alone, judged questions', 'ms', await spend(real, find)),
    figure('  rare words only', 'ms', await spend(material.rare, find)),
    figure('  common words only', 'ms', await spend(material.common, find)),
  ];
}

async function measureWhole(db: Database, material: SearchMaterial): Promise<Figure[]> {
  const common = material.common.map((text, index) => ({
    text,
    vector: material.asked[index % material.asked.length]?.vector ?? new Float32Array(),
  }));
  const half: Within = {
    from: 'card c',
    id: 'c.id',
    where: 'c.year >= @year',
    params: { year: 2010 },
  };
  const few: Within = {
    from: 'card c',
    id: 'c.id',
    where: 'c.year = @year',
    params: { year: 2003 },
  };
  const some = [...material.asked, ...common].filter((_, index) => index % 4 === 0);
  const waits = await leastOf(some, ROUNDS, (asked) => longestWait(() => search(db, asked)));
  return [
    figure(
      'words and vectors, judged questions',
      'ms',
      await spend(material.asked, (asked) => search(db, asked)),
    ),
    figure('  common words only', 'ms', await spend(common, (asked) => search(db, asked))),
    figure(
      '  within half of the cards',
      'ms',
      await spend(material.asked, (asked) => search(db, asked, half)),
    ),
    figure(
      '  within one card of 20',
      'ms',
      await spend(material.asked, (asked) => search(db, asked, few)),
    ),
    figure('  longest wait of other calls in each', 'ms', waits, TARGET.blocked),
  ];
}

/** As a shelf searches. A ranking is remembered by its vector: a copy makes it another question. */
function search(db: Database, { text, vector }: Asked, within?: Within) {
  return searchHybrid(db, paperIndex, {
    text,
    vector: vector.slice(),
    limit: DEPTH,
    ...(within === undefined ? {} : { within }),
  });
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
