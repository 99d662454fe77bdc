import { bisector } from 'd3-array';
import { formatPeriod } from './format.ts';
import type { History, Observation } from './tool-reply.ts';

// A history's ranges, and the forms it can be drawn in.

export const DAY_MS = 86_400_000;
/** How much older than a year the base value of a yearly change may be. */
const MAX_LATE_MS = 40 * DAY_MS;
const RANGES = [
  [1, '1Y'],
  [5, '5Y'],
  [10, '10Y'],
] as const;
/** Minimum number of values in a range. */
const MIN_VALUES = 3;

const BY_DATE = bisector(({ date }: Observation) => date);

/** The ranges that are shorter than the whole history and have enough values. */
export function rangesOf(observations: readonly Observation[]) {
  const [first, last] = [observations[0]?.date ?? '', observations.at(-1)?.date ?? ''];
  return RANGES.flatMap(([years, label]) => {
    const from = yearsBefore(last, years);
    const values = observations.filter(({ date, value }) => date >= from && value !== null);
    if (first >= from || values.length < MIN_VALUES) return [];
    return [{ label, title: years === 1 ? 'The last year' : `The last ${years} years`, from }];
  });
}

/**
 * The change over the year before an observation: in points for percentages, in percent if both values are
 * positive, otherwise absolute. Undefined if either value is missing.
 */
export function changeInYear(
  observations: readonly Observation[],
  index: number,
  units: string,
): { change: number; kind: 'points' | '%' | '' } | undefined {
  const now = observations[index];
  const before = yearBefore(observations, index);
  if (now === undefined || now.value === null || before === undefined) return undefined;
  const change = now.value - before;
  if (isRate(units)) return { change, kind: 'points' };
  if (before <= 0 || now.value <= 0) return { change, kind: '' };
  return { change: (100 * change) / before, kind: '%' };
}

function yearBefore(observations: readonly Observation[], index: number): number | undefined {
  const now = observations[index];
  if (now === undefined) return undefined;
  const target = yearsBefore(now.date, 1);
  let at = BY_DATE.right(observations, target) - 1;
  while (observations[at]?.value === null) at -= 1;
  const before = observations[at];
  if (before === undefined || before.value === null) return undefined;
  return Date.parse(target) - Date.parse(before.date) > MAX_LATE_MS ? undefined : before.value;
}

const FORMS = [
  { value: 'level', label: 'Level' },
  { value: 'change', label: 'Change' },
  { value: 'year', label: 'Change in a year' },
  { value: 'percent', label: 'Change in a year, %' },
  { value: 'log', label: 'Level, log scale' },
  { value: 'index', label: 'Index, left edge = 100' },
] as const;

export type Form = (typeof FORMS)[number]['value'];

/** The forms that make sense for all of these series, the level first. */
export function formsOf(histories: readonly History[]) {
  return FORMS.filter(({ value }) => histories.every((history) => isPossible(history, value)));
}

/** Whether a form suits a history. Thinned ones lack values to compare; percent changes of rates mislead. */
function isPossible(history: History, form: Form): boolean {
  const { observations, units, isThinned } = history;
  if (form === 'level') return true;
  if (form === 'log' || form === 'index') {
    return !isRate(units) && observations.every(({ value }) => value === null || value > 0);
  }
  if (isThinned === true || (form === 'percent' && isRate(units))) return false;
  return inForm(history, form, '').observations.length > 0;
}

/** Converts a history; `from` is the plot's left edge. Values without a base become null; leading ones are cut. */
export function inForm(history: History, form: Form, from: string): History {
  const { observations, units, frequency } = history;
  if (form === 'level' || form === 'log') return history;
  const points = isRate(units) ? 'Percentage points' : units;
  if (form === 'index') {
    const base = observations.find(({ date, value }) => date >= from && value !== null);
    return derived(history, 'Index', `${formatPeriod(base?.date ?? '', frequency)} = 100`, (now) =>
      base?.value ? (100 * now) / base.value : null,
    );
  }
  if (form === 'change') {
    return derived(history, points, 'change from the previous period', (now, at) => {
      const before = observations[at - 1]?.value ?? null;
      return before === null ? null : now - before;
    });
  }
  const isPercent = form === 'percent';
  return derived(history, isPercent ? 'Percent' : points, 'change in a year', (now, at) => {
    const before = yearBefore(observations, at);
    if (before === undefined || (isPercent && before <= 0)) return null;
    return isPercent ? (100 * (now - before)) / before : now - before;
  });
}

function derived(
  history: History,
  units: string,
  note: string,
  derive: (now: number, at: number) => number | null,
): History {
  const all = history.observations.map(({ date, value }, at) => ({
    date,
    value: value === null ? null : derive(value, at),
  }));
  const first = all.findIndex(({ value }) => value !== null);
  return { ...history, units, note, observations: first < 0 ? [] : all.slice(first) };
}

function isRate(units: string): boolean {
  return /^percent/i.test(units);
}

/** The same day in an earlier year; even a 29 February that does not exist sorts correctly. */
function yearsBefore(date: string, years: number): string {
  return `${String(Number(date.slice(0, 4)) - years).padStart(4, '0')}${date.slice(4)}`;
}
