import { bisector } from 'd3-array';
import type { History, Observation } from './answer.ts';

// What a history says beyond its values, and which parts of it may be shown.

const DAY_MS = 86_400_000;
/** How much older than a year the observation may be that a change is told from. */
const MAX_LATE_MS = 40 * DAY_MS;
const RANGES = [
  [1, '1Y'],
  [5, '5Y'],
  [10, '10Y'],
] as const;
/** A range with fewer values is no line. */
const MIN_VALUES = 3;

const BY_DATE = bisector(({ date }: Observation) => date);

export interface Range {
  label: string;
  title: string;
  from: string;
}

/** The ranges that show less than all, and all; none where there is nothing to choose. */
export function rangesOf(observations: readonly Observation[]): Range[] {
  const [first, last] = [observations[0]?.date ?? '', observations.at(-1)?.date ?? ''];
  const shorter = RANGES.flatMap(([years, label]) => {
    const from = yearsBefore(last, years);
    const values = observations.filter(({ date, value }) => date >= from && value !== null);
    if (first >= from || values.length < MIN_VALUES) return [];
    return [{ label, title: years === 1 ? 'The last year' : `The last ${years} years`, from }];
  });
  return shorter.length === 0
    ? []
    : [...shorter, { label: 'Max', title: 'All loaded', from: first }];
}

/**
 * The change from a year before an observation: in points where the unit is a percentage, as a
 * percentage where both values are positive, otherwise as it is. Undefined where nothing is stored of
 * that time.
 */
export function changeInYear(
  observations: readonly Observation[],
  index: number,
  units: string,
): { change: number; kind: 'points' | '%' | '' } | undefined {
  const now = observations[index];
  if (now === undefined || now.value === null) return undefined;
  const target = yearsBefore(now.date, 1);
  let at = BY_DATE.right(observations, target) - 1;
  while (observations[at]?.value === null) at -= 1;
  const before = observations[at];
  if (before === undefined || before.value === null) return undefined;
  if (Date.parse(target) - Date.parse(before.date) > MAX_LATE_MS) return undefined;
  const change = now.value - before.value;
  if (isRate(units)) return { change, kind: 'points' };
  if (before.value <= 0 || now.value <= 0) return { change, kind: '' };
  return { change: (100 * change) / before.value, kind: '%' };
}

/**
 * The same series as its change in a year, in percent; undefined where it is a rate already, no value can
 * be compared, or it is thinned, so that the one of a year before may be left out.
 */
export function inYearlyChanges(history: History): History | undefined {
  const { observations, units } = history;
  if (isRate(units) || history.isThinned === true) return undefined;
  const changes = observations.map(({ date }, index) => {
    const yearly = changeInYear(observations, index, units);
    return { date, value: yearly?.kind === '%' ? yearly.change : null };
  });
  const first = changes.findIndex(({ value }) => value !== null);
  if (first < 0) return undefined;
  return { ...history, units: 'Percent, change in a year', observations: changes.slice(first) };
}

function isRate(units: string): boolean {
  return /^percent/i.test(units);
}

/** The same day of an earlier year; of a leap day, a text that sorts in its place. */
function yearsBefore(date: string, years: number): string {
  return `${String(Number(date.slice(0, 4)) - years).padStart(4, '0')}${date.slice(4)}`;
}
