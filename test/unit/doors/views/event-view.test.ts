import { describe, expect, it } from 'vitest';
import { barsOf } from '../../../../src/doors/views/bars.ts';

function market(question: string, probabilities: Record<string, number>, more = {}) {
  const outcomes = Object.entries(probabilities).map(([label, current_probability]) => ({
    label,
    current_probability,
  }));
  return { market_question: question, outcomes, status: 'active', volume: 100, ...more };
}

const settled = (winning_outcome: string) => ({
  status: 'closed',
  settlement: { status: 'settled', winning_outcome },
});

describe('bars', () => {
  it('of a single yes-or-no market are one bar: the chance of yes', () => {
    const bars = barsOf([market('Rate hike in 2026?', { No: 0.945, Yes: 0.055 })]);
    expect(bars.map(({ label, probability, isYes }) => [label, probability, isYes])).toEqual([
      ['Yes', 0.055, true],
    ]);
  });

  it('of a single market with names are its outcomes, the likeliest first', () => {
    const bars = barsOf([market('Gold in May?', { Up: 0.4, Down: 0.6 })]);
    expect(bars.map(({ label }) => label)).toEqual(['Down', 'Up']);
  });

  it('of strikes, counts and dates keep the order of the reply, others are sorted by likelihood', () => {
    const labelsOf = (...labels: string[]) =>
      barsOf(
        labels.map((label, at) =>
          market(`Q${at}?`, { Yes: 0.3 + at / 10, No: 0 }, { group_label: label }),
        ),
      ).map(({ label }) => label);
    const counts = ['0', '1 (25 bps)', '2 (50 bps)', '8 or more', 'None before July'];
    expect(labelsOf(...counts)).toEqual(counts);
    expect(labelsOf('Ann', 'Bob', 'Nobody by May 3')).toEqual(['Nobody by May 3', 'Bob', 'Ann']);
  });

  it('of several markets show the yes of each', () => {
    const bars = barsOf([
      market('Will 1 cut happen in 2026?', { Yes: 0.2, No: 0.8 }),
      market('Will 2 cuts happen in 2026?', { No: 0.7, yes: 0.3 }, { group_label: '2 (50 bps)' }),
    ]);
    expect(bars.map(({ label, probability }) => [label, probability])).toEqual([
      ['1 cut', 0.2],
      ['2 (50 bps)', 0.3],
    ]);
  });

  it('of several markets with named outcomes show all outcomes', () => {
    const bars = barsOf([
      market('Gold in May?', { Up: 0.6, Down: 0.4 }),
      market('Gold in June?', { Up: 0.1, Down: 0.9 }),
    ]);
    expect(bars.map(({ label }) => label)).toEqual([
      'June: Down',
      'May: Up',
      'May: Down',
      'June: Up',
    ]);
  });

  it('show what came true, and how far a probability moved', () => {
    const bars = barsOf([
      market('A?', { Yes: 1, No: 0 }, settled('Yes')),
      market('B?', { Yes: 0, No: 1 }, settled('No')),
    ]);
    expect(bars.map(({ isWinner, isClosed }) => [isWinner, isClosed])).toEqual([
      [true, true],
      [false, true],
    ]);
    const before = { day_ago_probability: 0.35, week_ago_probability: 0.5 };
    const outcomes = [{ label: 'Yes', current_probability: 0.4, ...before }];
    const [moved] = barsOf([{ ...market('A?', {}), outcomes }]);
    expect(moved?.inDay).toBeCloseTo(5);
    expect(moved?.inWeek).toBeCloseTo(-10);
    expect(bars[0]?.inDay).toBeUndefined();
  });

  it('that came true come first, and those that did not come last', () => {
    const bars = barsOf([
      market('Will it be May?', { Yes: 1, No: 0 }, settled('Yes')),
      market('Will it be Ann?', { Yes: 0, No: 1 }, settled('No')),
      market('Will it be Bob?', { Yes: 0.2, No: 0.8 }),
      market('Will it be Cy?', { Yes: 0.7, No: 0.3 }),
    ]);
    expect(bars.map(({ label }) => label)).toEqual(['May', 'Cy', 'Bob', 'Ann']);
  });
});

it("a market is named by its source's label, or by its distinctive words if two share a label", () => {
  const labelled = (group_label?: string) => ({ ...(group_label ? { group_label } : {}) });
  const labelsOf = (...labels: (string | undefined)[]) =>
    barsOf(
      labels.map((label, at) =>
        market(`Question ${at}?`, { Yes: 0.9 - at / 10, No: 0 }, labelled(label)),
      ),
    ).map(({ label }) => label);
  expect(labelsOf('Kevin Warsh', 'Nobody')).toEqual(['Kevin Warsh', 'Nobody']);
  expect(labelsOf('$1', '$1', '$2', undefined)).toEqual(['0', '1', '$2', '3']);
});
