import type { Database } from 'better-sqlite3';
import type { Filter } from '../filter.ts';
import type { WeightedTerm } from './terms.ts';

/**
 * The text of an index in FTS5, as our own stems separated by spaces. FTS5 retrieves candidates;
 * ranking reads the stems back.
 */

/** Postings that one search may score as a share of the cards, and on a small shelf. */
const POSTINGS = { share: 0.07, least: 1_000 };
/** How many of the rarest terms a card should contain when not all terms fit. */
const MAX_TOGETHER = 4;

export function createTermsTable(db: Database, name: string, columns: readonly string[]): void {
  db.exec(`
    CREATE VIRTUAL TABLE ${name}_terms USING fts5(
      ${columns.join(', ')},
      tokenize = 'unicode61 remove_diacritics 0'
    );
    CREATE VIRTUAL TABLE ${name}_vocabulary USING fts5vocab(${name}_terms, 'row')`);
}

/** Inserts or replaces the stems of a card, by column. */
export function writeStems(
  db: Database,
  name: string,
  id: number,
  columns: Readonly<Record<string, readonly string[]>>,
): void {
  const names = Object.keys(columns);
  const texts = Object.entries(columns).map(([column, stems]) => [column, stems.join(' ')]);
  db.prepare(`
    INSERT OR REPLACE INTO ${name}_terms (rowid, ${names.join(', ')})
    VALUES (@id, ${names.map((column) => `@${column}`).join(', ')})`).run({
    ...Object.fromEntries(texts),
    id,
  });
}

export function removeStems(db: Database, name: string, id: number): void {
  db.prepare(`DELETE FROM ${name}_terms WHERE rowid = @id`).run({ id });
}

export interface LexicalQuery {
  name: string;
  /** BM25 weight of each column, in their order. */
  weights: readonly number[];
  terms: readonly WeightedTerm[];
  filter: Filter | undefined;
  limit: number;
  /** Number of cards in the index. */
  cards: number;
  /**
   * The most postings to score, at about a microsecond each. Only the rarest terms that fit retrieve
   * cards; the others add to the scores.
   */
  postings: number;
}

/**
 * About `limit` cards that match a query: the best by BM25 among those with a rare term and, if these
 * are too few, among those that contain the rarest terms together.
 */
export function findByTerms(db: Database, query: LexicalQuery): number[] {
  const known = query.terms
    .filter(({ documentFrequency }) => documentFrequency > 0)
    .sort((a, b) => a.documentFrequency - b.documentFrequency);
  const allowed = Math.min(query.postings, Math.max(POSTINGS.least, POSTINGS.share * query.cards));
  let postings = 0;
  const rare = known.filter(({ documentFrequency }) => {
    postings += documentFrequency;
    return postings <= allowed;
  });
  const found = rare.length === 0 ? [] : match(db, query, join(rare, 'OR'));
  if (rare.length === known.length || found.length >= query.limit) return found;
  return [...new Set([...found, ...findTogether(db, query, known)])];
}

/** Cards that contain as many of the rarest terms together as possible. */
function findTogether(db: Database, query: LexicalQuery, terms: readonly WeightedTerm[]): number[] {
  for (let count = Math.min(MAX_TOGETHER, terms.length); count > 0; count -= 1) {
    const found = match(db, query, join(terms.slice(0, count), 'AND'));
    if (found.length > 0) return found;
  }
  return [];
}

function match(db: Database, query: LexicalQuery, expression: string): number[] {
  const { name, weights, filter, limit } = query;
  // The plus makes FTS5 look the terms up once, not once for each card that passes the filter.
  return db
    .prepare<object, number>(`
      SELECT rowid, bm25(${name}_terms, ${weights.join(', ')}) AS bm25
      FROM ${name}_terms
      WHERE ${name}_terms MATCH @expression AND ${passes(`+${name}_terms.rowid`, filter)}
      ORDER BY bm25, rowid
      LIMIT @limit`)
    .pluck()
    .all({ ...filter?.params, expression, limit });
}

/** SQL condition that a card passes the filter, checked card by card, since few match the query. */
function passes(column: string, filter: Filter | undefined): string {
  if (filter === undefined) return 'true';
  const { from, id, where } = filter;
  return `EXISTS (SELECT 1 FROM ${from} WHERE ${id} = ${column} AND (${where}))`;
}

/** Quotes the terms, so that FTS5 reads none of them as an operator. */
function join(terms: readonly WeightedTerm[], operator: 'AND' | 'OR'): string {
  return terms.map(({ term }) => `"${term}"`).join(` ${operator} `);
}
