import type { Database } from 'better-sqlite3';
import { keepStatements } from '../statements.ts';
import { assertUnit } from '../vectors.ts';
import type { CountedStem } from './holders.ts';
import { packRows } from './quantise.ts';
import { tokenise } from './tokens.ts';

/**
 * What ranking reads of one card: its stems with their weighted counts, and the vectors of its
 * passages. Candidates are found by the words of FTS5 and by the vectors of the blocks; this is
 * where each candidate is judged as a whole.
 */

/** bm25's saturation of counts and its regard for length. */
const K1 = 1.2;
const B = 0.75;
/** Counts are kept in halves, so that a column may weigh 0.5. */
const HALVES = 2;
const LARGEST_COUNT = 65_535;
/** What a compound as one word counts beside its parts. */
const JOINED = 0.05;

export interface CardRow {
  id: number;
  /** Weighted number of stems. */
  length: number;
  /** Hashes of the stems, ascending (uint32), then their weighted counts in halves (uint16). */
  terms: Buffer;
}

/** Sums over all cards of an index, from which bm25 takes the rarity of a word. */
export interface Totals {
  cards: number;
  length: number;
}

export function createCards(db: Database, name: string): void {
  db.exec(`
    CREATE TABLE ${name}_card (
      id INTEGER PRIMARY KEY,
      length REAL NOT NULL,
      terms BLOB NOT NULL,
      passages BLOB
    ) STRICT;
    CREATE TABLE ${name}_total (cards INTEGER NOT NULL, length REAL NOT NULL) STRICT;
    INSERT INTO ${name}_total VALUES (0, 0)`);
}

/** Puts or replaces the stems of a card; its passages stay. */
export function writeTerms(
  db: Database,
  name: string,
  id: number,
  fields: readonly (readonly [stems: readonly string[], weight: number])[],
): void {
  const counts = new Map<number, number>();
  let length = 0;
  for (const [stems, weight] of fields) {
    length += stems.length * weight;
    for (const stem of stems) {
      const hash = hashStem(stem);
      counts.set(hash, (counts.get(hash) ?? 0) + weight);
    }
  }
  addTotals(db, name, id, { cards: 1, length });
  db.prepare(`
    INSERT INTO ${name}_card (id, length, terms) VALUES (@id, @length, @terms)
    ON CONFLICT (id) DO UPDATE SET length = excluded.length, terms = excluded.terms`).run({
    id,
    length,
    terms: packTerms(counts),
  });
}

/** Replaces the passages of a card that has its words. */
export function writePassages(
  db: Database,
  name: string,
  id: number,
  passages: readonly Float32Array[],
): void {
  for (const passage of passages) assertUnit(passage);
  const packed = passages.length === 0 ? null : packRows(passages);
  db.prepare(`UPDATE ${name}_card SET passages = @packed WHERE id = @id`).run({ id, packed });
}

export function removeCard(db: Database, name: string, id: number): void {
  addTotals(db, name, id, { cards: 0, length: 0 });
  db.prepare(`DELETE FROM ${name}_card WHERE id = @id`).run({ id });
}

/** Brings the totals from what the card counted before to what it will count. */
function addTotals(db: Database, name: string, id: number, after: Totals): void {
  const length = db
    .prepare<{ id: number }, number>(`SELECT length FROM ${name}_card WHERE id = @id`)
    .pluck()
    .get({ id });
  // By its rowid: an update of unknown extent would open a savepoint, at which FTS5 writes out what
  // it has gathered, card by card.
  db.prepare(`
    UPDATE ${name}_total SET cards = cards + @cards, length = length + @length
    WHERE rowid = 1`).run({
    cards: after.cards - (length === undefined ? 0 : 1),
    length: after.length - (length ?? 0),
  });
}

const selectTotals = keepStatements((db, name) =>
  db.prepare<[], Totals>(`SELECT cards, length FROM ${name}_total`),
);

export function readTotals(db: Database, name: string): Totals {
  const totals = selectTotals(db, name).get();
  return totals ?? { cards: 0, length: 0 };
}

export function averageLength({ cards, length }: Totals): number {
  return cards === 0 ? 1 : length / cards;
}

// One statement for all: a call for each row takes as long again as reading it.
const selectCards = keepStatements((db, name) =>
  db.prepare<{ ids: string }, CardRow>(`
    SELECT card.id, card.length, card.terms
    FROM json_each(@ids) AS sought CROSS JOIN ${name}_card AS card ON card.id = sought.value`),
);
const selectPassages = keepStatements((db, name) =>
  db
    .prepare<{ ids: string }, Buffer | null>(`
      SELECT card.passages
      FROM json_each(@ids) AS sought LEFT JOIN ${name}_card AS card ON card.id = sought.value`)
    .pluck(),
);

/** The rows of those of `ids` that the index holds, in their order. */
export function readCards(db: Database, name: string, ids: Iterable<number>): CardRow[] {
  return selectCards(db, name).all({ ids: JSON.stringify([...ids]) });
}

/** The passages of each card, in the order of `ids`, as `packRows` packs them; null without any. */
export function readPassages(
  db: Database,
  name: string,
  ids: readonly number[],
): (Buffer | null)[] {
  return selectPassages(db, name).all({ ids: JSON.stringify(ids) });
}

/** A stem of a query, ready to be looked for in cards. */
export interface Sought extends CountedStem {
  hash: number;
  /** Rarity: ln(1 + (cards without it + 0.5) / (cards with it + 0.5)). */
  idf: number;
}

export function soughtStem(counted: CountedStem, { cards }: Totals): Sought {
  const { stem, isJoined, holders } = counted;
  const without = Math.max(0, cards - holders);
  const rarity = Math.log(1 + (without + 0.5) / (holders + 0.5));
  return { ...counted, hash: hashStem(stem), idf: isJoined ? JOINED * rarity : rarity };
}

/**
 * How much of the query a card says, by its words: bm25 as a share of what a card could reach that
 * repeats every word without end, 0..1; and the share of the words that it holds at all, each weighed
 * by its rarity.
 */
export function scoreWords(
  card: CardRow,
  sought: readonly Sought[],
  averageLength: number,
): { words: number; held: number } {
  const count = card.terms.length / 6;
  const { buffer, byteOffset } = aligned(card.terms);
  const hashes = new Uint32Array(buffer, byteOffset, count);
  const counts = new Uint16Array(buffer, byteOffset + 4 * count, count);
  const norm = K1 * (1 - B + (B * card.length) / Math.max(averageLength, 1));
  let [score, possible, held, asked] = [0, 0, 0, 0];
  for (const { hash, idf, isJoined, holders } of sought) {
    possible += idf;
    if (!isJoined) asked += idf;
    // Another stem may share the hash of one that no card holds.
    if (holders === 0) continue;
    const at = indexOf(hashes, hash);
    if (at < 0) continue;
    const tf = (counts[at] ?? 0) / HALVES;
    score += (idf * tf) / (tf + norm);
    if (!isJoined) held += idf;
  }
  return {
    words: possible === 0 ? 0 : score / possible,
    held: asked === 0 ? 0 : held / asked,
  };
}

/** What a query says in all: the rarities of its words, compounds by their parts alone. */
export function rarityOf(sought: readonly Sought[]): number {
  return sought.reduce((sum, { idf, isJoined }) => sum + (isJoined ? 0 : idf), 0);
}

/** Share of some names that a card holds, each in one of its ways; 1 where there are none. */
export function shareHeld(
  card: CardRow,
  names: readonly (readonly (readonly number[])[])[],
): number {
  if (names.length === 0) return 1;
  const hashes = hashesOf(card);
  const held = names.filter((ways) =>
    ways.some((stems) => stems.every((hash) => indexOf(hashes, hash) >= 0)),
  );
  return held.length / names.length;
}

function hashesOf({ terms }: CardRow): Uint32Array {
  const { buffer, byteOffset } = aligned(terms);
  return new Uint32Array(buffer, byteOffset, terms.length / 6);
}

function packTerms(counts: ReadonlyMap<number, number>): Buffer {
  const sorted = [...counts].sort(([a], [b]) => a - b);
  const packed = Buffer.alloc(sorted.length * 6);
  for (const [index, [hash, count]] of sorted.entries()) {
    packed.writeUInt32LE(hash, 4 * index);
    const halves = Math.min(LARGEST_COUNT, Math.round(count * HALVES));
    packed.writeUInt16LE(halves, 4 * sorted.length + 2 * index);
  }
  return packed;
}

/** Typed arrays need their bytes at a multiple of four. */
function aligned(bytes: Buffer): { buffer: ArrayBufferLike; byteOffset: number } {
  return bytes.byteOffset % 4 === 0
    ? bytes
    : { buffer: new Uint8Array(bytes).buffer, byteOffset: 0 };
}

function indexOf(sorted: Uint32Array, value: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = sorted[middle] ?? 0;
    if (found === value) return middle;
    if (found < value) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** FNV-1a of 32 bits: of a card's hundred stems two hardly ever share a value. */
export function hashStem(stem: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < stem.length; at += 1) {
    hash = Math.imul(hash ^ stem.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

/** The stems of each column with the column's weight. */
export function weighTexts(
  texts: Readonly<Record<string, string>>,
  columns: Readonly<Record<string, number>>,
): { column: string; stems: string[]; weight: number }[] {
  return Object.entries(columns).map(([column, weight]) => ({
    column,
    stems: tokenise(texts[column] ?? ''),
    weight,
  }));
}
