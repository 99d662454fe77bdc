import type { Database } from 'better-sqlite3';
import { keepStatements } from '../statements.ts';
import { assertUnit } from '../vectors.ts';
import { PACKED_BYTES, packRows } from './quantise.ts';

/**
 * The vectors of an index in the store: blocks of up to 128 neighbouring ids, so that a process
 * reads all of them at the speed of the file. Every change of a block raises its revision above all
 * others, which tells other connections what to read again.
 */

/** Ids of one block share all but their last seven bits. */
const BLOCK_IDS = 128;

/** Blocks with their vectors, and the highest revision among them. */
export interface Block {
  block: number;
  rev: number;
  /** One byte per vector: id less the first id of the block, ascending. */
  members: Buffer;
  /** The vectors in the order of the members, as `packRows` packs them. */
  vectors: Buffer;
}

export function createBlocks(db: Database, name: string): void {
  db.exec(`
    CREATE TABLE ${name}_block (
      block INTEGER PRIMARY KEY,  -- id / ${BLOCK_IDS}, rounded down
      rev INTEGER NOT NULL,       -- grows with every change of any block
      members BLOB NOT NULL,
      vectors BLOB NOT NULL
    ) STRICT;
    CREATE INDEX ${name}_block_rev ON ${name}_block (rev)`);
}

/** Puts, replaces or (null) removes vectors. Throws when one is not a unit vector. */
export function writeVectors(
  db: Database,
  name: string,
  vectors: ReadonlyMap<number, Float32Array | null>,
): void {
  const groups = new Map<number, [id: number, packed: Buffer | null][]>();
  for (const [id, vector] of vectors) {
    if (vector !== null) assertUnit(vector);
    const block = Math.floor(id / BLOCK_IDS);
    const entry: [number, Buffer | null] = [id, vector === null ? null : packRows([vector])];
    groups.set(block, [...(groups.get(block) ?? []), entry]);
  }
  for (const [block, entries] of groups) writeBlock(db, name, block, entries);
}

function writeBlock(
  db: Database,
  name: string,
  block: number,
  entries: readonly [id: number, packed: Buffer | null][],
): void {
  const held = db
    .prepare<{ block: number }, Block>(`SELECT * FROM ${name}_block WHERE block = @block`)
    .get({ block });
  const rows = new Map<number, Uint8Array>();
  for (const [index, id] of (held === undefined ? [] : idsOf(held)).entries()) {
    const start = index * PACKED_BYTES;
    rows.set(id, held?.vectors.subarray(start, start + PACKED_BYTES) ?? new Uint8Array());
  }
  for (const [id, packed] of entries) {
    if (packed === null) rows.delete(id);
    else rows.set(id, packed);
  }
  const sorted = [...rows].sort(([a], [b]) => a - b);
  db.prepare(`
    INSERT OR REPLACE INTO ${name}_block (block, rev, members, vectors)
    VALUES (@block, coalesce((SELECT max(rev) FROM ${name}_block), 0) + 1, @members, @vectors)`).run(
    {
      block,
      members: Buffer.from(sorted.map(([id]) => id - block * BLOCK_IDS)),
      vectors: Buffer.concat(sorted.map(([, row]) => row)),
    },
  );
}

/** The ids of a block, in the order of its vectors. */
export function idsOf({ block, members }: Block): number[] {
  return Array.from(members, (member) => block * BLOCK_IDS + member);
}

export function blockOf(id: number): number {
  return Math.floor(id / BLOCK_IDS);
}

const selectRevision = keepStatements((db, name) =>
  db.prepare<[], number>(`SELECT coalesce(max(rev), 0) FROM ${name}_block`).pluck(),
);

/** The highest revision of any block; 0 for an empty index. */
export function lastRevision(db: Database, name: string): number {
  return selectRevision(db, name).get() ?? 0;
}

/** Blocks changed after a revision, oldest change first. */
export function listBlocks(db: Database, name: string, after: number, limit: number): Block[] {
  return db
    .prepare<{ after: number; limit: number }, Block>(`
      SELECT * FROM ${name}_block WHERE rev > @after ORDER BY rev LIMIT @limit`)
    .all({ after, limit });
}

/** Number of vectors in the `limit` blocks after one, and the last of these; null without any. */
export function countVectors(
  db: Database,
  name: string,
  after: number,
  limit: number,
): { count: number; last: number | null } {
  const counted = db
    .prepare<{ after: number; limit: number }, { count: number; last: number | null }>(`
      SELECT coalesce(sum(size), 0) AS count, max(block) AS last FROM (
        SELECT block, length(members) AS size FROM ${name}_block
        WHERE block > @after ORDER BY block LIMIT @limit)`)
    .get({ after, limit });
  return counted ?? { count: 0, last: null };
}
