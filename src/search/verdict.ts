import type { Verdict } from '../core/envelope.ts';

/** Evidence that the first match answers the question, comparable across questions and shelves. */
export interface Evidence {
  /** The best score before feedback, because feedback favours the first match. */
  score: number;
  /** The best score minus the tenth: an answer stands out from other cards. */
  lead: number;
  /** Cosine of question and first match, or the candidates' mean if it has none; 0 in lexical-only search. */
  cosine: number;
  /** ln(1 + total idf of the question's terms / approximate idf of a term in only one card). */
  specificity: number;
  /** Like `specificity`, but only for terms that the first match contains, so polite phrases add nothing. */
  matched: number;
  /** Share of the question's terms, weighted by idf, that the first match contains; synonyms count. */
  coverage: number;
  /** Share of the first match's title that the question names. */
  title: number;
  /** Mismatches of the first match, plus 1 if it has no term of the question except numbers, dates and sides. */
  mismatches: number;
  /** Number of cards that pass the filters and contain every term of the question, or a synonym of it. */
  holding: number;
  cards: number;
}

/** The evidence that the models weigh; fixed rules use the rest. */
export type Input = Exclude<keyof Evidence, 'mismatches' | 'holding' | 'cards'>;
export type Weights = Readonly<{ bias: number } & Partial<Record<Input, number>>>;

/** A logistic model of a claim; `least` is the minimum probability at which the claim counts as true. */
interface Model extends Weights {
  least: number;
}

export interface VerdictModel {
  /** Whether the shelf has anything on the subject; a score of at least `floor` suffices by itself. */
  related: Model & { floor: number };
  /** Whether the first match is an answer; `floors` are minimum scores on a bundled and a synced shelf. */
  answered: Model & { floors: readonly number[] };
}

/** A shelf of at least this size counts as synced: among more cards, the best one scores higher by chance. */
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

function probabilityOf(evidence: Evidence, { bias, ...weights }: Weights): number {
  const logit = Object.entries(evidence).reduce(
    (sum, [name, value]) => sum + value * (weights[name as Input] ?? 0),
    bias,
  );
  return 1 / (1 + Math.exp(-logit));
}
