import type { Database } from 'better-sqlite3';
import { damagedError, isDamaged } from '../../../core/checksum.ts';
import type { Filter } from '../filter.ts';
import { cosineDistance, hammingDistance, queryParams } from './distances.ts';
import { DIMENSIONS } from './float32.ts';
import type { Sample } from './sample.ts';

/**
 * Nearest cards by Hamming distance, which are then ranked by cosine. With 30,000 cards, 200 of them
 * already give hybrid search the nDCG@10 of an exact scan; more than 400 find no more of the ten nearest.
 */
const CANDIDATES = 400;
/** Safety factor: the bound from a sample should admit this many times the candidates. */
const SLACK = 3;

export interface NearestOptions {
  limit: number;
  /** The same query's distances to a sample, so that distant cards need not be sorted. */
  sample?: Sample;
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
  const compared = Math.max(limit, candidates);
  // SQLite computes the cosines: creating a Buffer for each row would cost more than all else.
  const scan = db
    .prepare<object, number>(`
      SELECT card.id
      FROM (
        SELECT id
        FROM ${name}_vector INDEXED BY ${name}_vector_signs
        WHERE ${hammingDistance('signs')} <= @bound AND ${passes('id', filter)}
        ORDER BY ${hammingDistance('signs')}, id
        LIMIT @compared
      ) AS nearest
      CROSS JOIN ${name}_vector AS card ON card.id = nearest.id
      ORDER BY ${cosineDistance('card.vector')}, card.id
      LIMIT @limit`)
    .pluck();
  const scanWithin = (bound: number) =>
    scan.all({ ...filter?.params, ...queryParams(query), compared, bound, limit });
  // The cards that pass a filter may all be distant.
  if (sample === undefined || filter !== undefined) return scanWithin(DIMENSIONS);
  const rank = Math.ceil(SLACK * compared * sample.share);
  const found = scanWithin(sample.distances[rank] ?? DIMENSIONS);
  return found.length < limit ? scanWithin(DIMENSIONS) : found;
}

/** The vectors of the cards of `ids` that have one, packed as in `int8.ts`. */
export function readVectors(
  db: Database,
  name: string,
  ids: readonly number[],
): Map<number, Buffer> {
  return readBlobs(db, `${name}_vector`, ['vector', 'signs'], ids);
}

/** The vectors of the cards' passages, packed likewise. */
export function readPassages(
  db: Database,
  name: string,
  ids: readonly number[],
): Map<number, Buffer> {
  return readBlobs(db, `${name}_passages`, ['vectors', "x''"], ids);
}

/** `before` stands before the blob in its checksum. */
type BlobRow = [id: number, blob: Buffer, before: Buffer, checksum: number];

function readBlobs(
  db: Database,
  table: string,
  [column, before]: readonly [column: string, before: string],
  ids: readonly number[],
): Map<number, Buffer> {
  const rows = db
    .prepare<{ ids: string }, BlobRow>(`
      SELECT card.id, ${column}, ${before}, checksum
      FROM json_each(@ids) AS candidate
      CROSS JOIN ${table} AS card ON card.id = candidate.value`)
    .raw()
    .all({ ids: JSON.stringify(ids) });
  return new Map(
    rows.map(([id, blob, first, checksum]) => {
      if (isDamaged(checksum, first, blob)) {
        throw damagedError('A vector of the search index is damaged', 'quantshelf sync');
      }
      return [id, blob];
    }),
  );
}

/** SQL condition that a card passes the filter, checked against the list of all that do. */
function passes(column: string, filter: Filter | undefined): string {
  if (filter === undefined) return 'true';
  const { from, id, where } = filter;
  return `${column} IN (SELECT ${id} FROM ${from} WHERE ${where})`;
}
