import type { Database } from 'better-sqlite3';
import { type Filter, passes } from '../filter.ts';
import { dotProducts, quantise, SCALE_BYTES } from './int8.ts';
import { signsOf } from './table.ts';

/** The embeddings of a card as `int8.ts` packs them. */
export interface VectorRow {
  id: number;
  vector: Buffer;
  passages: Buffer;
}

/**
 * Nearest by Hamming distance, of which the cosines are then computed. The nDCG@10 of hybrid search
 * of 30,000 cards is that of an exact scan from 200 on; more serve searches deeper than ten.
 */
const CANDIDATES = 500;
/** Cards from which the mean and the deviation of all cosines are estimated. */
const SAMPLE = 1_024;
const RUN = 16;
/** Where SQL finds the components of a packed vector. */
const FIRST_BYTE = SCALE_BYTES + 1;

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
      ORDER BY
        vec_distance_cosine(vec_int8(substr(card.vector, ${FIRST_BYTE})), vec_int8(@components)),
        card.id
      LIMIT @limit`)
    .pluck()
    .all({
      ...filter?.params,
      signs: signsOf(query),
      components: quantise([query]).subarray(SCALE_BYTES),
      candidates: Math.max(limit, candidates),
      limit,
    });
}

/** The rows of those of `ids` that have a vector. */
export function readVectors(db: Database, name: string, ids: readonly number[]): VectorRow[] {
  return db
    .prepare<{ ids: string }, VectorRow>(`
      SELECT card.id, card.vector, passages.vectors AS passages
      FROM json_each(@ids) AS candidate
      CROSS JOIN ${name}_vector AS card ON card.id = candidate.value
      CROSS JOIN ${name}_passages AS passages ON passages.id = card.id`)
    .all({ ids: JSON.stringify(ids) });
}

/** Mean and standard deviation of cosines. */
export interface Background {
  mean: number;
  deviation: number;
}

/** The cosines of a query with all of an index's `cards`, estimated from a sample of them. */
export function estimateBackground(
  db: Database,
  name: string,
  query: Float32Array,
  cards: number,
): Background {
  const sample = cards <= 2 * SAMPLE ? readAll(db, name) : sampleVectors(db, name);
  const cosines = sample.map((vector) => dotProducts(vector, query)[0] ?? 0);
  const count = Math.max(1, cosines.length);
  const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / count;
  const variance = cosines.reduce((sum, cosine) => sum + (cosine - mean) ** 2, 0) / count;
  return { mean, deviation: Math.sqrt(variance) };
}

function readAll(db: Database, name: string): Buffer[] {
  return db.prepare<[], Buffer>(`SELECT vector FROM ${name}_vector`).pluck().all();
}

/** Runs of neighbours at even distances: a seek costs more than the next few rows. */
function sampleVectors(db: Database, name: string): Buffer[] {
  const range = db
    .prepare<[], { first: number; last: number }>(
      `SELECT min(id) AS first, max(id) AS last FROM ${name}_vector`,
    )
    .get();
  const { first, last } = range ?? { first: 0, last: 0 };
  const run = db
    .prepare<{ from: number }, Buffer>(`
      SELECT vector FROM ${name}_vector WHERE id >= @from ORDER BY id LIMIT ${RUN}`)
    .pluck();
  const runs = SAMPLE / RUN;
  return Array.from({ length: runs }, (_, index) =>
    run.all({ from: Math.floor(first + (index * (last - first)) / runs) }),
  ).flat();
}
