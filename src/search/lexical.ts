import type { Reader } from '../core/reader.ts';
import { countsOf } from '../store/connection.ts';
import type { SynonymMatch } from './synonyms.ts';
import { plainStems, tokenise } from './tokenise.ts';

// FTS5 indexes our own stems of each text, separated by spaces, and retrieves candidates for ranking.

/** Maximum number of cards retrieved by title. */
const TITLES = 50;
/** Maximum number of terms, rarest first, that candidates must contain together. */
const MAX_TOGETHER = 4;
/** Maximum number of spaces of an excluded phrase that are also read as a hyphen. */
const MAX_HYPHENATED = 8;
/** Number of document frequencies cached per connection and index before the cache is cleared. */
const REMEMBERED = 4_096;

/** An SQL condition on cards, applied before ranking. */
export interface Filter {
  /** The table and its alias. */
  from: string;
  /** The card's id column, under that alias. */
  id: string;
  /** Condition on the columns of the table. */
  where: string;
  params: Readonly<Record<string, string | number>>;
}

/** The filter, extended to exclude cards that contain any of the words or phrases. */
export function withoutPhrases(
  name: string,
  filter: Filter | undefined,
  phrases: readonly string[],
): Filter | undefined {
  const quoted = phrases
    .flatMap((phrase) => [plainStems(phrase), ...[phrase, ...hyphenate(phrase)].map(tokenise)])
    .filter((stems) => stems.length > 0);
  if (quoted.length === 0) return filter;
  const all = { from: `${name}_indexed AS every_card`, id: 'every_card.id', where: 'true' };
  const { from, id, where, params = {} } = { ...all, ...filter };
  const excluded = `SELECT rowid FROM ${name}_terms WHERE ${name}_terms MATCH @excluded`;
  return {
    from,
    id,
    where: `(${where}) AND ${id} NOT IN (${excluded})`,
    params: { ...params, excluded: quoted.map((stems) => `"${stems.join(' ')}"`).join(' OR ') },
  };
}

/**
 * The phrase with one of its first spaces as a hyphen: the index has "long-short fund" as "long short longshort
 * fund". Only the first ones, because this takes quadratic time.
 */
function hyphenate(phrase: string): string[] {
  const spaces = [...phrase.matchAll(/ /g)].slice(0, MAX_HYPHENATED);
  return spaces.map(({ index }) => `${phrase.slice(0, index)}-${phrase.slice(index + 1)}`);
}

/** A stem of a query, weighted by its rarity. */
export interface WeightedTerm {
  term: string;
  /** Number of cards that contain the term. */
  documentFrequency: number;
  /** ln(1 + (cards without the term + 0.5) / (cards with it + 0.5)). */
  idf: number;
}

interface LexicalQuery {
  name: string;
  /** BM25 weights of the columns, in order. */
  weights: readonly number[];
  terms: readonly WeightedTerm[];
  filter: Filter | undefined;
  limit: number;
  /** Maximum number of postings to score for rare terms, at about a microsecond each. */
  postings: number;
}

/**
 * Ids of the cards with any of the rarest terms, best first by BM25; `postings` limits the number of terms.
 * If this omits terms and finds fewer cards than `limit`, adds those of `findTogether`.
 */
export function findByTerms(db: Reader, query: LexicalQuery): number[] {
  const stored = query.terms
    .filter(({ documentFrequency }) => documentFrequency > 0)
    .sort((a, b) => a.documentFrequency - b.documentFrequency);
  let postings = 0;
  const rare = stored.filter(({ documentFrequency }) => {
    postings += documentFrequency;
    return postings <= query.postings;
  });
  const matches = rare.length === 0 ? [] : match(db, query, join(rare, 'OR'));
  if (rare.length === stored.length || matches.length >= query.limit) return matches;
  return [...new Set([...matches, ...findTogether(db, query, stored)])];
}

/** Ids of the cards with all of the rarest terms, at most `MAX_TOGETHER`; drops the commonest until one matches. */
function findTogether(db: Reader, query: LexicalQuery, terms: readonly WeightedTerm[]): number[] {
  for (let count = Math.min(MAX_TOGETHER, terms.length); count > 0; count -= 1) {
    const matches = match(db, query, join(terms.slice(0, count), 'AND'));
    if (matches.length > 0) return matches;
  }
  return [];
}

function match(db: Reader, query: LexicalQuery, expression: string): number[] {
  const { name, weights, filter, limit } = query;
  const sql = `
    SELECT rowid, bm25(${name}_terms, ${weights.join(', ')}) AS bm25
    FROM ${name}_terms
    WHERE ${name}_terms MATCH @expression
    ORDER BY bm25, rowid
    LIMIT @most`;
  // In SQLite, a limit of -1 means no limit.
  const ids = selectIds(db, sql, { expression, most: filter === undefined ? limit : -1 });
  return passing(db, ids, filter).slice(0, limit);
}

/**
 * Number of cards that pass the filter and contain, for each term, the term itself or a synonym of the name
 * that it belongs to; 0 without terms.
 */
export function countHolding(
  db: Reader,
  name: string,
  terms: readonly WeightedTerm[],
  synonyms: readonly SynonymMatch[],
  filter: Filter | undefined,
): number {
  const isNamed = (stem: string) => synonyms.some(({ name }) => name.includes(stem));
  const isNowhere = ({ term, documentFrequency }: WeightedTerm) =>
    documentFrequency === 0 && !isNamed(term);
  if (terms.length === 0 || terms.some(isNowhere)) return 0;
  const all = (some: readonly string[]) => `(${some.map((stem) => `"${stem}"`).join(' AND ')})`;
  const underAnyName = (stem: string) => {
    const others = synonyms.flatMap((match) => (match.name.includes(stem) ? match.others : []));
    return `(${[[stem], ...others].map(all).join(' OR ')})`;
  };
  // CROSS JOIN fixes the order: SQLite might otherwise query FTS5 for each card that passes the filter.
  const join = filter && `CROSS JOIN ${filter.from} ON ${filter.id} = ${name}_terms.rowid`;
  return (
    db
      .prepare<object, number>(`
        SELECT count(*) FROM ${name}_terms ${join ?? ''}
        WHERE ${name}_terms MATCH @expression AND (${filter?.where ?? 'true'})`)
      .pluck()
      .get({
        ...filter?.params,
        expression: terms.map(({ term }) => underAnyName(term)).join(' AND '),
      }) ?? 0
  );
}

/** Ids of cards whose title contains these words as a phrase, best first, at most `TITLES`. */
export function findByTitleWords(db: Reader, name: string, title: string): number[] {
  const stems = tokenise(title);
  if (stems.length === 0) return [];
  const sql = `SELECT rowid FROM ${name}_terms WHERE ${name}_terms MATCH @phrase ORDER BY rank LIMIT ${TITLES}`;
  return selectIds(db, sql, { phrase: `title : "${stems.join(' ')}"` });
}

/** Ids of cards that pass a filter, in any order, up to a limit. */
export function listPassing(db: Reader, filter: Filter, limit: number): number[] {
  const { from, id, where, params } = filter;
  const sql = `SELECT ${id} FROM ${from} WHERE ${where} LIMIT @limit`;
  return selectIds(db, sql, { ...params, limit });
}

/** The card ids in the first column of the rows. */
export function selectIds(db: Reader, sql: string, params: object): number[] {
  return db.prepare<object, number>(sql).pluck().all(params);
}

/**
 * The `ids` that pass the filter, in order. CROSS JOIN forces a look-up per id: with statistics from the
 * small starter shelf, SQLite might otherwise read all cards that pass.
 */
export function passing(
  db: Reader,
  ids: readonly number[],
  filter: Filter | undefined,
): readonly number[] {
  if (filter === undefined) return ids;
  const { from, id, where, params } = filter;
  const sql = `
    SELECT candidate.value FROM json_each(@candidates) AS candidate
    CROSS JOIN ${from} ON ${id} = candidate.value WHERE (${where})`;
  const fitting = new Set(selectIds(db, sql, { ...params, candidates: JSON.stringify(ids) }));
  return ids.filter((id) => fitting.has(id));
}

/** An FTS5 expression of quoted terms: an unquoted one might be read as an operator. */
function join(terms: readonly WeightedTerm[], operator: 'AND' | 'OR'): string {
  return terms.map(({ term }) => `"${term}"`).join(` ${operator} `);
}

/**
 * Number of cards per stem; omits stems that no card contains. Cached, because SQLite takes half a millisecond
 * to count a common stem.
 */
export function readDocumentFrequencies(
  db: Reader,
  name: string,
  stems: readonly string[],
): Map<string, number> {
  const byStem = countsOf(db, name);
  if (byStem.size > REMEMBERED) byStem.clear();
  const unread = stems.filter((stem) => !byStem.has(stem));
  const sql = `SELECT term, doc FROM json_each(@stems) CROSS JOIN ${name}_vocabulary ON term = value`;
  const rows = db.prepare<object, [stem: string, frequency: number]>(sql).raw();
  const counted = new Map(unread.length === 0 ? [] : rows.all({ stems: JSON.stringify(unread) }));
  for (const stem of unread) byStem.set(stem, counted.get(stem) ?? 0);
  return new Map(
    stems.map((stem) => [stem, byStem.get(stem) ?? 0] as const).filter(([, cards]) => cards > 0),
  );
}

export function countCards(db: Reader, name: string): number {
  return db.prepare<[], number>(`SELECT count(*) FROM ${name}_indexed`).pluck().get() ?? 0;
}

/**
 * Drops stems that are not in the index; stems that only hidden cards contain may remain. `stems` must all
 * begin with `letter`, whose terms are read as one range and cached: cheaper than a few hundred look-ups.
 */
export function keepIndexed(
  db: Reader,
  name: string,
  letter: string,
  stems: readonly string[],
): string[] {
  const vocabulary = countsOf(db, `${name} ${letter}`);
  if (vocabulary.size === 0) {
    // Read no counts: they take a hundred times as long while the user's own papers are hidden.
    const sql = `SELECT term FROM ${name}_vocabulary WHERE term >= @letter AND term < @end`;
    const terms = db.prepare<object, string>(sql).pluck();
    for (const term of terms.iterate({ letter, end: `${letter}\u{10ffff}` })) {
      vocabulary.set(term, 1);
    }
  }
  return stems.filter((stem) => vocabulary.has(stem));
}
