import type { Database } from 'better-sqlite3';
import { write } from '../store/connection.ts';
import { type Filter, passing } from './lexical.ts';

/** Components of every vector in the store. */
export const DIMENSIONS = 384;
/** Tolerance for a vector's length, to allow for float32 rounding. */
const UNIT_TOLERANCE = 1e-3;
/**
 * Stored vectors: one signed byte per component, all on one scale, so that distances order cards
 * as cosines do. Components of a unit vector of 384 axes stay well below a third.
 */
const SCALE = 127 * 3;
const LARGEST = 127;
/**
 * A search compares the signs of all vectors, one bit per component, and then the bytes of the nearest: a
 * thirtieth of the cards, and at least this many.
 */
const PRESELECTED = { least: 300, share: 1 / 30 };
/** With a filter, this many times as many are preselected; each is then checked against it. */
const UNFILTERED = 3;
/** Bytes of the signs of a vector. */
const SIGN_BYTES = DIMENSIONS / 8;

/** The embeddings of one card. */
export interface CardVectors {
  id: number;
  /** Of the whole card, for retrieval. */
  vector: Float32Array;
  /** Of its sentences or sections, for ranking. */
  passages?: readonly Float32Array[];
}

/** Inserts or replaces the embeddings of a card, inside a transaction; throws when one is not a unit vector. */
export function writeVectors(
  db: Database,
  name: string,
  { id, vector, passages = [] }: CardVectors,
): void {
  const [card, vectors] = [quantise([vector]), quantise(passages)];
  db.prepare(`INSERT OR REPLACE INTO ${name}_vector VALUES (@id, @signs, @card)`).run({
    ...{ id, card, signs: signsOf(card) },
  });
  db.prepare(`INSERT OR REPLACE INTO ${name}_passages VALUES (@id, @vectors)`).run({ id, vectors });
}

export function removeVectors(db: Database, name: string, id: number): void {
  db.prepare(`DELETE FROM ${name}_vector WHERE id = @id`).run({ id });
  db.prepare(`DELETE FROM ${name}_passages WHERE id = @id`).run({ id });
}

/** The cards whose vectors have another length than they should. Reads all of them. */
export function listDamagedVectors(db: Database, name: string): number[] {
  return db
    .prepare<object, number>(`
      SELECT id FROM ${name}_vector
      WHERE length(vector) <> @dimensions OR length(signs) <> ${SIGN_BYTES}
      UNION SELECT id FROM ${name}_passages WHERE length(vectors) % @dimensions <> 0`)
    .pluck()
    .all({ dimensions: DIMENSIONS });
}

/** Drops the vectors of each damaged card; `setDue` has them made again. */
export function dropDamagedVectors(
  db: Database,
  name: string,
  setDue: (db: Database, id: number) => void,
): void {
  const drop = (id: number) => {
    removeVectors(db, name, id);
    setDue(db, id);
  };
  for (const id of listDamagedVectors(db, name)) write(db, () => drop(id));
}

/** The cards nearest to a unit vector, nearest first, ties to the smaller id; `cards` is the size of the index. */
export function findNearest(
  db: Database,
  name: string,
  unit: Float32Array,
  { limit, cards, filter }: { limit: number; cards: number; filter?: Filter | undefined },
): number[] {
  const vector = quantise([unit]);
  const signs = signsOf(vector);
  // SQLite skips the condition of its partial index, which takes as long as the comparison.
  const bySigns = (most: number, within: Filter | undefined) =>
    db
      .prepare<object, number>(`
        SELECT card.id FROM ${name}_vector AS card
        WHERE length(card.signs) = ${SIGN_BYTES} AND ${
          within === undefined
            ? 'true'
            : `card.id IN (SELECT ${within.id} FROM ${within.from} WHERE ${within.where})`
        }
        ORDER BY vec_distance_hamming(vec_bit(card.signs), vec_bit(@signs)) LIMIT @most`)
      .pluck()
      .all({ ...within?.params, signs, most });
  // Most filters let most cards pass, and a list of all that pass takes longer than the scan.
  const most = Math.max(PRESELECTED.least, Math.ceil(PRESELECTED.share * cards));
  const compared = filter === undefined ? most : UNFILTERED * most;
  const first = bySigns(compared, undefined);
  const fit = passing(db, first, filter);
  const isEnough = fit.length >= most || first.length < compared;
  const ids = filter === undefined || isEnough ? fit : bySigns(most, filter);
  return db
    .prepare<object, number>(`
      SELECT card.id FROM json_each(@ids) CROSS JOIN ${name}_vector AS card ON card.id = value
      WHERE length(vector) = ${DIMENSIONS}
      ORDER BY vec_distance_l2(vec_int8(vector), vec_int8(@vector)), card.id
      LIMIT @limit`)
    .pluck()
    .all({ vector, ids: JSON.stringify(ids.slice(0, most)), limit });
}

/** The vectors of the cards of `ids` that have one. */
export function readVectors(
  db: Database,
  name: string,
  ids: readonly number[],
): Map<number, Int8Array> {
  return readBlobs(db, `${name}_vector`, 'vector', ids);
}

/** The vectors of the cards' passages, one after the other. */
export function readPassages(
  db: Database,
  name: string,
  ids: readonly number[],
): Map<number, Int8Array> {
  return readBlobs(db, `${name}_passages`, 'vectors', ids);
}

function readBlobs(db: Database, table: string, column: string, ids: readonly number[]) {
  const rows = db
    .prepare<{ ids: string }, [id: number, blob: Buffer]>(`
      SELECT card.id, ${column}
      FROM json_each(@ids) AS candidate
      CROSS JOIN ${table} AS card ON card.id = candidate.value
      WHERE length(${column}) % ${DIMENSIONS} = 0`)
    .raw()
    .all({ ids: JSON.stringify(ids) });
  return new Map(rows.map(([id, blob]) => [id, bytesOf(blob)]));
}

/** The cosine of each stored vector with a unit vector. */
export function cosinesOf(stored: Int8Array, unit: Float64Array): number[] {
  const cosines: number[] = [];
  for (let start = 0; start < stored.length; start += DIMENSIONS) {
    // Four sums at a time take half as long as one, whose additions wait for each other.
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let at = 0; at < DIMENSIONS; at += 4) {
      a += (stored[start + at] ?? 0) * (unit[at] ?? 0);
      b += (stored[start + at + 1] ?? 0) * (unit[at + 1] ?? 0);
      c += (stored[start + at + 2] ?? 0) * (unit[at + 2] ?? 0);
      d += (stored[start + at + 3] ?? 0) * (unit[at + 3] ?? 0);
    }
    cosines.push((a + b + c + d) / SCALE);
  }
  return cosines;
}

/** Adds `weight` times a stored vector to `sum`. */
export function addScaled(sum: Float64Array, stored: Int8Array, weight: number): void {
  for (let at = 0; at < DIMENSIONS; at += 1) {
    sum[at] = (sum[at] ?? 0) + (weight / SCALE) * (stored[at] ?? 0);
  }
}

/** Several vectors in one blob, one after the other; null for none. Throws when one is no unit vector. */
export function packVectors(vectors: readonly Float32Array[]): Buffer | null {
  return vectors.length === 0 ? null : quantise(vectors);
}

/** The components in a blob of `packVectors`, as `cosinesOf` takes them. */
export function bytesOf({ buffer, byteOffset, byteLength }: Buffer): Int8Array {
  return new Int8Array(buffer, byteOffset, byteLength);
}

/** The vectors in one blob, one after the other; throws when one is not a unit vector. */
function quantise(vectors: readonly Float32Array[]): Buffer {
  const bytes = new Int8Array(vectors.length * DIMENSIONS);
  for (const [index, vector] of vectors.entries()) {
    assertUnit(vector);
    const scaled = vector.map((value) =>
      Math.min(LARGEST, Math.max(-LARGEST, Math.round(value * SCALE))),
    );
    bytes.set(scaled, index * DIMENSIONS);
  }
  return Buffer.from(bytes.buffer);
}

/** The signs of a quantised vector, a bit per component. */
function signsOf(vector: Buffer): Buffer {
  const signs = Buffer.alloc(SIGN_BYTES);
  for (const [at, component] of bytesOf(vector).entries()) {
    if (component > 0) signs[at >> 3] = (signs[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return signs;
}

/**
 * Throws when a vector is not finite, not of length 1, or of the wrong dimension: one such row would
 * distort every ranking.
 */
function assertUnit(vector: Float32Array): void {
  if (vector.length !== DIMENSIONS) {
    throw new Error(`a vector has ${vector.length} components instead of ${DIMENSIONS}`);
  }
  let squares = 0;
  for (const component of vector) squares += component * component;
  if (!(Math.abs(Math.sqrt(squares) - 1) < UNIT_TOLERANCE)) {
    throw new Error(`a vector is not of unit length (squared length ${squares})`);
  }
}

/** Cosine of two unit vectors. */
export function cosineOf(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
