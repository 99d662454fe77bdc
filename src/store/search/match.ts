import type { LexicalMatch } from './lexical/terms.ts';

/** A card with its score and the features it comes from. */
export interface Match extends LexicalMatch {
  /** Weighted mean of the features, 0..1; matches are sorted by it, descending. */
  score: number;
  /** Cosine of query and card; null in lexical-only search and for a card without an embedding. */
  cosine: number | null;
  /** The largest cosine of the query with the card or one of its passages; null likewise. */
  maxPassageCosine: number | null;
}
