import type { Verdict } from '../../core/operation.ts';
import type { Match } from './ranking.ts';

/**
 * Nearest neighbours always exist; this says whether the nearest ones are near. Two logistic models,
 * fitted by `npm run eval -- --calibrate` on the train halves of judged questions, over papers and
 * events alike: `field` tells questions with an answer from off-topic ones, `answer` tells them from
 * the same questions on a shelf whose relevant cards were taken away. `none` is what is not of the
 * field, `strong` what looks answered, `weak` what is of the field and may have no answer here, as
 * where the matches speak of another bank, coin or year than the question.
 */
export const VERDICT = {
  withVectors: {
    field: { bias: -3.56, closeness: 15.74, words: 4.21, lift: -0.66, lead: 0, named: 0 },
    answer: { bias: -2.28, closeness: 1.39, words: -0.49, lift: 0.01, lead: 11.44, named: 0.43 },
    /**
     * What must be reached: to be of the field at all; to be so for sure, which is above every
     * off-topic question of the train halves; to be answered; and by the share of words that the
     * best card holds.
     */
    least: { field: 0.2, sure: 0.85, answer: 0.55, coverage: 0 },
  },
  wordsAlone: {
    field: { bias: -1.75, words: 5.55, coverage: 1.58, lead: 0, named: 0 },
    answer: { bias: -0.95, words: 3.05, coverage: -2.27, lead: 6.75, named: 0.53 },
    // Without vectors a card that lacks one word in three may be about anything.
    least: { field: 0.14, sure: 0.85, answer: 0.6, coverage: 0.8 },
  },
} as const;

/** What the verdict looks at: the best of each measure among the matches. */
export interface Evidence {
  /** Cosine with a card or passage; null where vectors took no part. */
  closeness: number | null;
  words: number;
  coverage: number;
  /**
   * By how many standard deviations the closeness stands above all cards. At the same closeness a
   * question of the field stands out less, for it is near to many cards.
   */
  lift: number;
  /** By how much the best score is ahead of the tenth: an answer stands out from its neighbours. */
  lead: number;
  /** Share of what the question names that one of the first matches speaks of. */
  named: number;
}

/** Matches of which one should speak of all that the question names. */
const FIRST = 3;
/** A question of which they miss so much of what it names is about something else. */
const HALF = 0.5;

export function evidenceOf(matches: readonly Match[]): Evidence {
  const best = (of: (match: Match) => number | null) =>
    Math.max(0, ...matches.map((match) => of(match) ?? 0));
  return {
    closeness: matches.some(({ closeness }) => closeness !== null)
      ? best(({ closeness }) => closeness)
      : null,
    words: best(({ words }) => words),
    coverage: best(({ coverage }) => coverage),
    lift: best(({ lift }) => lift),
    lead: best(({ lead }) => lead),
    named: Math.max(0, ...matches.slice(0, FIRST).map(({ named }) => named)),
  };
}

/** So many matches, where there are as many, the models were fitted on. */
export const JUDGED = 10;

/** Judges a ranking: does it hold an answer, a neighbour, or nothing? */
export function judgeMatch(matches: readonly Match[]): Verdict {
  if (matches.length === 0) return 'none';
  const evidence = evidenceOf(matches);
  const { closeness, coverage, named } = evidence;
  const { least } = closeness === null ? VERDICT.wordsAlone : VERDICT.withVectors;
  const field = chanceOf('field', evidence);
  if (field < least.field) return 'none';
  if (named <= HALF || field < least.sure || coverage < least.coverage) return 'weak';
  return chanceOf('answer', evidence) >= least.answer ? 'strong' : 'weak';
}

/** The chance that a question is of the field, or answered, 0..1. */
export function chanceOf(
  model: 'field' | 'answer',
  { closeness, words, coverage, lift, lead, named }: Evidence,
): number {
  const { wordsAlone, withVectors } = VERDICT;
  const common = ({ bias, ...by }: { bias: number; words: number; lead: number; named: number }) =>
    bias + by.words * words + by.lead * lead + by.named * named;
  if (closeness === null) {
    const weights = wordsAlone[model];
    return logistic(common(weights) + weights.coverage * coverage);
  }
  const weights = withVectors[model];
  return logistic(common(weights) + weights.closeness * closeness + weights.lift * lift);
}

function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}
