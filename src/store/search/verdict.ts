import type { Verdict } from '../../core/operation.ts';
import type { Match } from './ranking.ts';

/**
 * Nearest neighbours always exist; this says whether the nearest ones are near. A logistic model of
 * "the shelf answers this", fitted by `npm run eval -- --calibrate` on the train halves of judged
 * and of off-topic questions, over papers and events alike.
 */
export const VERDICT = {
  withVectors: { bias: -3.56, closeness: 15.75, words: 4.12, lift: -0.66, strong: 0.8, weak: 0.2 },
  wordsAlone: { bias: -1.73, words: 5.59, coverage: 1.51, strong: 0.8, weak: 0.14 },
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
  };
}

/** Judges a ranking: does it hold an answer, a neighbour, or nothing? */
export function judgeMatch(matches: readonly Match[]): Verdict {
  if (matches.length === 0) return 'none';
  const { closeness, words, coverage, lift } = evidenceOf(matches);
  const { withVectors: v, wordsAlone: w } = VERDICT;
  const [sum, { strong, weak }] =
    closeness === null
      ? [w.bias + w.words * words + w.coverage * coverage, w]
      : [v.bias + v.closeness * closeness + v.words * words + v.lift * lift, v];
  const probability = 1 / (1 + Math.exp(-sum));
  if (probability >= strong) return 'strong';
  return probability >= weak ? 'weak' : 'none';
}
