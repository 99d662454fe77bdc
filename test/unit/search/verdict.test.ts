import { describe, expect, it } from 'vitest';
import fitted from '../../../data/fitted.json' with { type: 'json' };
import { type Evidence, judge } from '../../../src/search/verdict.ts';

const MODELS = [
  ['papers', fitted.papers],
  ['events', fitted.events],
] as const;

/** All for an answer. */
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
  score: 0.05,
  lead: 0,
  cosine: -0.1,
  specificity: 0.1,
  coverage: 0.01,
  matched: 0.01,
  title: 0,
  mismatches: 0,
  holding: 0,
  cards: 130,
};

describe.each(MODELS)('the verdict on %s', (_, { hybrid, lexical }) => {
  it.each([
    ['with the model', hybrid.verdict],
    ['by words alone', lexical.verdict],
  ])('is strong, weak or none as the evidence says, %s', (_mode, verdict) => {
    expect(judge(best, verdict)).toBe('strong');
    expect(judge(worst, verdict)).toBe('none');
    expect(judge(null, verdict)).toBe('none');
    expect(judge({ ...best, mismatches: 1 }, verdict)).toBe('weak');
    // A match that stands out from nothing is not called an answer.
    expect(judge({ ...best, lead: 0, matched: 0.5, title: 0 }, verdict)).toBe('weak');
  });

  it.each([
    ['with the model', hybrid.verdict],
    ['by words alone', lexical.verdict],
  ])('is never none if a card holds every term or the score is high, %s', (_mode, verdict) => {
    expect(judge({ ...worst, holding: 1 }, verdict)).toBe('weak');
    expect(judge({ ...worst, score: verdict.related.floor }, verdict)).toBe('weak');
  });

  it('is never strong below the floor of scores for that size of shelf, however far a match stands out', () => {
    const [small = 0, large = 0] = hybrid.verdict.answered.floors;
    const verdictOf = (score: number, cards: number) =>
      judge({ ...best, score, cards }, hybrid.verdict);
    expect(verdictOf(small, 130)).toBe('strong');
    expect(verdictOf(small - 0.01, 130)).toBe('weak');
    expect(verdictOf(large, 10_000)).toBe('strong');
    expect(verdictOf(large - 0.01, 10_000)).toBe('weak');
  });
});
