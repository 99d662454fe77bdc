import type { Database } from 'better-sqlite3';
import type { Reader } from '../core/reader.ts';
import { keptTable, write } from '../store/connection.ts';
import { type Filter, listPassing, passing, selectIds } from './lexical.ts';

/** Dimension of every vector in the store. */
export const DIMENSIONS = 384;
/** Tolerance for a vector's length, to allow for float32 rounding. */
const UNIT_TOLERANCE = 1e-3;
/**
 * Factor from a component to its signed byte. It is the same for all vectors, so that distances order cards
 * as cosines do; components of a unit embedding stay well below 1/3.
 */
const SCALE = 127 * 3;
const LARGEST = 127;
/**
 * How many cards to preselect by the signs of their vectors, before comparing bytes: a share of all, but no
 * fewer than `least`. Of 10,000 papers, 1,000 include 98% of the ten nearest and 95% of the forty nearest.
 */
const PRESELECTED = { least: 1_000, share: 1 / 30 };
/** Factor by which the number of preselected cards grows until enough of them pass the filter. */
const WIDER = 3;
/** Size of a vector's signs in bytes and in 32-bit words. */
const SIGN_BYTES = DIMENSIONS / 8;
const SIGN_WORDS = SIGN_BYTES / 4;
const ROW = 1 + SIGN_WORDS;

export interface CardVectors {
  id: number;
  /** Embedding of the whole card, for retrieval and ranking. */
  vector: Float32Array;
  /** Embeddings of the card's sentences or sections, for ranking only. */
  passages?: readonly Float32Array[];
}

export function removeVectors(db: Database, name: string, id: number): void {
  db.prepare(`DELETE FROM ${name}_vector WHERE id = @id`).run({ id });
  db.prepare(`DELETE FROM ${name}_passages WHERE id = @id`).run({ id });
}

/** Ids of the cards whose stored vectors or signs have the wrong length; reads all of them. */
export function listDamagedVectors(db: Database, name: string): number[] {
  const sql = `
    SELECT id FROM ${name}_vector
    WHERE length(vector) <> @dimensions OR length(signs) <> ${SIGN_BYTES}
    UNION SELECT id FROM ${name}_passages WHERE length(vectors) % @dimensions <> 0`;
  return selectIds(db, sql, { dimensions: DIMENSIONS });
}

/** Removes all vectors of each card that has a damaged one; `setDue` queues the card for new vectors. */
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

/** Ids of the cards nearest to a unit vector, in order, ties by smaller id; `cards` is the index size. */
export function findNearest(
  db: Reader,
  name: string,
  unit: Float32Array,
  { limit, cards, filter }: { limit: number; cards: number; filter?: Filter | undefined },
): number[] {
  const vector = quantise([unit]);
  const most = Math.max(PRESELECTED.least, Math.ceil(PRESELECTED.share * cards));
  const ids = preselect(db, name, wordsOf(signsOf(vector)), { most, cards, filter });
  const sql = `
    SELECT card.id FROM json_each(@ids) CROSS JOIN ${name}_vector AS card ON card.id = value
    WHERE length(vector) = ${DIMENSIONS}
    ORDER BY vec_distance_l2(vec_int8(vector), vec_int8(@vector)), card.id
    LIMIT @limit`;
  return selectIds(db, sql, { vector, ids: JSON.stringify(ids), limit });
}

/** Ids of the cards that pass the filter and have the nearest signs: at least `most`, unless fewer pass. */
function preselect(
  db: Reader,
  name: string,
  signs: Int32Array,
  { most, cards, filter }: { most: number; cards: number; filter: Filter | undefined },
): readonly number[] {
  const few = filter === undefined ? null : listPassing(db, filter, most);
  if (few !== null && few.length < most) return few;
  const table = readSigns(db, name);
  for (let compared = most; ; compared *= WIDER) {
    const ids = passing(db, withNearestSigns(table, signs, compared), filter);
    if (ids.length >= most || compared >= cards) return ids;
  }
}

/**
 * A row per card: its id, then its signs as 32-bit words. Cached, because reading 30,000 cards takes 9 ms.
 * Comparing their signs takes 5 ms in SQL, but less than 1 ms in JavaScript.
 */
function readSigns(db: Reader, name: string): Int32Array {
  return keptTable(db, `${name}_vector`, () => {
    const [ids, signs] = db
      .prepare<[], [ids: string | null, signs: string | null]>(`
        SELECT group_concat(id), group_concat(hex(signs), '') FROM ${name}_vector
        WHERE length(signs) = ${SIGN_BYTES}`)
      .raw()
      .get() ?? [null, null];
    const rows = ids === null ? [] : ids.split(',');
    const words = wordsOf(Buffer.from(signs ?? '', 'hex'));
    const table = new Int32Array(rows.length * ROW);
    for (const [at, id] of rows.entries()) {
      table[at * ROW] = Number(id);
      table.set(words.subarray(at * SIGN_WORDS, (at + 1) * SIGN_WORDS), at * ROW + 1);
    }
    return table;
  });
}

function wordsOf({ buffer, byteOffset, byteLength }: Buffer): Int32Array {
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}

/** Ids of the `count` rows that differ least from `signs`, and of all rows tied with the last of them. */
function withNearestSigns(table: Int32Array, signs: Int32Array, count: number): number[] {
  const distances = new Uint16Array(table.length / ROW);
  const rowsAt = new Uint32Array(DIMENSIONS + 1);
  for (let row = 0; row < distances.length; row += 1) {
    let distance = 0;
    for (let word = 0; word < SIGN_WORDS; word += 1) {
      distance += countBits((table[row * ROW + 1 + word] ?? 0) ^ (signs[word] ?? 0));
    }
    distances[row] = distance;
    rowsAt[distance] = (rowsAt[distance] ?? 0) + 1;
  }
  let farthest = -1;
  for (let within = 0; within < count && farthest < DIMENSIONS; ) {
    farthest += 1;
    within += rowsAt[farthest] ?? 0;
  }
  const ids: number[] = [];
  // Avoid entries(), which would allocate a pair for each card.
  for (let row = 0; row < distances.length; row += 1) {
    if ((distances[row] ?? 0) <= farthest) ids.push(table[row * ROW] ?? 0);
  }
  return ids;
}

/** Population count: sums bits in pairs, then in fours; the product adds up the bytes. */
function countBits(word: number): number {
  const twos = word - ((word >>> 1) & 0x55555555);
  const fours = (twos & 0x33333333) + ((twos >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Stored vectors by card id, or all passage vectors of each card, concatenated; omits damaged ones. */
export function readVectors(
  db: Reader,
  name: string,
  ids: readonly number[],
  of: 'card' | 'passages' = 'card',
): Map<number, Int8Array> {
  const [table, column] =
    of === 'card' ? [`${name}_vector`, 'vector'] : [`${name}_passages`, 'vectors'];
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

/** The cosine of a unit vector with each of the concatenated stored vectors. */
export function cosinesOf(stored: Int8Array, unit: Float64Array): number[] {
  const cosines: number[] = [];
  for (let start = 0; start < stored.length; start += DIMENSIONS) {
    // Four running sums take half as long as one: with one, each addition waits for the last.
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

/** Like `quantise`, but null for no vectors. */
export function packVectors(vectors: readonly Float32Array[]): Buffer | null {
  return vectors.length === 0 ? null : quantise(vectors);
}

/** The quantised components in a blob, as `cosinesOf` expects them. */
export function bytesOf({ buffer, byteOffset, byteLength }: Buffer): Int8Array {
  return new Int8Array(buffer, byteOffset, byteLength);
}

/** The vectors, quantised and concatenated; throws if one is not a unit vector. */
export function quantise(vectors: readonly Float32Array[]): Buffer {
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

/** The signs of a quantised vector, one bit per component: 1 if it is positive. */
export function signsOf(vector: Buffer): Buffer {
  const signs = Buffer.alloc(SIGN_BYTES);
  for (const [at, component] of bytesOf(vector).entries()) {
    if (component > 0) signs[at >> 3] = (signs[at >> 3] ?? 0) | (1 << (at & 7));
  }
  return signs;
}

/** Throws unless a vector has length 1 and the right dimension: a bad one would distort every ranking. */
function assertUnit(vector: Float32Array): void {
  if (vector.length !== DIMENSIONS) {
    throw new Error(`a vector has ${vector.length} components instead of ${DIMENSIONS}`);
  }
  let squares = 0;
  for (const component of vector) squares += component * component;
  const length = Math.sqrt(squares);
  if (!(Math.abs(length - 1) < UNIT_TOLERANCE)) {
    throw new Error(`a vector has length ${length} instead of 1`);
  }
}

export function cosineOf(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
