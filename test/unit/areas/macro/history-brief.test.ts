import { expect, it } from 'vitest';
import { viewOfHistory } from '../../../../src/areas/macro/history-brief.ts';
import { describeFigures } from '../../../../src/areas/macro/statistics.ts';

function history(values: readonly (number | null)[]) {
  const observations = values.map((value, index) => ({ date: `day ${index}`, value }));
  return viewOfHistory({ data: { series_id: 'DGS10', observations }, meta: { asOf: '' } }, 19_000);
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

it('a spread says when its sign last changed', () => {
  const rows = [1, -1, 0, -2, 3].map((value, index) => ({
    ...{ date: `2026-01-0${index + 1}`, value, published: '', exact: 0 as const },
  }));
  expect(describeFigures(rows)).toMatch(/positive since 2026-01-05 \(2 changes of sign in all\)$/);
  expect(describeFigures(rows.slice(4))).not.toContain('since');
});
