import { expect, it } from 'vitest';
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

const labelled = (group_label: string, chance: number) =>
  market(`Will it be ${group_label} in 2026?`, { Yes: chance, No: 1 - chance }, { group_label });

it.each([
  ['show only the yes of a yes-or-no question', [market('A?', { No: 0.9, Yes: 0.1 })], ['Yes']],
  ['show the outcomes of other markets', [market('Gold?', { Up: 0.4, Down: 0.6 })], ['Down', 'Up']],
  [
    'show every outcome of several markets',
    [market('May?', { Up: 0.6, Down: 0.4 }), market('June?', { Up: 0.1, Down: 0.9 })],
    ['June: Down', 'May: Up', 'May: Down', 'June: Up'],
  ],
  [
    'keep the order of the reply for strikes, counts and dates',
    [labelled('0', 0.1), labelled('1 (25 bps)', 0.5), labelled('None before July', 0.3)],
    ['0', '1 (25 bps)', 'None before July'],
  ],
  [
    'sort other labels by likelihood',
    [labelled('Ann', 0.1), labelled('Bob', 0.2), labelled('Nobody by May 3', 0.7)],
    ['Nobody by May 3', 'Bob', 'Ann'],
  ],
  [
    'replace a label that is missing or not unique with the words unique to its question',
    [
      market('Will A win in 2026?', { Yes: 0.1, No: 0.9 }, { group_label: '$1' }),
      market('Will B win in 2026?', { Yes: 0.3, No: 0.7 }, { group_label: '$1' }),
      market('Will C win in 2026?', { Yes: 0.2, No: 0.8 }),
    ],
    ['B', 'C', 'A'],
  ],
  [
    'begin with what came true, and end with what did not',
    [
      market('Ann?', { Yes: 0, No: 1 }, settled('No')),
      market('Bob?', { Yes: 0.2, No: 0.8 }),
      market('May?', { Yes: 1, No: 0 }, settled('Yes')),
      market('Cy?', { Yes: 0.7, No: 0.3 }),
    ],
    ['May', 'Cy', 'Bob', 'Ann'],
  ],
])('the bars of an event %s', (_, markets, labels) => {
  expect(barsOf(markets).map(({ label }) => label)).toEqual(labels);
});

it('a bar has the change in its probability over a day and a week, in points', () => {
  const before = { day_ago_probability: 0.35, week_ago_probability: 0.5 };
  const outcomes = [{ label: 'Yes', current_probability: 0.4, ...before }];
  const [moved] = barsOf([{ ...market('A?', {}), outcomes }]);
  expect(moved?.inDay).toBeCloseTo(5);
  expect(moved?.inWeek).toBeCloseTo(-10);
});
