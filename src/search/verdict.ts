import type { Verdict } from '../core/envelope.ts';

/**
 * What tells an answered question from one that only has near cards. Each is absolute: it means the same
 * for every question and shelf.
 */
export interface Evidence {
  /** The best score, before feedback, which favours the first match. */
  score: number;
  /** That score less the tenth: an answer stands out from its neighbours. */
  lead: number;
  /** Mean cosine of the question with the candidates; 0 in lexical-only search. */
  cosine: number;
  /**
   * How specific the question is: ln(1 + total idf over the idf of the rarest term). With the same
   * score, a question of few terms is answered less often.
   */
  specificity: number;
  /** Share of the question's terms, by idf, that the first match has under any name. */
  coverage: number;
  /** Share of the first match's title that the question names. */
  title: number;
  /** In how many names, dates and sides the first match differs from the question. */
  mismatches: number;
}

type Weights = Readonly<{ bias: number } & Partial<Record<keyof Evidence, number>>>;

/** Logistic models over the evidence, and the least probability that each claim takes. */
export interface VerdictModel {
  /** Whether the shelf has anything on the subject. */
  related: Weights & { least: number };
  /** Whether the first match answers the question. */
  answered: Weights & { least: number };
}

/** `none` if nothing on the shelf is near, `strong` if the question looks answered, otherwise `weak`. */
export function judge(evidence: Evidence | null, { related, answered }: VerdictModel): Verdict {
  if (evidence === null || probabilityOf(evidence, related) < related.least) return 'none';
  const isMismatch = evidence.mismatches > 0;
  return !isMismatch && probabilityOf(evidence, answered) >= answered.least ? 'strong' : 'weak';
}

/** The probability of a model, 0..1. */
export function probabilityOf(evidence: Evidence, { bias, ...weights }: Weights): number {
  const logit = Object.entries(evidence).reduce(
    (sum, [name, value]) => sum + value * (weights[name as keyof Evidence] ?? 0),
    bias,
  );
  return 1 / (1 + Math.exp(-logit));
}
