import type { ObservationRow } from './queries.ts';

type Reported = ObservationRow & { value: number };

/**
 * The figures that stand for many observations, in one clause: "first 4.21 (2024-11-20), last …,
 * lowest …, highest …, mean …, change in a year …". Empty without any value. The change is from the
 * last observation that is a year older than the newest, where the rows go back so far; of a series in
 * percent, in points.
 */
export function describeFigures(rows: readonly ObservationRow[], units = ''): string {
  const reported = rows.filter((row): row is Reported => row.value !== null);
  const [first] = reported;
  const last = reported.at(-1);
  if (first === undefined || last === undefined) return '';
  const lowest = reported.reduce((least, row) => (row.value < least.value ? row : least), first);
  const highest = reported.reduce((most, row) => (row.value > most.value ? row : most), first);
  const mean = reported.reduce((sum, { value }) => sum + value, 0) / reported.length;
  return [
    `first ${show(first)}`,
    `last ${show(last)}`,
    `lowest ${show(lowest)}`,
    `highest ${show(highest)}`,
    `mean ${round(mean)}`,
    ...describeChange(reported, last, units),
  ].join(', ');
}

function describeChange(rows: readonly Reported[], last: Reported, units: string): string[] {
  const [year, ...rest] = last.date.split('-');
  const yearAgo = [Number(year) - 1, ...rest].join('-');
  const before = rows.findLast(({ date }) => date <= yearAgo);
  if (before === undefined) return [];
  const change = last.value - before.value;
  if (/^percent/i.test(units)) return [`change in a year ${round(change)} points`];
  const share = before.value > 0 ? ` (${round((100 * change) / before.value)} %)` : '';
  return [`change in a year ${round(change)}${share}`];
}

function show({ value, date }: Reported): string {
  return `${value} (${date})`;
}

/** Six significant digits: what binary fractions add beyond is noise. */
function round(value: number): number {
  return Number(value.toPrecision(6));
}
