import { group, max } from 'd3-array';
import { shiftDay } from '../../../core/time.ts';

/** A value for a date, and the period in which it was current. */
export interface Vintage {
  /** FRED's date for the period, YYYY-MM-DD: its first day, or the last day of a week. */
  date: string;
  /** Null if the source publishes a missing value. */
  value: number | null;
  /** Day on which the value was published, YYYY-MM-DD. */
  rtStart: string;
  /** Last day on which it was current; null while it is. */
  rtEnd: string | null;
  /** 0 if `rtStart` is an estimate. */
  exact: 0 | 1;
  /** First day on which it was certainly current; never before `rtStart`. */
  knownFrom: string;
  /** Its units, such as "Index 1987=100", if they differ from the series' current ones. */
  units?: string | null;
}

/**
 * Joins abutting vintages of equal value: republishing a value is not a revision, and rows clipped
 * at a window boundary belong together. `vintages` are sorted by date, then rtStart; those of one
 * date must not overlap.
 */
export function joinAbutting(vintages: readonly Vintage[]): Vintage[] {
  const joined: Vintage[] = [];
  for (const vintage of vintages) {
    const last = joined.at(-1);
    const isNext = last?.rtEnd && shiftDay(last.rtEnd, 1) === vintage.rtStart;
    if (isNext && last.date === vintage.date && isEqual(last, vintage)) {
      joined[joined.length - 1] = { ...last, rtEnd: vintage.rtEnd };
    } else {
      joined.push(vintage);
    }
  }
  return joined;
}

function isEqual(a: Vintage, b: Vintage): boolean {
  return a.value === b.value && (a.units ?? null) === (b.units ?? null);
}

/** Maximum number of decimals; a single value may have lost trailing zeros, as 4.0 does. */
export function decimalsOf(values: readonly Pick<Vintage, 'value'>[]): number {
  const counts = values.map(({ value }) => String(value ?? 0).split('.')[1]?.length ?? 0);
  return max(counts) ?? 0;
}

/** Whether the older value may be the newer one rounded to this many decimals. */
export function isRounding(older: number | null, newer: number | null, decimals: number): boolean {
  if (older === null || newer === null) return false;
  return Math.abs(newer - older) <= 0.5 * 10 ** -decimals + 1e-9;
}

/** The date of a period and its value, null if missing. */
export type Dated = Pick<Vintage, 'date' | 'value'>;

type Placed = Pick<Vintage, 'date' | 'rtStart'>;

/** Orders by date, then publication day. */
export function compareVintages(a: Placed, b: Placed): number {
  const [one, other] = [a.date + a.rtStart, b.date + b.rtStart];
  return one < other ? -1 : Number(one > other);
}

export function groupByDate<T extends { date: string }>(vintages: readonly T[]): Map<string, T[]> {
  return group(vintages, ({ date }) => date);
}

/**
 * Merges two sources' vintages of one date, in the order in which they became certain. Drops
 * repeated values. A vintage that ended before the next one began leaves a gap.
 */
export function mergeVintages(one: readonly Vintage[], other: readonly Vintage[]): Vintage[] {
  const merged: Vintage[] = [];
  for (const vintage of [...one, ...other].sort((a, b) => (a.knownFrom < b.knownFrom ? -1 : 1))) {
    const last = merged.at(-1);
    if (last && (isEqual(last, vintage) || last.knownFrom === vintage.knownFrom)) {
      if (vintage.rtEnd === null) merged[merged.length - 1] = { ...last, rtEnd: null };
      continue;
    }
    const isAfter = last === undefined || vintage.rtStart > last.knownFrom;
    merged.push(isAfter ? vintage : { ...vintage, rtStart: vintage.knownFrom, exact: 0 });
  }
  return merged.map((vintage, at) => {
    const next = merged[at + 1];
    const end = next && shiftDay(next.rtStart, -1);
    const isLonger = end !== undefined && (vintage.rtEnd === null || vintage.rtEnd > end);
    return isLonger ? { ...vintage, rtEnd: end } : vintage;
  });
}

/**
 * Merges FRED's vintages, all of them or those from `since` on, into the sorted `stored` ones. For
 * each date, FRED's replace those that became known no earlier than FRED's first one. Dates that
 * FRED lacks stay.
 */
export function mergeFill(
  stored: readonly Vintage[],
  { since, vintages }: { since: string | null; vintages: readonly Vintage[] },
): Vintage[] {
  const [before, updates] = [groupByDate(stored), groupByDate(vintages)];
  return [...new Set([...before.keys(), ...updates.keys()])].flatMap((date) => {
    const rows = before.get(date) ?? [];
    const [first, ...others] = updates.get(date) ?? [];
    if (first === undefined) return rows;
    // FRED clips older rows to `since`; keep the stored exactness.
    const same = rows.find(({ rtStart }) => first.rtStart === since && rtStart === since);
    const { exact, knownFrom } = same ?? first;
    const own = rows
      .filter((row) => row.knownFrom < first.rtStart)
      // An estimate is dropped if FRED has an exact day for the same value.
      .filter(
        (row) =>
          row.exact >= exact ||
          row.value !== first.value ||
          row.rtEnd !== null ||
          first.rtStart === since,
      )
      .map((row) => {
        const end = shiftDay(first.rtStart, -1);
        return row.rtEnd === null || row.rtEnd > end ? { ...row, rtEnd: end } : row;
      });
    const merged = joinAbutting([...own, { ...first, exact, knownFrom }, ...others]);
    return hasValue(merged) || !hasValue(rows) ? merged : rows;
  });
}

function hasValue(vintages: readonly Vintage[]): boolean {
  return vintages.some(({ value }) => value !== null);
}
