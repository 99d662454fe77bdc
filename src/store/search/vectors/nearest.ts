import type { Database } from 'better-sqlite3';
import { DIMENSIONS } from '../../vectors.ts';
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

/** How many times the candidates a bound from the sample should admit, lest it admit too few. */
const SLACK = 3;
const HAMMING = 'vec_distance_hamming(vec_bit(signs), vec_bit(@signs))';

export interface NearestOptions {
  limit: number;
  /** How many the index holds, where that is known: then a sample spares sorting the far ones. */
  cards?: number;
  filter?: Filter | undefined;
  candidates?: number;
}

/** The cards nearest to a unit vector, nearest first, ties to the smaller id. */
export function findNearest(
  db: Database,
  name: string,
  query: Float32Array,
  { limit, cards = 0, filter, candidates = CANDIDATES }: NearestOptions,
): number[] {
  const signs = signsOf(query);
  // The cosines are computed by SQLite: a Buffer for each row would cost more than all else.
  const scan = db
    .prepare<object, number>(`
      SELECT card.id
      FROM (
        SELECT id
        FROM ${name}_vector INDEXED BY ${name}_vector_signs
        WHERE ${HAMMING} <= @bound AND ${passes('id', filter)}
        ORDER BY ${HAMMING}, id
        LIMIT @candidates
      ) AS nearest
      CROSS JOIN ${name}_vector AS card ON card.id = nearest.id
      ORDER BY ${cosineDistance('card')}, card.id
      LIMIT @limit`)
    .pluck();
  const scanWithin = (bound: number) =>
    scan.all({
      ...filter?.params,
      signs,
      components: componentsOf(query),
      candidates: Math.max(limit, candidates),
      bound,
      limit,
    });
  const rank = Math.ceil((SLACK * SAMPLE * Math.max(limit, candidates)) / cards);
  if (filter !== undefined || rank >= SAMPLE) return scanWithin(DIMENSIONS);
  const found = scanWithin(sampleDistance(db, name, signs, rank));
  return found.length < limit ? scanWithin(DIMENSIONS) : found;
}

/** The Hamming distance of a sample's card of that rank. */
function sampleDistance(db: Database, name: string, signs: Buffer, rank: number): number {
  const distance = db
    .prepare<object, number>(`
      SELECT ${HAMMING} AS distance ${sampleOf(name)}
      ORDER BY distance
      LIMIT 1 OFFSET @rank`)
    .pluck()
    .get({ signs, rank, probes: JSON.stringify(probeIds(db, name)) });
  return distance ?? DIMENSIONS;
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
  const isSmall = cards <= SMALL;
  const row = db
    .prepare<object, { mean: number | null; squares: number | null }>(`
      SELECT avg(cosine) AS mean, avg(cosine * cosine) AS squares
      FROM (
        SELECT 1 - ${cosineDistance('card')} AS cosine
        ${isSmall ? `FROM ${name}_vector AS card` : sampleOf(name)}
      )`)
    .get({
      components: componentsOf(query),
      ...(isSmall ? {} : { probes: JSON.stringify(probeIds(db, name)) }),
    });
  const mean = row?.mean ?? 0;
  return { mean, deviation: Math.sqrt(Math.max(0, (row?.squares ?? 0) - mean * mean)) };
}

function sampleOf(name: string): string {
  return `
    FROM json_each(@probes) AS probe
    CROSS JOIN ${name}_vector AS card ON card.id = (
      SELECT id FROM ${name}_vector WHERE id >= probe.value ORDER BY id LIMIT 1)`;
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
