import type { Database } from 'better-sqlite3';
import { DIMENSIONS, vectorBlob } from './vectors.ts';
import { anyOf, contentWords } from './words.ts';

/**
 * Hybrid search: words (FTS5, bm25) and vectors (sqlite-vec, exact cosine) over one set of cards,
 * fused into one score. It knows no domain: an area names its index and its columns.
 */
export interface SearchIndex {
  /** Prefix of the index's tables. */
  name: string;
  /** Text columns with their bm25 weights. */
  columns: Readonly<Record<string, number>>;
}

/** The constants of ranking, in one place. */
export const RANKING = {
  /** Candidates taken from each ranker before fusion. */
  depth: 100,
  /** Share of the vectors in the fused score; the rest belongs to the words. */
  vectorShare: 0.7,
} as const;

export interface SearchQuery {
  text: string;
  /** Vector of the same text, or null when there is no model: then words alone rank. */
  vector: Float32Array | null;
  limit: number;
  /** Restricts the search itself to the ids that this SELECT yields. */
  within?: { select: string; params: Readonly<Record<string, string | number>> };
}

export interface Hit {
  id: number;
  /** Fused score in 0..1; hits come in its descending order. */
  score: number;
  /** Cosine of query and card; null when vectors did not take part or the card has none. */
  cosine: number | null;
  /** Share of the query's content words that the card contains, 0..1. */
  coverage: number;
}

export function createSearchIndex(db: Database, index: SearchIndex): void {
  db.exec(`
    CREATE VIRTUAL TABLE ${index.name}_words USING fts5(
      ${Object.keys(index.columns).join(', ')},
      content = '', contentless_delete = 1,
      tokenize = 'porter unicode61 remove_diacritics 2'
    );
    CREATE VIRTUAL TABLE ${index.name}_vectors USING vec0(
      embedding float[${DIMENSIONS}] distance_metric=cosine
    )`);
}

/** Puts or replaces the words of one card. Call it inside the transaction that writes the card. */
export function indexWords(
  db: Database,
  index: SearchIndex,
  id: number,
  texts: Readonly<Record<string, string>>,
): void {
  const columns = Object.keys(index.columns);
  db.prepare(`DELETE FROM ${index.name}_words WHERE rowid = @id`).run({ id });
  db.prepare(`
    INSERT INTO ${index.name}_words (rowid, ${columns.join(', ')})
    VALUES (@id, ${columns.map((column) => `@${column}`).join(', ')})`).run({ ...texts, id });
}

/** Puts or replaces the vector of one card; throws when the vector is not a unit vector. */
export function indexVector(
  db: Database,
  index: SearchIndex,
  id: number,
  vector: Float32Array,
): void {
  const embedding = vectorBlob(vector);
  // vec0 has no upsert and takes integers as BigInt only.
  db.prepare(`DELETE FROM ${index.name}_vectors WHERE rowid = @id`).run({ id: BigInt(id) });
  db.prepare(`
    INSERT INTO ${index.name}_vectors (rowid, embedding)
    VALUES (@id, @embedding)`).run({ id: BigInt(id), embedding });
}

/** Takes one card out of the index. */
export function removeFromIndex(db: Database, index: SearchIndex, id: number): void {
  db.prepare(`DELETE FROM ${index.name}_words WHERE rowid = @id`).run({ id });
  db.prepare(`DELETE FROM ${index.name}_vectors WHERE rowid = @id`).run({ id: BigInt(id) });
}

/**
 * The best cards for a query, best first.
 * Fused score = share x cosine + (1 - share) x relative bm25 x coverage of the best word match,
 * so that a query whose words hardly occur does not look like a match. Ties go to the older id.
 */
export function searchHybrid(db: Database, index: SearchIndex, query: SearchQuery): Hit[] {
  const words = contentWords(query.text);
  const byWords = rankByWords(db, index, query, words);
  const byVector = query.vector === null ? null : rankByVector(db, index, query, query.vector);
  const best = Math.max(0, ...byWords.values());
  const bestWordId = [...byWords.entries()].find(([, bm25]) => bm25 === best)?.[0];
  const trust = bestWordId === undefined ? 0 : coverage(db, index, bestWordId, words);
  const ids = new Set([...byWords.keys(), ...(byVector?.keys() ?? [])]);
  const fused = [...ids].map((id) => {
    const wordScore = best > 0 ? ((byWords.get(id) ?? 0) / best) * trust : 0;
    const cosine = byVector?.get(id) ?? null;
    const score =
      byVector === null
        ? wordScore
        : RANKING.vectorShare * Math.max(0, cosine ?? 0) + (1 - RANKING.vectorShare) * wordScore;
    return { id, score: Math.min(1, score), cosine };
  });
  fused.sort((a, b) => b.score - a.score || a.id - b.id);
  return fused
    .slice(0, query.limit)
    .map((hit) => ({ ...hit, coverage: coverage(db, index, hit.id, words) }));
}

function rankByWords(
  db: Database,
  index: SearchIndex,
  query: SearchQuery,
  words: readonly string[],
): Map<number, number> {
  if (words.length === 0) return new Map();
  const weights = Object.values(index.columns).join(', ');
  const rows = db
    .prepare<object, { id: number; bm25: number }>(`
      SELECT rowid AS id, bm25(${index.name}_words, ${weights}) AS bm25
      FROM ${index.name}_words
      WHERE ${index.name}_words MATCH @match ${withinClause(query, '+rowid')}
      ORDER BY bm25
      LIMIT @depth`)
    .all({ ...query.within?.params, match: anyOf(words), depth: RANKING.depth });
  // FTS5 gives better matches the more negative number.
  return new Map(rows.map((row) => [row.id, -row.bm25]));
}

function rankByVector(
  db: Database,
  index: SearchIndex,
  query: SearchQuery,
  vector: Float32Array,
): Map<number, number> {
  const rows = db
    .prepare<object, { id: number; distance: number }>(`
      SELECT rowid AS id, distance
      FROM ${index.name}_vectors
      WHERE embedding MATCH @vector AND k = ${RANKING.depth} ${withinClause(query, 'rowid')}`)
    .all({ ...query.within?.params, vector: vectorBlob(vector) });
  return new Map(rows.map((row) => [row.id, 1 - row.distance]));
}

/**
 * The restriction as SQL. vec0 takes `rowid IN` into its scan. FTS5 would look every admitted row
 * up instead of the words; the plus keeps the words in the lead.
 */
function withinClause(query: SearchQuery, column: 'rowid' | '+rowid'): string {
  return query.within === undefined ? '' : `AND ${column} IN (${query.within.select})`;
}

function coverage(db: Database, index: SearchIndex, id: number, words: readonly string[]): number {
  if (words.length === 0) return 0;
  const contains = db.prepare(`
    SELECT 1 FROM ${index.name}_words WHERE ${index.name}_words MATCH @match AND rowid = @id`);
  // As BigInt: a number is bound as REAL, and FTS5 then leaves the rowid out of the condition.
  const rowid = BigInt(id);
  const found = words.filter(
    (word) => contains.get({ match: `"${word}"`, id: rowid }) !== undefined,
  );
  return found.length / words.length;
}
