import { expect, it } from 'vitest';
import { describeSign, viewOfHistory } from '../../../../src/areas/macro/long-history.ts';

function history(values: readonly (number | null)[]) {
  const observations = values.map((value, index) => ({ date: `day ${index}`, value }));
  return viewOfHistory(
    { data: { indicator: 'us.yield.10y', observations }, meta: { asOf: '' } },
    19_000,
  );
}
const datesOf = ({ data }: ReturnType<typeof history>) =>
  JSON.stringify(data).match(/day \d+/g) ?? [];

it('200 observations are shown whole', () => {
  const view = history(Array.from({ length: 200 }, (_, index) => index));
  expect(datesOf(view)).toHaveLength(200);
  expect(view.told).toBeUndefined();
});

it('of more, an even choice with the first, last, lowest and highest', () => {
  const values = Array.from({ length: 16_000 }, () => 1);
  values[7_001] = -5;
  values[9_002] = 5;
  const view = history([null, ...values]);
  const dates = datesOf(view);
  expect(dates.length).toBeLessThanOrEqual(200);
  expect(dates.length).toBeGreaterThan(190);
  for (const day of ['day 0', 'day 7002', 'day 9003', 'day 16000']) expect(dates).toContain(day);
  expect(dates.slice(-2)).toEqual(['day 15918', 'day 16000']);
  expect(view.told).toMatch(/ of 16,001 observations, one in 82 with .*structuredContent/);
});

it('a long history of both signs says when it last changed', () => {
  const values = Array.from({ length: 300 }, (_, index) => (index < 211 ? -0.2 : 0.3));
  const observations = values.map((value, index) => ({ date: `day ${index}`, value }));
  expect(describeSign(observations)).toBe('Positive since day 211.');
  expect(describeSign(observations.slice(211))).toBe('');
});
