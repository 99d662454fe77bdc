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
    field: { bias: -3.58, closeness: 15.77, words: 4.21, lift: -0.66, lead: 0, named: 0 },
    answer: { bias: -2.32, closeness: 1.47, words: -0.55, lift: 0.01, lead: 11.54, named: 0.43 },
    /** What the chances must reach: to be of the field at all, to be so for sure, to be answered. */
    least: { field: 0.2, sure: 0.7, answer: 0.55 },
  },
  wordsAlone: {
    field: { bias: -1.75, words: 5.55, coverage: 1.57, lead: 0, named: 0 },
    answer: { bias: -0.94, words: 3.1, coverage: -2.31, lead: 6.67, named: 0.54 },
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
  const { closeness, words, coverage, lift, lead, named } = evidenceOf(matches);
  const { withVectors, wordsAlone } = VERDICT;
  const chanceOf = (model: 'field' | 'answer') => {
    const w = wordsAlone[model];
    const v = withVectors[model];
    return closeness === null
      ? logistic(w.bias + w.words * words + w.coverage * coverage + w.lead * lead + w.named * named)
      : logistic(
          v.bias +
            v.closeness * closeness +
            v.words * words +
            v.lift * lift +
            v.lead * lead +
            v.named * named,
        );
  };
  const { least } = closeness === null ? wordsAlone : withVectors;
  const field = chanceOf('field');
  if (field < least.field) return 'none';
  if (named <= HALF || field < least.sure) return 'weak';
  return chanceOf('answer') >= least.answer ? 'strong' : 'weak';
}

function logistic(sum: number): number {
  return 1 / (1 + Math.exp(-sum));
}
