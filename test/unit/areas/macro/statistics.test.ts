import { expect, it } from 'vitest';
import { describeFigures } from '../../../../src/areas/macro/statistics.ts';

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
    row('2025-01-06', null),
    row('2025-06-02', 4.5),
    row('2026-01-05', 4.2),
    row('2026-01-06', null),
  ];
  expect(describeFigures(rows)).toBe(
    'first 4 (2024-01-02), last 4.2 (2026-01-05), lowest 3.9 (2025-01-02), ' +
      'highest 4.5 (2025-06-02), mean 4.15, change in a year 0.3 (7.69231 %)',
  );
});

it('tells no change where the rows do not go back a year, and no share of what is not above zero', () => {
  expect(describeFigures([row('2025-06-02', 1), row('2026-01-05', 2)])).toMatch(/mean 1\.5$/);
  expect(describeFigures([row('2025-01-02', -1), row('2026-01-02', 2)])).toMatch(
    /change in a year 3$/,
  );
});

it('tells the change of a percentage in points', () => {
  expect(describeFigures([row('2025-01-02', 4), row('2026-01-02', 3)], 'Percent')).toMatch(
    /change in a year -1 points$/,
  );
});

it('tells nothing where no period has a value', () => {
  expect(describeFigures([row('2026-01-05', null)])).toBe('');
  expect(describeFigures([])).toBe('');
});
