import type { Verdict } from '../core/envelope.ts';

/**
 * Evidence that separates an answered question from one with merely similar cards. Each item is absolute: it
 * means the same for every question and shelf.
 */
export interface Evidence {
  /** The best score, before feedback, which favours the first match. */
  score: number;
  /** The best score minus the tenth: an answer stands out from its neighbours. */
  lead: number;
  /** Cosine of the question with the first match; 0 in lexical-only search. */
  cosine: number;
  /**
   * How specific the question is: ln(1 + total idf over the idf of the rarest term). At equal scores, a
   * question with few terms is less likely to be about a subject of the shelf.
   */
  specificity: number;
  /** Specificity of the terms that the first match has under any name, so that polite phrases add nothing. */
  matched: number;
  /** Share of the question's terms, by idf, that the first match has under any name. */
  coverage: number;
  /** Share of the first match's title that the question names. */
  title: number;
  /** Number of names and dates in which the first match differs from the question. */
  mismatches: number;
  /** Number of cards that pass the filters and contain every term of the question, under any name. */
  holding: number;
  cards: number;
}

/** The evidence that a model weighs; rules use the other items. */
export type Input = Exclude<keyof Evidence, 'mismatches' | 'holding' | 'cards'>;
export type Weights = Readonly<{ bias: number } & Partial<Record<Input, number>>>;

/** A logistic model over the evidence, and the probability from which its claim counts as true. */
interface Model extends Weights {
  least: number;
}

export interface VerdictModel {
  /** Whether the shelf has anything on the subject; a score at the floor suffices by itself. */
  related: Model & { floor: number };
  /**
   * Whether the first match answers the question; the floors are minimum scores for a bundled and a synced
   * shelf.
   */
  answered: Model & { floors: readonly number[] };
}

/**
 * A shelf of at least this many cards counts as synced, with a floor of its own: among more cards, with whole
 * abstracts, the best one matches more of a question by chance.
 */
export const SYNCED = 150;

/** `none` if nothing on the shelf is related, `strong` if the question seems answered, otherwise `weak`. */
export function judge(evidence: Evidence | null, { related, answered }: VerdictModel): Verdict {
  if (evidence === null) return 'none';
  const { score, holding, mismatches, cards } = evidence;
  const isStored = holding > 0 || score >= related.floor;
  if (!isStored && probabilityOf(evidence, related) < related.least) return 'none';
  const [bundled = 0, synced = bundled] = answered.floors;
  const mayAnswer = mismatches === 0 && score >= (cards < SYNCED ? bundled : synced);
  return mayAnswer && probabilityOf(evidence, answered) >= answered.least ? 'strong' : 'weak';
}

/** The probability that a model gives, 0..1. */
function probabilityOf(evidence: Evidence, { bias, ...weights }: Weights): number {
  const logit = Object.entries(evidence).reduce(
    (sum, [name, value]) => sum + value * (weights[name as Input] ?? 0),
    bias,
  );
  return 1 / (1 + Math.exp(-logit));
}
