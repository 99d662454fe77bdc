import type { Database } from 'better-sqlite3';
import { createBlocks, writeVectors } from './blocks.ts';
import { createCards, removeCard, weighTexts, writePassages, writeTerms } from './cards.ts';
import type { Synonym } from './synonyms.ts';
import { createWords, removeWords, writeWords } from './words.ts';

/**
 * The search index of one kind of card: words in FTS5, vectors in blocks, and beside them what
 * ranking reads of each card. It knows no domain: an area names its index and its columns.
 */
export interface SearchIndex {
  /** Prefix of the index's tables. */
  name: string;
  /** Text columns with their bm25 weights, multiples of 0.5; the first is the title. */
  columns: Readonly<Record<string, number>>;
  /** Names that a query may use for one another. */
  synonyms?: readonly Synonym[];
}

export function createSearchIndex(db: Database, index: SearchIndex): void {
  createWords(db, index.name, Object.keys(index.columns));
  createCards(db, index.name);
  createBlocks(db, index.name);
}

/** Puts or replaces the words of one card. Call it inside the transaction that writes the card. */
export function indexWords(
  db: Database,
  index: SearchIndex,
  id: number,
  texts: Readonly<Record<string, string>>,
): void {
  const fields = weighTexts(texts, index.columns);
  const columns = fields.map(({ column, stems }) => [column, stems] as const);
  writeWords(db, index.name, id, Object.fromEntries(columns));
  const weighted = fields.map(({ stems, weight }) => [stems, weight] as const);
  writeTerms(db, index.name, id, weighted);
}

/** The vectors of one card. */
export interface CardVectors {
  id: number;
  /** Of the card as a whole: this one is searched. */
  vector: Float32Array;
  /** Of its sentences or the like: they rank what was found. */
  passages?: readonly Float32Array[];
}

/**
 * Puts or replaces the vectors of cards that have their words; throws when one is not a unit
 * vector. Neighbouring ids in one call cost little more than one.
 */
export function indexVectors(
  db: Database,
  index: SearchIndex,
  cards: readonly CardVectors[],
): void {
  writeVectors(db, index.name, new Map(cards.map(({ id, vector }) => [id, vector])));
  for (const { id, passages = [] } of cards) writePassages(db, index.name, id, passages);
}

/** Takes one card out of the index. */
export function removeFromIndex(db: Database, index: SearchIndex, id: number): void {
  removeWords(db, index.name, id);
  removeCard(db, index.name, id);
  writeVectors(db, index.name, new Map([[id, null]]));
}
