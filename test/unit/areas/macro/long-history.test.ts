import { expect, it } from 'vitest';
import { describeFigures, viewOfHistory } from '../../../../src/areas/macro/long-history.ts';

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

const row = (date: string, value: number | null) => ({
  date,
  value,
  published: date,
  exact: 1 as const,
});

it('tells the figures that stand for many observations', () => {
  const rows = [
    row('2024-01-02', 4),
    row('2025-01-02', 3.9),
    row('2025-06-02', 4.5),
    row('2026-01-05', 4.2),
    row('2026-01-06', null),
  ];
  expect(describeFigures(rows)).toBe(
    'first 4 (2024-01-02), last 4.2 (2026-01-05), lowest 3.9 (2025-01-02), highest 4.5 (2025-06-02)',
  );
});

it('tells nothing where no period has a value', () => {
  expect(describeFigures([row('2026-01-05', null)])).toBe('');
  expect(describeFigures([])).toBe('');
});

it('a spread says when its sign last changed', () => {
  const rows = [1, -1, 0, -2, 3].map((value, index) => row(`2026-01-0${index + 1}`, value));
  expect(describeFigures(rows)).toMatch(
    /, positive since 2026-01-05 \(2 changes of sign in all\)$/,
  );
  expect(describeFigures(rows.slice(4))).not.toContain('since');
});
