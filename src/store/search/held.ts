import type { Database } from 'better-sqlite3';
import { DIMENSIONS } from '../vectors.ts';
import { type Block, blockOf, countVectors, idsOf, lastRevision, listBlocks } from './blocks.ts';
import { type Bench, createBench } from './kernel.ts';
import { DEAD } from './leaders.ts';
import { PACKED_BYTES, unpackRows } from './quantise.ts';
import type { Pause } from './turns.ts';

/** The vectors of an index as this process holds them. */
export interface Held {
  bench: Bench;
  /** Id of each row; DEAD where the row counts no more. */
  ids: Float64Array;
  used: number;
  dead: number;
  rev: number;
  /** Where the rows of a block begin, and whose they are, ascending. */
  blocks: Map<number, { from: number; ids: number[] }>;
}

/** Blocks read between two pauses: about a millisecond, from a cold disk fifty. */
const BLOCKS_AT_ONCE = 16;
/** Rows that replaced or removed vectors may leave behind. */
const DEAD_SHARE = 0.25;
const DEAD_FREE = 1_024;

export function holdNothing(capacity = 0): Held {
  return {
    bench: createBench(capacity),
    ids: new Float64Array(capacity),
    used: 0,
    dead: 0,
    rev: 0,
    blocks: new Map(),
  };
}

/** Takes in what has changed in the store; nothing may be searched meanwhile. */
export async function refresh(db: Database, name: string, held: Held, pause: Pause): Promise<void> {
  while (held.rev < lastRevision(db, name)) {
    if (held.rev === 0) {
      Object.assign(held, holdNothing(roomFor(await countAll(db, name, pause))));
    }
    for (const block of listBlocks(db, name, held.rev, BLOCKS_AT_ONCE)) takeBlock(held, block);
    if (held.dead > DEAD_FREE + DEAD_SHARE * held.used) held.rev = 0;
    await pause();
  }
}

async function countAll(db: Database, name: string, pause: Pause): Promise<number> {
  let [total, after] = [0, Number.MIN_SAFE_INTEGER];
  for (;;) {
    const { count, last } = countVectors(db, name, after, BLOCKS_AT_ONCE);
    if (last === null) return total;
    total += count;
    after = last;
    await pause();
  }
}

function roomFor(count: number): number {
  return Math.ceil(count * 1.1) + 256;
}

function takeBlock(held: Held, block: Block): void {
  if (block.vectors.length !== block.members.length * PACKED_BYTES) {
    throw Object.assign(new Error(`block ${block.block} of vectors is malformed`), {
      code: 'SQLITE_CORRUPT',
    });
  }
  const old = held.blocks.get(block.block);
  if (old !== undefined) {
    held.ids.fill(DEAD, old.from, old.from + old.ids.length);
    held.dead += old.ids.length;
  }
  const ids = idsOf(block);
  if (held.used + ids.length > held.bench.capacity) grow(held, ids.length);
  unpackRows(block.vectors, held.bench, held.used);
  held.ids.set(ids, held.used);
  held.blocks.set(block.block, { from: held.used, ids });
  held.used += ids.length;
  held.rev = block.rev;
}

function grow(held: Held, more: number): void {
  const bench = createBench(roomFor(1.5 * held.used + more));
  bench.components.set(held.bench.components.subarray(0, held.used * DIMENSIONS));
  bench.scales.set(held.bench.scales.subarray(0, held.used));
  const ids = new Float64Array(bench.capacity);
  ids.set(held.ids.subarray(0, held.used));
  Object.assign(held, { bench, ids });
}

/** The row of a card; -1 when it has none. */
export function rowOf(held: Held, id: number): number {
  const block = held.blocks.get(blockOf(id));
  const index = block?.ids.indexOf(id) ?? -1;
  return block === undefined || index < 0 ? -1 : block.from + index;
}

/** The rows of those of some cards that have one. */
export function rowsOf(held: Held, ids: readonly number[]): number[] {
  return ids.map((id) => rowOf(held, id)).filter((row) => row >= 0);
}
