import { expect, it } from 'vitest';
import { formatMeasure, formatTicks, unitWords } from '../../../../src/doors/views/format.ts';

it.each([
  [3.303856, 'Percent', '3.3 %', ''],
  [4.69, 'Percent', '4.69 %', ''],
  [-0.254, 'Percent', '−0.25 %', ''],
  [2.1, 'Percent Change from Preceding Period', '2.1 %', 'change from preceding period'],
  [158_927, 'Thousands of Persons', '158.9 million', 'persons'],
  [912, 'Thousands of Persons', '912,000', 'persons'],
  [-140, 'Thousands of Persons', '−140,000', 'persons'],
  [7_181, 'Level in Thousands', '7.181 million', ''],
  [30_062.4, 'Billions of Dollars', '$30.06 trillion', ''],
  [24_152.656, 'Billions of Chained 2017 Dollars', '$24.15 trillion', 'chained 2017 dollars'],
  [6_605_909, 'Millions of U.S. Dollars', '$6.606 trillion', ''],
  [102.9876, 'Index 2017=100', '102.99', 'Index 2017=100'],
  [36.5, 'Dollars per Hour', '$36.50', 'per hour'],
  [1.1593, 'U.S. Dollars to One Euro', '1.1593', 'U.S. Dollars to One Euro'],
  [231_000, 'Number', '231,000', 'number'],
  [-0.001, 'Percentage points', '0', 'percentage points'],
])('%s %s is written as %s %s', (value, units, figure, words) => {
  expect(formatMeasure(value, units)).toBe(figure);
  expect(unitWords(units)).toBe(words);
});

it('the labels of an axis have the same scale and the same number of decimals', () => {
  const persons = formatTicks([900, 1_000, 1_100], 100, 'Thousands of Persons');
  expect(persons).toEqual(['0.9M', '1.0M', '1.1M']);
  expect(formatTicks([-0.5, 0, 0.5], 0.5, 'Percent')).toEqual(['−0.5%', '0.0%', '0.5%']);
});
