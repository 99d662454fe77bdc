import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { DIMENSIONS } from '../vectors.ts';
import { type Block, blockOf, countVectors, idsOf, lastRevision, listBlocks } from './blocks.ts';
import { type Bench, createBench } from './kernel.ts';
import { unpackRows } from './quantise.ts';

/**
 * All vectors of an index in the memory of this process, 400 bytes each, read when the first search
 * needs them and kept in step with the store. A search goes through all of them: exact, one path for
 * every size. 30,000 take half a millisecond.
 */
export interface Matrix {
  /**
   * The `depth` cards nearest to a unit vector, nearest first, ties to the smaller id: of those
   * listed, or of those that are let in.
   */
  nearest(
    query: Float32Array,
    depth: number,
    admitted: readonly number[] | Admit,
  ): Promise<number[]>;
  /** Cosine of a card with the last query; null when the card has no vector. */
  cosineOf(id: number): number | null;
  /** Mean and standard deviation of the last query's cosines over all cards. */
  background(): { mean: number; deviation: number };
  /** The sum of the vectors of some cards. */
  sumOf(ids: readonly number[]): Float32Array;
  /** Dot product of a card's vector with any other; 0 when it has none. */
  dot(id: number, other: Float32Array): number;
}

/** Which of some cards are let in. */
export type Admit = (ids: readonly number[]) => ReadonlySet<number>;

/** Vectors scored before other work gets its turn: about five milliseconds. */
const SLICE = 200_000;
/** Blocks read before other work gets its turn. */
const BLOCKS_AT_ONCE = 256;
/** Rows that replaced or removed vectors may leave behind. */
const DEAD_SHARE = 0.25;
const DEAD_FREE = 1_024;
const DEAD = -1;

interface State {
  bench: Bench;
  /** Id of each row; DEAD where the row counts no more. */
  ids: Float64Array;
  used: number;
  dead: number;
  rev: number;
  /** Where the rows of a block begin, and whose they are, ascending. */
  blocks: Map<number, { from: number; ids: number[] }>;
  /** Searches and readings come one after the other: they share the bench. */
  turn: Promise<unknown>;
}

const states = new WeakMap<Database, Map<string, State>>();

/** Lets `work` search the vectors of an index as the store holds them now. */
export function withMatrix<T>(
  db: Database,
  name: string,
  work: (matrix: Matrix) => Promise<T>,
): Promise<T> {
  const state = stateOf(db, name);
  const done = state.turn.then(async () => {
    await refresh(db, name, state);
    return work(matrixOf(state));
  });
  state.turn = done.catch(() => {});
  return done;
}

function stateOf(db: Database, name: string): State {
  const held = states.get(db) ?? new Map<string, State>();
  states.set(db, held);
  const state = held.get(name) ?? { ...emptyRows(0), turn: Promise.resolve() };
  held.set(name, state);
  return state;
}

function emptyRows(capacity: number): Omit<State, 'turn'> {
  return {
    bench: createBench(capacity),
    ids: new Float64Array(capacity),
    used: 0,
    dead: 0,
    rev: 0,
    blocks: new Map(),
  };
}

async function refresh(db: Database, name: string, state: State): Promise<void> {
  while (state.rev < lastRevision(db, name)) {
    if (state.rev === 0) Object.assign(state, emptyRows(roomFor(countVectors(db, name))));
    const blocks = listBlocks(db, name, state.rev, BLOCKS_AT_ONCE);
    for (const block of blocks) takeBlock(state, block);
    if (state.dead > DEAD_FREE + DEAD_SHARE * state.used) state.rev = 0;
    if (blocks.length === BLOCKS_AT_ONCE) await nextTurn();
  }
}

function roomFor(count: number): number {
  return Math.ceil(count * 1.1) + 256;
}

function takeBlock(state: State, block: Block): void {
  const old = state.blocks.get(block.block);
  if (old !== undefined) {
    state.ids.fill(DEAD, old.from, old.from + old.ids.length);
    state.dead += old.ids.length;
  }
  const ids = idsOf(block);
  if (state.used + ids.length > state.bench.capacity) grow(state, ids.length);
  unpackRows(block.vectors, state.bench, state.used);
  state.ids.set(ids, state.used);
  state.blocks.set(block.block, { from: state.used, ids });
  state.used += ids.length;
  state.rev = block.rev;
}

function grow(state: State, more: number): void {
  const bench = createBench(roomFor(1.5 * state.used + more));
  bench.components.set(state.bench.components.subarray(0, state.used * DIMENSIONS));
  bench.scales.set(state.bench.scales.subarray(0, state.used));
  const ids = new Float64Array(bench.capacity);
  ids.set(state.ids.subarray(0, state.used));
  Object.assign(state, { bench, ids });
}

function matrixOf(state: State): Matrix {
  return {
    async nearest(query, depth, admitted) {
      for (let from = 0; from < state.used; from += SLICE) {
        if (from > 0) await nextTurn();
        state.bench.score(query, from, Math.min(from + SLICE, state.used));
      }
      return typeof admitted === 'function'
        ? selectLetIn(state, depth, admitted)
        : select(state, depth, rowsOf(state, admitted));
    },
    cosineOf(id) {
      const row = rowOf(state, id);
      return row < 0 ? null : (state.bench.cosines[row] ?? null);
    },
    background() {
      let [count, sum, squares] = [0, 0, 0];
      for (let row = 0; row < state.used; row += 1) {
        if (state.ids[row] === DEAD) continue;
        const cosine = state.bench.cosines[row] ?? 0;
        count += 1;
        sum += cosine;
        squares += cosine * cosine;
      }
      const mean = sum / Math.max(1, count);
      return {
        mean,
        deviation: Math.sqrt(Math.max(0, squares / Math.max(1, count) - mean * mean)),
      };
    },
    sumOf(ids) {
      const sum = new Float32Array(DIMENSIONS);
      for (const row of rowsOf(state, ids)) {
        const { components, scales } = state.bench;
        const scale = scales[row] ?? 0;
        for (let at = 0; at < DIMENSIONS; at += 1) {
          sum[at] = (sum[at] ?? 0) + scale * (components[row * DIMENSIONS + at] ?? 0);
        }
      }
      return sum;
    },
    dot(id, other) {
      const row = rowOf(state, id);
      if (row < 0) return 0;
      const { components, scales } = state.bench;
      let sum = 0;
      for (let at = 0; at < DIMENSIONS; at += 1) {
        sum += (components[row * DIMENSIONS + at] ?? 0) * (other[at] ?? 0);
      }
      return sum * (scales[row] ?? 0);
    },
  };
}

function rowOf(state: State, id: number): number {
  const block = state.blocks.get(blockOf(id));
  const index = block?.ids.indexOf(id) ?? -1;
  return block === undefined || index < 0 ? -1 : block.from + index;
}

function rowsOf(state: State, ids: readonly number[]): number[] {
  return ids.map((id) => rowOf(state, id)).filter((row) => row >= 0);
}

/** Looks at more and more of the nearest until enough of them are let in, or all were seen. */
function selectLetIn(state: State, depth: number, admit: Admit): number[] {
  for (let looked = 2 * depth; ; looked *= 8) {
    const nearest = select(state, looked, null);
    const admitted = admit(nearest);
    const found = nearest.filter((id) => admitted.has(id));
    if (found.length >= depth || nearest.length < looked) return found.slice(0, depth);
  }
}

/** Ids of the highest cosines, by a heap whose top is the worst of those kept. */
function select(state: State, depth: number, rows: readonly number[] | null): number[] {
  const { bench, ids, used } = state;
  const { cosines } = bench;
  const isWorse = (a: number, b: number) => {
    const difference = (cosines[a] ?? 0) - (cosines[b] ?? 0);
    return difference === 0 ? (ids[a] ?? 0) > (ids[b] ?? 0) : difference < 0;
  };
  const heap: number[] = [];
  const count = rows === null ? used : rows.length;
  for (let index = 0; index < count; index += 1) {
    const row = rows === null ? index : (rows[index] ?? 0);
    if (heap.length === depth && (cosines[row] ?? 0) < (cosines[heap[0] ?? 0] ?? 0)) continue;
    if (ids[row] === DEAD) continue;
    if (heap.length < depth) pushUp(heap, row, isWorse);
    else if (isWorse(heap[0] ?? 0, row)) sinkTop(heap, row, isWorse);
  }
  heap.sort((a, b) => (isWorse(a, b) ? 1 : -1));
  return heap.map((row) => ids[row] ?? DEAD);
}

type IsWorse = (a: number, b: number) => boolean;

function pushUp(heap: number[], row: number, isWorse: IsWorse): void {
  let at = heap.push(row) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isWorse(row, heap[parent] ?? 0)) break;
    heap[at] = heap[parent] ?? 0;
    at = parent;
  }
  heap[at] = row;
}

function sinkTop(heap: number[], row: number, isWorse: IsWorse): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isWorse(heap[child + 1] ?? 0, heap[child] ?? 0)) child += 1;
    if (!isWorse(heap[child] ?? 0, row)) break;
    heap[at] = heap[child] ?? 0;
    at = child;
  }
  heap[at] = row;
}
