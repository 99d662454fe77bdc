import type { Database } from 'better-sqlite3';
import { DIMENSIONS } from '../vectors.ts';
import { type Held, holdNothing, refresh, rowOf, rowsOf } from './held.ts';
import { DEAD, Leaders } from './leaders.ts';
import { createPause, type Pause } from './turns.ts';

/**
 * All vectors of an index in the memory of this process, 400 bytes each, read when the first search
 * needs them and kept in step with the store. A search goes through all of them: exact, one path for
 * every size. 30,000 take a millisecond.
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
  background(): Background;
  /** The weighted sum of the vectors of some cards; those without one add nothing. */
  sumOf(weights: Iterable<readonly [id: number, weight: number]>): Float32Array;
  /** Dot product of a card's vector with any other; 0 when it has none. */
  dot(id: number, other: Float32Array): number;
}

/** Which of some cards are let in. */
export type Admit = (ids: readonly number[]) => ReadonlySet<number>;

/** Vectors scored between two pauses, about two milliseconds. */
const SLICE = 1 << 16;
/** Where fewer than are sought are let in among so many of the nearest, all are asked about. */
const WIDEST = 10_000;
/** Cards that are asked about together whether they are let in. */
const ASKED_AT_ONCE = 1_000;

interface State extends Held {
  /** Searches and readings come one after the other: they share the bench. */
  turn: Promise<unknown>;
  background: Background;
}

/** Mean and standard deviation of cosines. */
export interface Background {
  mean: number;
  deviation: number;
}

const states = new WeakMap<Database, Map<string, State>>();

/** Lets `work` search the vectors of an index as the store holds them now. */
export function withMatrix<T>(
  db: Database,
  name: string,
  work: (matrix: Matrix, pause: Pause) => Promise<T>,
): Promise<T> {
  const state = stateOf(db, name);
  const done = state.turn.then(async () => {
    const pause = createPause();
    await refresh(db, name, state, pause);
    return work(matrixOf(state, pause), pause);
  });
  state.turn = done.catch(() => {});
  return done;
}

/** Gives the memory of an index's vectors back; the next search reads them anew. */
export function forgetMatrix(db: Database, name: string): void {
  states.get(db)?.delete(name);
}

function stateOf(db: Database, name: string): State {
  const held = states.get(db) ?? new Map<string, State>();
  states.set(db, held);
  const state = held.get(name) ?? {
    ...holdNothing(),
    turn: Promise.resolve(),
    background: { mean: 0, deviation: 0 },
  };
  held.set(name, state);
  return state;
}

function matrixOf(state: State, pause: Pause): Matrix {
  return {
    async nearest(query, depth, admitted) {
      const isOpen = typeof admitted === 'function';
      // Some are usually not let in.
      const looked = isOpen ? 2 * depth : depth;
      const leaders = leadersOf(state, looked);
      const sums = { count: 0, sum: 0, squares: 0 };
      for (let from = 0; from < state.used; from += SLICE) {
        const to = Math.min(from + SLICE, state.used);
        state.bench.score(query, from, to);
        addUp(state, from, to, sums);
        if (isOpen) leaders.offer(from, to);
        await pause();
      }
      state.background = spreadOf(sums);
      if (isOpen) return letIn(state, depth, admitted, leaders.ranked(), looked, pause);
      for (const row of rowsOf(state, admitted)) leaders.offerRow(row);
      return leaders.ranked();
    },
    cosineOf(id) {
      const row = rowOf(state, id);
      return row < 0 ? null : (state.bench.cosines[row] ?? null);
    },
    background: () => state.background,
    sumOf(weights) {
      const sum = new Float32Array(DIMENSIONS);
      const { components, scales } = state.bench;
      for (const [id, weight] of weights) {
        const row = rowOf(state, id);
        if (row < 0) continue;
        const scale = weight * (scales[row] ?? 0);
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

function leadersOf({ bench, ids }: State, depth: number): Leaders {
  return new Leaders({ cosines: bench.cosines, ids }, depth);
}

/** Adds up the cosines of some rows. */
function addUp({ bench, ids }: State, from: number, to: number, sums: Sums): void {
  const { cosines } = bench;
  let { count, sum, squares } = sums;
  for (let row = from; row < to; row += 1) {
    if (ids[row] === DEAD) continue;
    const cosine = cosines[row] ?? 0;
    count += 1;
    sum += cosine;
    squares += cosine * cosine;
  }
  Object.assign(sums, { count, sum, squares });
}

interface Sums {
  count: number;
  sum: number;
  squares: number;
}

function spreadOf({ count, sum, squares }: Sums): Background {
  const mean = sum / Math.max(1, count);
  const variance = squares / Math.max(1, count) - mean * mean;
  return { mean, deviation: Math.sqrt(Math.max(0, variance)) };
}

/**
 * The first `depth` that are let in. Looks at more and more of the nearest, beyond the `looked`
 * that are at hand, until so many are found or all were asked about.
 */
async function letIn(
  state: State,
  depth: number,
  admit: Admit,
  atHand: readonly number[],
  looked: number,
  pause: Pause,
): Promise<number[]> {
  const found: number[] = [];
  let [nearest, asked] = [atHand, 0];
  for (let most = looked; ; ) {
    for (; asked < nearest.length; asked += ASKED_AT_ONCE) {
      const part = nearest.slice(asked, asked + ASKED_AT_ONCE);
      const admitted = admit(part);
      found.push(...part.filter((id) => admitted.has(id)));
      if (found.length >= depth) return found.slice(0, depth);
      await pause();
    }
    if (nearest.length < most) return found;
    if (most >= WIDEST) {
      const rest = depth - found.length;
      return [...found, ...(await lookAtAll(state, rest, admit, new Set(nearest), pause))];
    }
    asked = nearest.length;
    // As many as should do, judging by how many were let in so far.
    const enough = Math.ceil((1.5 * depth * asked) / Math.max(1, found.length));
    most = Math.min(8 * most, Math.max(2 * most, enough));
    const leaders = leadersOf(state, most);
    for (let from = 0; from < state.used; from += SLICE) {
      leaders.offer(from, Math.min(from + SLICE, state.used));
      await pause();
    }
    nearest = leaders.ranked();
  }
}

/** The first `depth` that are let in, but for those that were asked about already. */
async function lookAtAll(
  state: State,
  depth: number,
  admit: Admit,
  asked: ReadonlySet<number>,
  pause: Pause,
): Promise<number[]> {
  const leaders = leadersOf(state, depth);
  for (let from = 0; from < state.used; from += ASKED_AT_ONCE) {
    const ids = [...state.ids.subarray(from, Math.min(from + ASKED_AT_ONCE, state.used))];
    const fresh = ids.filter((id) => id !== DEAD && !asked.has(id));
    const admitted = admit(fresh);
    for (const [index, id] of ids.entries()) {
      if (!asked.has(id) && admitted.has(id)) leaders.offerRow(from + index);
    }
    await pause();
  }
  return leaders.ranked();
}
