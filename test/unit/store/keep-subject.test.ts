import { describe, expect, it } from 'vitest';
import nameFile from '../../../data/search-names.json' with { type: 'json' };
import { createSearchIndex, indexText } from '../../../src/store/search/index.ts';
import type { Match } from '../../../src/store/search/match.ts';
import { keepSubject } from '../../../src/store/search/preferred.ts';
import { Names } from '../../../src/store/search/query/names.ts';
import { search } from '../../../src/store/search/search.ts';
import { loadVectorExtension } from '../../../src/store/search/vectors/extension.ts';
import { DIMENSIONS } from '../../../src/store/search/vectors/float32.ts';
import { Database } from '../../../src/store/sqlite.ts';

const COST = 0.1;
const { economies, assets, subjects } = nameFile;
const NAMES = new Names({ economies, others: [...assets, ...subjects] });
const INDEX = { name: 'card', columns: { title: 1 }, names: NAMES };

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

  it.each([null, Float32Array.from({ length: DIMENSIONS }, (_, at) => Number(at === 0))])(
    'stays there in a search of events, by words and with a vector',
    async (vector) => {
      const db = new Database(':memory:');
      expect(loadVectorExtension(db)).toBeNull();
      createSearchIndex(db, INDEX);
      const twins = ['oats', 'rye', 'rice', 'hops', 'peas', 'beans', 'lentils'];
      const titles = [
        'Court lets shareholders vote on the pay of directors?',
        ...twins.map((one) => `Kraken stake in Japan in June 2027 for ${one}?`),
      ];
      for (const [at, title] of titles.entries()) indexText(db, INDEX, at + 1, { title });
      const text =
        'court lets shareholders vote on pay of directors, Kraken stake in Japan in June 2027';
      const { matches } = await search(db, INDEX, { text, vector, limit: 8 });
      expect(idsOf(matches).indexOf(1)).toBe(4);
    },
  );
});
