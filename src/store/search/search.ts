import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import type { Filter } from './filter.ts';
import type { SearchIndex } from './index.ts';
import { findByTerms } from './lexical/fts.ts';
import { addSynonyms } from './lexical/synonyms.ts';
import { readTotals, weightTerms } from './lexical/terms.ts';
import { queryTerms } from './lexical/tokenise.ts';
import { type Ranking, rankByTerms, rankHybrid } from './ranking.ts';
import { assertUnit } from './vectors/float32.ts';
import { findNearest } from './vectors/nearest.ts';
import { readSample } from './vectors/sample.ts';

/** Candidates per retriever in hybrid search. */
const HYBRID_CANDIDATES = 60;
/** Candidates in lexical-only search. */
const LEXICAL_CANDIDATES = 150;

export interface SearchQuery {
  text: string;
  /** Embedding of the text, a unit vector; null for lexical-only search. */
  vector: Float32Array | null;
  limit: number;
  filter?: Filter;
  /** What counts against a card, with its embedding. */
  excluded?: { text: string; vector: Float32Array | null };
}

/**
 * The best cards for a query, best first; ties go to the smaller id. Throws when the vector is not a
 * unit vector. A vector needs the SQLite extension: see `vectors/extension.ts`.
 */
export async function search(
  db: Database,
  index: SearchIndex,
  { text, vector, limit, filter, excluded }: SearchQuery,
): Promise<Ranking> {
  if (vector !== null) assertUnit(vector);
  const { name } = index;
  const totals = readTotals(db, index);
  const synonyms = index.synonyms?.match(text) ?? [];
  const terms = weightTerms(db, name, addSynonyms(queryTerms(text), synonyms), totals);
  const query = {
    terms,
    totals,
    limit,
    excluded: excluded && {
      terms: weightTerms(db, name, queryTerms(excluded.text), totals),
      vector: excluded.vector,
    },
  };
  const weights = Object.values(index.columns);
  const depth = vector === null ? LEXICAL_CANDIDATES : HYBRID_CANDIDATES;
  const found = findByTerms(db, { name, weights, terms, filter, limit: depth });
  // Each step takes some milliseconds at 30,000 cards.
  await yieldToEventLoop();
  if (vector === null) return rankByTerms(db, index, found, query);
  const sample = readSample(db, name, vector, totals.cards);
  const nearest = findNearest(db, name, vector, { limit: HYBRID_CANDIDATES, sample, filter });
  await yieldToEventLoop();
  const candidates = [...new Set([...nearest, ...found])];
  const { backgroundCosine } = sample;
  return rankHybrid(db, index, candidates, { ...query, vector, backgroundCosine });
}
