import type { Database } from 'better-sqlite3';
import type { Reader } from '../core/reader.ts';
import type { Synonyms } from './synonyms.ts';
import { tokenise } from './tokenise.ts';
import { type CardVectors, quantise, removeVectors, signsOf } from './vectors.ts';
import type { VerdictModel } from './verdict.ts';

/**
 * What search needs to know about a kind of card. The area's schema creates the tables: `NAME_terms` with the
 * stemmed text for FTS5, `NAME_vocabulary` with its terms, `NAME_indexed` with the indexed ids, and
 * `NAME_vector` and `NAME_passages` with the embeddings.
 */
export interface SearchProfile {
  /** Prefix of the index's table names. */
  name: string;
  /** Text columns, title first, with their BM25 weights; 0 makes a column searchable but not scored. */
  columns: Readonly<Record<string, number>>;
  /** From data/fitted.json. */
  fitted: Readonly<Record<'hybrid' | 'lexical', Fitted>>;
  /** Advice for a question that has no words or is vague: what to name in it. */
  hint: string;
  synonyms?: Synonyms;
  /**
   * Matches terms that the verdict and `holding` ignore if the question has other terms; in the ranking they
   * weigh no more than the rarest of these.
   */
  aside?: RegExp;
  compare?: (question: string, now: Date) => Comparison;
  /** The `ids` that card `id` must stand out from, such as cards of its venue; by default all. */
  peersOf?: (db: Reader, id: number, ids: readonly number[]) => ReadonlySet<number>;
}

/** Fitted parameters for a kind of card, in hybrid or lexical-only search. */
interface Fitted {
  weights: Weights;
  /** Score bonus for a preferred card. */
  boost: number;
  verdict: VerdictModel;
}

/** Weights of a card's features, most of them in `Match`; the first four sum to 1. */
export interface Weights {
  bm25: number;
  coverage: number;
  card: number;
  passage: number;
  /** Vector similarity to the best cards; 0 in lexical-only search. */
  feedback: number;
  title: number;
  /** Penalty for each name, date or side in which a card differs from the query. */
  mismatch: number;
}

/** The names, dates and sides, such as above or below, in a question that a card should share. */
export interface Comparison {
  /** Stems that `countMismatches` looks up in a card. */
  stems: readonly string[];
  /** Whether a stem is a number, a date or a side; a card that shares only such stems is no answer. */
  isDetail(stem: string): boolean;
  countMismatches(card: ComparedCard): number;
}

export interface ComparedCard {
  title: string;
  /** Stemmed text of each column with a weight of at least 1, including the title. */
  inFull: readonly string[];
  /** Whether a column of `inFull` contains a stem, or a synonym of the name that it belongs to. */
  says(stem: string): boolean;
  /** Whether any scored column contains a stem, or a synonym of the name that it belongs to. */
  has(stem: string): boolean;
}

/** Inserts or replaces a card's text. Call this inside the transaction that writes the card. */
export function indexText(
  db: Database,
  { name, columns }: Pick<SearchProfile, 'name' | 'columns'>,
  id: number,
  texts: Readonly<Record<string, string>>,
): void {
  const names = Object.keys(columns);
  const stems = names.map((column) => [column, tokenise(texts[column] ?? '').join(' ')]);
  db.prepare(`
    INSERT OR REPLACE INTO ${name}_terms (rowid, ${names.join(', ')})
    VALUES (@id, ${names.map((column) => `@${column}`).join(', ')})`).run({
    ...Object.fromEntries(stems),
    id,
  });
}

/** Inserts or replaces card embeddings; throws if one is not a unit vector. Call this in a transaction. */
export function indexVectors(
  db: Database,
  { name }: Pick<SearchProfile, 'name'>,
  cards: readonly CardVectors[],
): void {
  for (const { id, vector, passages = [] } of cards) {
    const [card, vectors] = [quantise([vector]), quantise(passages)];
    db.prepare(
      `INSERT OR REPLACE INTO ${name}_vector (id, signs, vector) VALUES (@id, @signs, @card)`,
    ).run({
      id,
      card,
      signs: signsOf(card),
    });
    db.prepare(`INSERT OR REPLACE INTO ${name}_passages (id, vectors) VALUES (@id, @vectors)`).run({
      id,
      vectors,
    });
  }
}

export function removeFromIndex(
  db: Database,
  { name }: Pick<SearchProfile, 'name'>,
  id: number,
): void {
  db.prepare(`DELETE FROM ${name}_terms WHERE rowid = @id`).run({ id });
  removeVectors(db, name, id);
}
