import { shiftDay } from './time.ts';

// What readers of upstreams deliver passes here before it is stored, in every area: dates, losses, values
// and clocks.

/** Whether a period can exist: not before the first one of its series, and none after tomorrow. */
export function isPossibleDate(
  date: string,
  { first, today }: { first: string | null; today: string },
): boolean {
  return date >= (first ?? '') && date <= shiftDay(today, 1);
}

/** Where the next request begins: the day that an upstream reports, unless its clock is ahead of ours. */
export function checkpointOf(reported: string, today: string): string {
  return reported < today ? reported : today;
}

/** Stored entries that a reply may lack: so many, or this share. */
const MAX_LOST = 5;
const MAX_LOST_SHARE = 0.2;

/** Whether a reply that lacks `lost` of the stored entries has lost history. */
export function losesTooMany(lost: number, stored: number): boolean {
  return lost > Math.max(MAX_LOST, stored * MAX_LOST_SHARE);
}

/** A value by the start of its period, YYYY-MM-DD; null where it is missing. */
interface Dated {
  date: string;
  value: number | null;
}

/** A shock is smaller: claims rose 15 times the largest step before in March 2020, payrolls fell 10 times in April. */
const MAX_STEPS = 20;
/** Fewer values show no usual step. */
const MIN_VALUES = 12;

/** Median ratio of values sent to those stored above which, or below whose inverse, they count something else. */
const MAX_SCALE = 5;

/** Whether values that ought to be the stored ones are several times as large or as small. */
export function isOtherScale(pairs: readonly { before: number; after: number }[]): boolean {
  const ratios = pairs
    .flatMap(({ before, after }) => (before === 0 ? [] : after / before))
    .sort((a, b) => a - b);
  const median = ratios[Math.floor(ratios.length / 2)] ?? 1;
  return ratios.length >= MIN_VALUES && !(median < MAX_SCALE && median > 1 / MAX_SCALE);
}

/** The largest step between two values of a history; infinite while the history is short. */
export function largestStep(history: readonly Dated[]): number {
  const values = history.flatMap(({ value }) => value ?? []);
  if (values.length < MIN_VALUES) return Number.POSITIVE_INFINITY;
  return values.reduce(
    (largest, value, at) => Math.max(largest, Math.abs(value - (values[at - 1] ?? value))),
    0,
  );
}

/**
 * The new or changed values that need a second reply to be believed: below zero where none can be, or further from
 * the value before than 20 times the largest step ever. Both lists are in order of date; `doubted` are the
 * values that an earlier reply brought, by date, which this one may confirm.
 */
export function listDoubtful(
  sent: readonly Dated[],
  stored: readonly Dated[],
  {
    step,
    isSigned,
    doubted,
  }: { step: number; isSigned: boolean; doubted: ReadonlyMap<string, number | null> },
): { date: string; value: number; isConfirmed: boolean }[] {
  const before = new Map(stored.map(({ date, value }) => [date, value]));
  const after = new Map([...before, ...sent.map(({ date, value }) => [date, value] as const)]);
  const dates = [...after.keys()].sort();
  let last = stored.find(({ value }) => value !== null)?.value ?? null;
  return dates.flatMap((date) => {
    const value = after.get(date) ?? null;
    if (value === null) return [];
    const isNews = before.get(date) !== value;
    const isFar = last !== null && Math.abs(value - last) > MAX_STEPS * step;
    const isDoubtful = isNews && (isFar || (value < 0 && !isSigned));
    const isConfirmed = doubted.get(date) === value;
    if (!isDoubtful || isConfirmed) last = value;
    return isDoubtful ? [{ date, value, isConfirmed }] : [];
  });
}
