import { describe, expect, it } from 'vitest';
import type { Match } from '../../../src/store/search/match.ts';
import { keepSubject } from '../../../src/store/search/preferred.ts';

const COST = 0.1;

/** Ranked matches, each with its score and the number of details that it lacks. */
function ranked(...all: [score: number, missingDetails: number][]): Match[] {
  return all.map(([score, missingDetails], at) => ({
    id: at + 1,
    score,
    missingDetails,
    bm25: score,
    idfCoverage: 1,
    missingIdf: 0,
    titleCoverage: 1,
    cosine: null,
    maxPassageCosine: null,
  }));
}

function idsOf(matches: readonly Match[]): number[] {
  return matches.map(({ id }) => id);
}

describe('the subject of a question', () => {
  it('stays among the first five, though it lacks details that others have', () => {
    const matches = ranked(
      [0.5, 0],
      [0.49, 0],
      [0.48, 0],
      [0.47, 0],
      [0.46, 0],
      [0.45, 0],
      [0.4, 3],
    );
    const kept = keepSubject(matches, COST);
    expect(idsOf(kept)).toEqual([1, 2, 3, 4, 7, 5, 6]);
    const scores = kept.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it('comes after a twin that has them', () => {
    expect(idsOf(keepSubject(ranked([0.6, 0], [0.55, 1], [0.5, 2]), COST))).toEqual([1, 2, 3]);
  });

  it('changes no ranking in which nothing is missing, or in which all lack the same', () => {
    const scores = [0.5, 0.4, 0.3, 0.2, 0.1, 0.05];
    for (const missing of [0, 2]) {
      const matches = ranked(...scores.map((score): [number, number] => [score, missing]));
      expect(keepSubject(matches, COST)).toEqual(matches);
    }
  });

  it('is no event that would not be near without them', () => {
    const matches = ranked([0.5, 0], [0.49, 0], [0.48, 0], [0.47, 0], [0.46, 0], [0.3, 1]);
    expect(keepSubject(matches, COST)).toEqual(matches);
  });
});
