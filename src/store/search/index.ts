import type { Database } from 'better-sqlite3';
import { createTermsTable, removeStems, writeStems } from './lexical/fts.ts';
import type { Synonyms } from './lexical/synonyms.ts';
import { tokenise } from './lexical/tokenise.ts';
import type { Names } from './query/names.ts';
import { createVectorTable, removeVectors, writeVectors } from './vectors/table.ts';

/**
 * The search index of one kind of card: `NAME_terms` holds the stemmed text for FTS5, `NAME_vector`
 * the embeddings. Each area names its own index and columns.
 */
export interface SearchIndex {
  /** Prefix of the index's tables. */
  name: string;
  /** Text columns with their BM25 weights; the first is the title. */
  columns: Readonly<Record<string, number>>;
  synonyms?: Synonyms;
  /** What a question should name, for one that names nothing. */
  hint?: string;
  /** What a card should name if a question does. */
  names?: Names;
  /** Whether cards are texts of some sentences, which a long query may describe as a whole. */
  isProse?: boolean;
  /** Words of the field that are right, whether a card holds them or not. */
  words?: ReadonlySet<string>;
  /** Tells questions of the field from others, for the default model. */
  field?: FieldDirection;
}

/** What tells the embeddings of questions of a field from those of others. */
export interface FieldDirection {
  /** The mean of the one less the mean of the other, scaled. */
  direction: readonly number[];
  /** The product with a vector halfway between them. */
  midpoint: number;
}

/** The embeddings of one card. */
export interface CardVectors {
  id: number;
  /** Of the whole card, for retrieval. */
  vector: Float32Array;
  /** Of its sentences or sections, for ranking. */
  passages?: readonly Float32Array[];
}

export function createSearchIndex(db: Database, { name, columns }: SearchIndex): void {
  createTermsTable(db, name, Object.keys(columns));
  createVectorTable(db, name);
}

/** Inserts or replaces the text of one card. Call it inside the transaction that writes the card. */
export function indexText(
  db: Database,
  { name, columns }: SearchIndex,
  id: number,
  texts: Readonly<Record<string, string>>,
): void {
  const stems = Object.keys(columns).map((column) => [column, tokenise(texts[column] ?? '')]);
  writeStems(db, name, id, Object.fromEntries(stems));
}

/** Inserts or replaces the embeddings of cards; throws when one is not a unit vector. */
export function indexVectors(
  db: Database,
  { name }: SearchIndex,
  cards: readonly CardVectors[],
): void {
  for (const { id, vector, passages = [] } of cards) writeVectors(db, name, id, vector, passages);
}

/** Removes one card from the index. */
export function removeFromIndex(db: Database, { name }: SearchIndex, id: number): void {
  removeStems(db, name, id);
  removeVectors(db, name, id);
}
