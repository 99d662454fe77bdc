import type { Database } from 'better-sqlite3';
import { damagedError, isDamaged } from '../../../core/checksum.ts';
import { codeOf } from '../../../core/errors.ts';
import type { Filter } from '../filter.ts';
import { bitsOf } from './bits.ts';
import { quantise, SCALE_BYTES } from './int8.ts';
import type { Sample } from './sample.ts';

/**
 * Nearest cards by the signs of their vectors, which are then ranked by cosine. With 30,000 cards, more
 * of them find no more of the ten nearest,
 */
const CANDIDATES = 400;
/** and half as many give hybrid search the nDCG@10 of an exact scan. */
const ENOUGH = 0.5;
/** Safety factor: the bound from a sample should admit this many times the candidates. */
const SLACK = 3;
/** The most that sqlite-vec returns. */
const MOST = 4_096;

export interface NearestOptions {
  limit: number;
  /** The same query's distances to a sample of the cards. */
  sample: Sample;
  filter?: Filter | undefined;
  candidates?: number;
}

/** The cards nearest to a unit vector, nearest first, ties to the smaller id. */
export function findNearest(
  db: Database,
  name: string,
  query: Float32Array,
  { limit, sample, filter, candidates = CANDIDATES }: NearestOptions,
): number[] {
  const params = { ...filter?.params, packed: quantise([query]) };
  const bound = sample.distances[Math.ceil(SLACK * candidates * sample.share)];
  if (bound !== undefined) {
    const k = filter === undefined ? candidates : MOST;
    const near = `(
      SELECT rowid FROM ${name}_bits AS signs
      WHERE bits MATCH ${bitsOf('@packed')} AND k = @k AND distance <= @bound
        ${firstWithin(filter)}
    ) AS near CROSS JOIN ${name}_vector AS card ON card.id = near.rowid`;
    const found = unlessDamaged(() =>
      rankByCosine(db, near, { ...params, k, bound, candidates, limit: candidates }),
    );
    if (found.length >= Math.max(limit, ENOUGH * candidates)) return found.slice(0, limit);
  }
  // There are few cards, or few that pass the filter.
  const all = `${name}_vector AS card WHERE ${passes('card.id', filter)}`;
  return rankByCosine(db, all, { ...params, limit });
}

/** SQLite computes the cosines: creating a Buffer for each row would cost more than all else. */
function rankByCosine(db: Database, cards: string, params: object): number[] {
  return db
    .prepare<object, number>(`
      SELECT card.id FROM ${cards}
      ORDER BY ${cosineDistance('card.vector', '@packed')}, card.id
      LIMIT @limit`)
    .pluck()
    .all(params);
}

/** Nothing, where the table of sqlite-vec is missing or damaged; the next sync makes it anew. */
function unlessDamaged(find: () => number[]): number[] {
  try {
    return find();
  } catch (error) {
    if (codeOf(error) === 'SQLITE_ERROR') return [];
    throw error;
  }
}

/** SQL for 1 − cosine of two vectors that are packed as in `int8.ts`. */
function cosineDistance(one: string, other: string): string {
  const components = (vector: string) => `vec_int8(substr(${vector}, ${SCALE_BYTES + 1}))`;
  return `vec_distance_cosine(${components(one)}, ${components(other)})`;
}

/** The vectors of the cards of `ids` that have one, packed as in `int8.ts`. */
export function readVectors(
  db: Database,
  name: string,
  ids: readonly number[],
): Map<number, Buffer> {
  return readBlobs(db, `${name}_vector`, 'vector', ids);
}

/** The vectors of the cards' passages, packed likewise. */
export function readPassages(
  db: Database,
  name: string,
  ids: readonly number[],
): Map<number, Buffer> {
  return readBlobs(db, `${name}_passages`, 'vectors', ids);
}

type BlobRow = [id: number, blob: Buffer, checksum: number];

function readBlobs(
  db: Database,
  table: string,
  column: string,
  ids: readonly number[],
): Map<number, Buffer> {
  const rows = db
    .prepare<{ ids: string }, BlobRow>(`
      SELECT card.id, ${column}, checksum
      FROM json_each(@ids) AS candidate
      CROSS JOIN ${table} AS card ON card.id = candidate.value`)
    .raw()
    .all({ ids: JSON.stringify(ids) });
  return new Map(
    rows.map(([id, blob, checksum]) => {
      if (isDamaged(checksum, blob)) {
        throw damagedError('A vector of the search index is damaged', 'quantshelf sync');
      }
      return [id, blob];
    }),
  );
}

/**
 * SQL for the nearest that pass the filter. Most cards may pass it: as a list, sqlite-vec would take them
 * all. Without a filter it refuses a LIMIT beside `k`.
 */
function firstWithin(filter: Filter | undefined): string {
  if (filter === undefined) return '';
  const { from, id, where } = filter;
  return `AND EXISTS (SELECT 1 FROM ${from} WHERE ${id} = +signs.rowid AND (${where}))
    ORDER BY distance LIMIT @candidates`;
}

/** SQL condition that a card passes the filter, checked against the list of all that do. */
function passes(column: string, filter: Filter | undefined): string {
  if (filter === undefined) return 'true';
  const { from, id, where } = filter;
  return `${column} IN (SELECT ${id} FROM ${from} WHERE ${where})`;
}
