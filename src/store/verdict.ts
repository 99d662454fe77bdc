import type { Verdict } from '../core/operation.ts';
import type { Hit } from './search.ts';

/**
 * First thresholds, measured by `npm run eval` on on-topic and off-topic questions of our own
 * (data/eval). Nearest neighbours always exist; these say whether the nearest one is near.
 */
export const VERDICT = {
  /** Cosine and coverage of the best card, with the model at work. */
  strongScore: 0.45,
  weakScore: 0.3,
  /** Coverage of the query's content words by the best card, when words alone rank. */
  strongCoverage: 0.75,
  weakCoverage: 0.5,
} as const;

/** Judges a ranking by its best hit: is this an answer, a neighbour, or nothing? */
export function judgeMatch(hits: readonly Hit[], withVectors: boolean): Verdict {
  const best = hits[0];
  if (best === undefined) return 'none';
  const [value, strong, weak] = withVectors
    ? [best.score, VERDICT.strongScore, VERDICT.weakScore]
    : [best.coverage, VERDICT.strongCoverage, VERDICT.weakCoverage];
  if (value >= strong) return 'strong';
  return value >= weak ? 'weak' : 'none';
}
