import type { Database } from 'better-sqlite3';
import type { Synonyms } from './synonyms.ts';
import { tokenise } from './tokenise.ts';
import { type CardVectors, quantise, removeVectors, signsOf } from './vectors.ts';
import type { VerdictModel } from './verdict.ts';

/**
 * A kind of card, and everything that search needs to know about it. The area's schema has the tables:
 * `NAME_terms` contains the stemmed text for FTS5, `NAME_vocabulary` its terms, `NAME_indexed` the ids in it,
 * `NAME_vector` and `NAME_passages` the embeddings; a scan reads only the index of their signs.
 */
export interface SearchProfile {
  /** Prefix of the index's table names. */
  name: string;
  /**
   * Text columns with their BM25 weights; the first is the title. A column of weight 0 can be looked up but
   * does not score.
   */
  columns: Readonly<Record<string, number>>;
  /** From data/fitted.json. */
  fitted: Readonly<Record<'hybrid' | 'lexical', Fitted>>;
  /** Advice for a question without words: what it should name. */
  hint: string;
  synonyms?: Synonyms;
  /** Terms that a card need not contain, and that the verdict ignores, if there are others. */
  aside?: RegExp;
  /** Counts the names, dates and sides in which a close card differs from a question. */
  compare?: (question: string, now: Date) => Comparison;
  /** The cards that a match must stand out from: those of its own venue. All cards if omitted. */
  peersOf?: (db: Database, id: number, ids: readonly number[]) => ReadonlySet<number>;
}

/** Weights and verdict for a kind of card, with or without vectors. */
interface Fitted {
  weights: Weights;
  /** Score bonus of a preferred card. */
  boost: number;
  verdict: VerdictModel;
}

/** Weights of the features of a card. All but the last three sum to 1. */
export interface Weights {
  /** BM25 as a share of its upper bound. */
  bm25: number;
  /** Share of the query's terms that the card contains, weighted by idf. */
  coverage: number;
  card: number;
  /** Largest cosine of the card or one of its passages. */
  passage: number;
  /** Similarity to the best cards by vector; absent in lexical-only search. */
  feedback: number;
  /** Share of the title that the query names. */
  title: number;
  /** Penalty for each name, date or side in which a card differs from the query. */
  mismatch: number;
}

/** A question's requirements on a card, beyond its terms. */
export interface Comparison {
  /** Stems that `countMismatches` checks. */
  stems: readonly string[];
  /** Whether a stem is a number, a date or a side, which does not by itself make a card an answer. */
  isDetail(stem: string): boolean;
  countMismatches(card: ComparedCard): number;
}

export interface ComparedCard {
  title: string;
  /** Stems in the columns of full weight, including the title. */
  inFull: readonly string[];
  /** Whether a column of full weight has a stem, under any name. */
  says(stem: string): boolean;
  /** Whether any column has the stem, under any name. */
  has(stem: string): boolean;
}

/** Inserts or replaces the text of one card. Call it inside the transaction that writes the card. */
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

/** Inserts or replaces the embeddings of cards, inside a transaction; throws if one is not a unit vector. */
export function indexVectors(
  db: Database,
  { name }: Pick<SearchProfile, 'name'>,
  cards: readonly CardVectors[],
): void {
  for (const { id, vector, passages = [] } of cards) {
    const [card, vectors] = [quantise([vector]), quantise(passages)];
    db.prepare(`INSERT OR REPLACE INTO ${name}_vector VALUES (@id, @signs, @card)`).run({
      id,
      card,
      signs: signsOf(card),
    });
    db.prepare(`INSERT OR REPLACE INTO ${name}_passages VALUES (@id, @vectors)`).run({
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
