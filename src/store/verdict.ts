import type { Verdict } from '../core/operation.ts';
import type { Hit } from './search.ts';

/**
 * First thresholds, measured by `npm run eval` on questions of our own about the starter shelf and
 * on questions that no shelf of finance can answer (data/eval). Nearest neighbours always exist;
 * these say whether the nearest one is near.
 */
export const VERDICT = {
  /** Cosine of query and nearest card, with the model at work. */
  strongCosine: 0.36,
  weakCosine: 0.2,
  /** Share of the query's content words in the best card, when words alone rank. */
  strongCoverage: 0.5,
  weakCoverage: 0.3,
} as const;

/** Judges a ranking: does it hold an answer, a neighbour, or nothing? */
export function judgeMatch(hits: readonly Hit[], withVectors: boolean): Verdict {
  if (hits.length === 0) return 'none';
  const closeness = hits.map((hit) => (withVectors ? (hit.cosine ?? 0) : hit.coverage));
  const best = Math.max(...closeness);
  const [strong, weak] = withVectors
    ? [VERDICT.strongCosine, VERDICT.weakCosine]
    : [VERDICT.strongCoverage, VERDICT.weakCoverage];
  if (best >= strong) return 'strong';
  return best >= weak ? 'weak' : 'none';
}
