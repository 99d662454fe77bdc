import type { Verdict } from '../../core/operation.ts';
import type { Match } from './ranking.ts';

/**
 * Nearest neighbours always exist; this says whether the nearest ones are near. Two logistic models,
 * fitted by `npm run eval -- --calibrate` on the train halves of judged questions, over papers and
 * events alike: `field` tells questions with an answer from off-topic ones, `answer` tells them from
 * the same questions on a shelf whose relevant cards were taken away. `none` is what is not of the
 * field, `strong` what looks answered, `weak` what is of the field and may have no answer here.
 */
export const VERDICT = {
  withVectors: {
    field: { bias: -3.58, closeness: 15.75, words: 4.23, lift: -0.66, lead: 0 },
    answer: { bias: -2.11, closeness: 1.6, words: -0.51, lift: 0.03, lead: 11.45 },
    /** What the chances must reach: to be of the field at all, to be so for sure, to be answered. */
    least: { field: 0.2, sure: 0.7, answer: 0.55 },
  },
  wordsAlone: {
    field: { bias: -1.75, words: 5.57, coverage: 1.56, lead: 0 },
    answer: { bias: -0.64, words: 2.89, coverage: -1.93, lead: 6.86 },
    least: { field: 0.14, sure: 0.7, answer: 0.6 },
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
}

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
  };
}

/** Judges a ranking: does it hold an answer, a neighbour, or nothing? */
export function judgeMatch(matches: readonly Match[]): Verdict {
  if (matches.length === 0) return 'none';
  const { closeness, words, coverage, lift, lead } = evidenceOf(matches);
  const { withVectors, wordsAlone } = VERDICT;
  const chanceOf = (model: 'field' | 'answer') => {
    const w = wordsAlone[model];
    const v = withVectors[model];
    return closeness === null
      ? logistic(w.bias + w.words * words + w.coverage * coverage + w.lead * lead)
      : logistic(
          v.bias + v.closeness * closeness + v.words * words + v.lift * lift + v.lead * lead,
        );
  };
  const { least } = closeness === null ? wordsAlone : withVectors;
  const field = chanceOf('field');
  if (field < least.field) return 'none';
  return field >= least.sure && chanceOf('answer') >= least.answer ? 'strong' : 'weak';
}

function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}
