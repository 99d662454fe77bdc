import type { Database } from 'better-sqlite3';
import { type Filter, passes } from '../filter.ts';
import { quantise, SCALE_BYTES } from './int8.ts';
import { signsOf } from './table.ts';

/**
 * Nearest by Hamming distance, of which the cosines are then computed. The nDCG@10 of hybrid search
 * of 30,000 cards is that of an exact scan from 200 on; more serve searches deeper than ten.
 */
const CANDIDATES = 500;
/** Cards from which the mean and the deviation of all cosines are estimated, */
const SAMPLE = 256;
/** unless there are no more than these: then all are taken. */
const SMALL = 2_048;

export interface NearestOptions {
  limit: number;
  filter?: Filter | undefined;
  candidates?: number;
}

/** The cards nearest to a unit vector, nearest first, ties to the smaller id. */
export function findNearest(
  db: Database,
  name: string,
  query: Float32Array,
  { limit, filter, candidates = CANDIDATES }: NearestOptions,
): number[] {
  // The cosines are computed by SQLite: a Buffer for each row would cost more than all else.
  return db
    .prepare<object, number>(`
      SELECT card.id
      FROM (
        SELECT id
        FROM ${name}_vector INDEXED BY ${name}_vector_signs
        WHERE ${passes('id', filter)}
        ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(@signs)), id
        LIMIT @candidates
      ) AS nearest
      CROSS JOIN ${name}_vector AS card ON card.id = nearest.id
      ORDER BY ${cosineDistance('card')}, card.id
      LIMIT @limit`)
    .pluck()
    .all({
      ...filter?.params,
      signs: signsOf(query),
      components: componentsOf(query),
      candidates: Math.max(limit, candidates),
      limit,
    });
}

/** The vectors, packed by `int8.ts`, of those of `ids` that have one. */
export function readVectors(
  db: Database,
  name: string,
  ids: readonly number[],
): Map<number, Buffer> {
  return readBlobs(db, `${name}_vector`, 'vector', ids);
}

/** The vectors of the passages of cards, packed likewise. */
export function readPassages(
  db: Database,
  name: string,
  ids: readonly number[],
): Map<number, Buffer> {
  return readBlobs(db, `${name}_passages`, 'vectors', ids);
}

function readBlobs(
  db: Database,
  table: string,
  column: string,
  ids: readonly number[],
): Map<number, Buffer> {
  const rows = db
    .prepare<{ ids: string }, [id: number, blob: Buffer]>(`
      SELECT card.id, card.${column}
      FROM json_each(@ids) AS candidate
      CROSS JOIN ${table} AS card ON card.id = candidate.value`)
    .raw()
    .all({ ids: JSON.stringify(ids) });
  return new Map(rows);
}

/** Mean and standard deviation of cosines. */
export interface Background {
  mean: number;
  deviation: number;
}

/** The cosines of a query with all of an index's `cards`, estimated from a sample of a large one. */
export function estimateBackground(
  db: Database,
  name: string,
  query: Float32Array,
  cards: number,
): Background {
  const sampled = `
    FROM json_each(@probes) AS probe
    CROSS JOIN ${name}_vector AS card ON card.id = (
      SELECT id FROM ${name}_vector WHERE id >= probe.value ORDER BY id LIMIT 1)`;
  const isSmall = cards <= SMALL;
  const row = db
    .prepare<object, { mean: number | null; squares: number | null }>(`
      SELECT avg(cosine) AS mean, avg(cosine * cosine) AS squares
      FROM (
        SELECT 1 - ${cosineDistance('card')} AS cosine
        ${isSmall ? `FROM ${name}_vector AS card` : sampled}
      )`)
    .get({
      components: componentsOf(query),
      ...(isSmall ? {} : { probes: JSON.stringify(probeIds(db, name)) }),
    });
  const mean = row?.mean ?? 0;
  return { mean, deviation: Math.sqrt(Math.max(0, (row?.squares ?? 0) - mean * mean)) };
}

/** Ids at even distances: the first card at or after each is in the sample. */
function probeIds(db: Database, name: string): number[] {
  const range = db
    .prepare<[], { first: number; last: number }>(`
      SELECT -- Apart each takes one step into the tree, together they would scan it.
        (SELECT min(id) FROM ${name}_vector) AS first,
        (SELECT max(id) FROM ${name}_vector) AS last`)
    .get();
  const { first, last } = range ?? { first: 0, last: 0 };
  const step = (last - first) / SAMPLE;
  return Array.from({ length: SAMPLE }, (_, index) => Math.floor(first + index * step));
}

function cosineDistance(card: string): string {
  const components = `substr(${card}.vector, ${SCALE_BYTES + 1})`;
  return `vec_distance_cosine(vec_int8(${components}), vec_int8(@components))`;
}

function componentsOf(query: Float32Array): Buffer {
  return quantise([query]).subarray(SCALE_BYTES);
}
