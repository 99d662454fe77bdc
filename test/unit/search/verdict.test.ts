import { describe, expect, it } from 'vitest';
import fitted from '../../../data/fitted.json' with { type: 'json' };
import { type Evidence, judge } from '../../../src/search/verdict.ts';

const MODELS = (['papers', 'events'] as const).flatMap((area) =>
  (['hybrid', 'lexical'] as const).map((mode) => [area, mode, fitted[area][mode].verdict] as const),
);

/** Evidence that could not be better. */
const best: Evidence = {
  score: 0.9,
  lead: 0.6,
  cosine: 0.5,
  specificity: 2.5,
  coverage: 1,
  matched: 2.5,
  title: 1,
  mismatches: 0,
  holding: 0,
  cards: 130,
};
const worst: Evidence = {
  ...best,
  score: 0.05,
  lead: 0,
  cosine: -0.1,
  specificity: 0.1,
  coverage: 0.01,
  matched: 0.01,
  title: 0,
};

describe.each(MODELS)('the verdict on %s, in %s search', (_, _mode, verdict) => {
  it('is strong for the best evidence, weak with a mismatch or without a lead, and none for the worst or missing evidence', () => {
    expect(judge(best, verdict)).toBe('strong');
    expect(judge(worst, verdict)).toBe('none');
    expect(judge(null, verdict)).toBe('none');
    expect(judge({ ...best, mismatches: 1 }, verdict)).toBe('weak');
    // A match that does not stand out is no strong answer.
    expect(judge({ ...best, lead: 0, matched: 0.5, title: 0 }, verdict)).toBe('weak');
  });

  it('is weak even for the worst evidence if a card contains every term or the score reaches the floor', () => {
    expect(judge({ ...worst, holding: 1 }, verdict)).toBe('weak');
    expect(judge({ ...worst, score: verdict.related.floor }, verdict)).toBe('weak');
  });

  it('is strong only if the score reaches the floor for the size of the shelf', () => {
    const [small = 0, large = 0] = verdict.answered.floors;
    const verdictOf = (score: number, cards: number) => judge({ ...best, score, cards }, verdict);
    expect([verdictOf(small, 130), verdictOf(small - 0.01, 130)]).toEqual(['strong', 'weak']);
    expect([verdictOf(large, 9_999), verdictOf(large - 0.01, 9_999)]).toEqual(['strong', 'weak']);
  });
});
