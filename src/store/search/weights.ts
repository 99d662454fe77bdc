import type { SearchIndex } from './index.ts';
import type { TermQuery } from './lexical/terms.ts';

/** Weights of the features of a card. */
export interface Weights {
  /** BM25 as a share of its upper bound. */
  bm25: number;
  /** Share of the query's terms that the card contains, weighted by idf. */
  idfCoverage: number;
  /** Cosine of the card. */
  card: number;
  /** Largest cosine of the card or one of its passages. */
  passage: number;
  /** Pseudo-relevance feedback by terms, in lexical-only search of prose; added to the others. */
  termFeedback: number;
  /** Against a card: each detail of the query that it lacks, such as a month or place. */
  missingDetail: number;
}

/**
 * Ranking weights, tuned on the train halves of `npm run eval`. Each feature is absolute: it means
 * the same for every query, so that scores are comparable across queries.
 */
export const RANKING = {
  /** A short query is often answered by one passage. */
  short: {
    bm25: 0.5,
    idfCoverage: 0,
    card: 0.15,
    passage: 0.35,
    termFeedback: 0.6,
    missingDetail: 0.03,
  },
  /**
   * A long one describes a card of prose as a whole: how many of its terms occur tells more than how
   * often they do. It needs no other terms, and may tell details in other words.
   */
  long: {
    bm25: 0.1,
    idfCoverage: 0.4,
    card: 0.35,
    passage: 0.15,
    termFeedback: 0,
    missingDetail: 0,
  },
  /** Terms of a query up to which it is short, and from which it is long; mixed in between. */
  shortTerms: 10,
  longTerms: 16,
  /** From which it is long in lexical-only search, where no cosine tempers the share of terms. */
  longTermsOfLexical: 20,
  /** Pseudo-relevance feedback: cosine with the centroid of the best cards. */
  feedback: 0.2,
  /** Cards in that centroid. */
  feedbackCards: 20,
  /** Score gap to the first card at which a card's weight in the centroid falls to 1/e. */
  feedbackSpread: 0.02,
  /** For the title of a card that is not prose: the share of it that the query names. */
  titleCoverage: 0.2,
  /** Against such a card, as `missingDetail`. */
  missingEventDetail: 0.08,
  /** Against a card: the BM25 share of what the query excludes, */
  excludedBm25: 0.1,
  /** the share of its terms in the title, */
  excludedTitle: 0.1,
  /** and the cosine with it, as far as it is not that with the wanted subject. */
  excludedCosine: 0.15,
} as const satisfies Record<string, number | Weights>;

/** Terms up to which the verdict takes a query for short, and from which for long. */
const VERDICT_LENGTHS = { shortTerms: 8, longTerms: 14 };

/** The weights for a query of its length; the first four sum to 1. In lexical-only search two of them count. */
export function weightsFor(
  query: TermQuery,
  { isProse = false }: SearchIndex,
  mode: 'hybrid' | 'lexical',
): Weights {
  const { short, long, shortTerms } = RANKING;
  const longTerms = mode === 'lexical' ? RANKING.longTermsOfLexical : RANKING.longTerms;
  const length = isProse ? lengthBetween(query, { shortTerms, longTerms }) : 0;
  const mix = (name: keyof Weights) => (1 - length) * short[name] + length * long[name];
  return {
    bm25: mix('bm25'),
    idfCoverage: mix('idfCoverage'),
    card: mix('card'),
    passage: mix('passage'),
    termFeedback: mix('termFeedback'),
    missingDetail: isProse ? mix('missingDetail') : RANKING.missingEventDetail,
  };
}

/** How long a query is for the verdict: 0 is short, 1 is long. */
export function lengthOf(query: TermQuery): number {
  return lengthBetween(query, VERDICT_LENGTHS);
}

function lengthBetween(
  { terms }: TermQuery,
  { shortTerms, longTerms }: { shortTerms: number; longTerms: number },
): number {
  const count = terms.filter(({ isCompound, isSynonym }) => !isCompound && !isSynonym).length;
  return Math.min(1, Math.max(0, (count - shortTerms) / (longTerms - shortTerms)));
}
