import { DAY_MS, shiftDay } from '../../../core/time.ts';
import { FEEDS } from './agencies.ts';
import { isBusinessDay, periodEnd, shiftBusinessDays, shiftPeriods } from './calendar.ts';
import { INDICATOR_OF, type Indicator } from './indicators.ts';
import { REVISIONS, recordedDays } from './release-days.ts';
import type { Vintage } from './vintages.ts';

/** A first release comes no later than this after its usual day; what comes later is a revision. */
const LATEST_FIRST_DAYS: Readonly<Record<string, number>> = { Weekly: 5 };
const USUAL_LATEST_FIRST_DAYS = 20;
/** The same after a recorded day: the time that FRED takes to add it. */
const DAYS_AFTER_RECORDED = 3;
/** How many days after its estimated day a figure is overdue. */
const USUAL_DELAY_DAYS: Readonly<Record<string, number>> = {
  Daily: 4,
  Weekly: 4,
  Monthly: 10,
  Quarterly: 15,
  Annual: 30,
};
const GRACE_DAYS = 365;
/** From one observation to the next, weekends and holidays included. */
const PERIOD_DAYS: Readonly<Record<string, number>> = {
  Daily: 4,
  Weekly: 7,
  Monthly: 31,
  Quarterly: 92,
  Annual: 366,
};

/** A series whose releases are estimated. */
export interface Released {
  seriesId: string;
  frequency: string;
  /** The agency that brings it, if any. */
  feed?: { name: string } | undefined;
}

/** A series with its last date; null while it has no figures. */
type Dated = Released & { observationEnd: string | null };

/** Whether figures stay as they first came out, but for rare corrections. */
export function isFinal(seriesId: string): boolean {
  return INDICATOR_OF.get(seriesId)?.final ?? false;
}

/** The usual day on which the figure of a period came out for good; undefined where it is revised. */
export function finalReleaseOf(seriesId: string, date: string): string | undefined {
  const row = INDICATOR_OF.get(seriesId);
  return row?.final ? listReleaseDays({ seriesId, frequency: row.frequency }, date)[0] : undefined;
}

/**
 * The business days, YYYY-MM-DD, on which a period is usually published: the first release, then those
 * that publish it again. Recorded days of release stand in the place of estimates.
 */
export function listReleaseDays(
  { seriesId, frequency, feed }: Released,
  date: string,
): [first: string, ...later: string[]] {
  const row = INDICATOR_OF.get(seriesId);
  const recorded = recordedOf(row, frequency, date)?.days ?? [];
  const weekdays = frequency === 'Daily' && feed ? FEEDS[feed.name]?.weekdaysLater : undefined;
  const estimate = (days: number) => {
    if (weekdays !== undefined) return shiftBusinessDays(date, weekdays);
    if (row?.weekly !== undefined) return weeklyDay(date, row.weekly);
    if (row?.monthly !== undefined) return monthlyDay(date, row.monthly);
    const day = shiftDay(periodEnd(frequency, date), days);
    return row?.before_holidays ? lastBusinessDay(day) : shiftBusinessDays(day, 0);
  };
  const [usual = 0, ...later] = row?.lag_days ?? [];
  const first = latestOf(recorded[0] ?? estimate(usual), row?.published_since ?? '');
  // The second figure of a month comes with the first of the next month.
  const withLater = (months: number) => {
    const month = shiftPeriods(frequency, date, months) ?? date;
    const day = shiftBusinessDays(shiftDay(periodEnd(frequency, month), usual), 0);
    return recordedOf(row, frequency, month)?.days[0] ?? day;
  };
  const again = later.map(
    (days, i) => recorded[i + 1] ?? (frequency === 'Monthly' ? withLater(i + 1) : estimate(days)),
  );
  return [first, ...again.filter((day) => day > first)];
}

function recordedOf(row: Indicator | undefined, frequency: string, date = '') {
  return recordedDays(row?.release ?? '', frequency, date);
}

/** The day on which a weekly release brings the figure of a day; weekdays from Monday as 1. */
function weeklyDay(date: string, { through, on }: { through: number; on: number }): string {
  const weekday = (day: string) => new Date(day).getUTCDay();
  let last = date;
  while (weekday(last) !== through) last = shiftDay(last, 1);
  let day = shiftDay(last, 1);
  while (weekday(day) !== on) day = shiftDay(day, 1);
  const isOpen = (each: string) => isBusinessDay(each) && !BESIDE_CHRISTMAS.has(each.slice(5));
  const week = Array.from({ length: on }, (_, before) => shiftDay(day, -before));
  if (week.every(isOpen)) return day;
  do day = shiftDay(day, 1);
  while (!isOpen(day));
  return day;
}

/** Days on which an order of the President often closes the offices, as in 2024 and 2025. */
const BESIDE_CHRISTMAS: ReadonlySet<string> = new Set(['12-24', '12-26']);

/** The nth such weekday, Monday as 1, of the month after the one of `date`. */
function monthlyDay(date: string, { nth, on }: { nth: number; on: number }): string {
  let day = shiftPeriods('Monthly', date, 1) ?? date;
  while (new Date(day).getUTCDay() !== on) day = shiftDay(day, 1);
  return shiftBusinessDays(shiftDay(day, 7 * (nth - 1)), 0);
}

/**
 * The day on which the value that was current on `until` was published, estimated: a business day, not
 * before the last release by then that is known to have published the period anew.
 */
export function estimatePublication(series: Released, date: string, until: string): string {
  const { seriesId } = series;
  if (INDICATOR_OF.get(seriesId)?.reestimated) return lastBusinessDay(until);
  const [first, ...later] = listReleaseDays(series, date);
  const days = [...later, ...listRevisions(seriesId, date)];
  const last = days.filter((day) => day <= until).reduce(latestOf, first);
  return last <= until ? last : lastBusinessDay(until);
}

/** The days of releases that replaced a range of periods with this one. */
export function listRevisions(seriesId: string, date: string): string[] {
  return REVISIONS.filter(
    (each) => each.series.includes(seriesId) && each.from <= date && date <= each.to,
  ).map(({ published }) => published);
}

/** The day on which a period may come out a second time: with another figure of it, or with the next period. */
export function secondRelease(series: Released, date: string): string {
  const [, second] = listReleaseDays(series, date);
  return second ?? listReleaseDays(series, nextDate(series.frequency, date))[0];
}

function latestOf(a: string, b: string): string {
  return a > b ? a : b;
}

/** `day`, or the last business day before it. */
export function lastBusinessDay(day: string): string {
  let last = day;
  while (!isBusinessDay(last)) last = shiftDay(last, -1);
  return last;
}

/** Last day on which a period is first released; what comes later is a revision. */
export function latestFirstRelease(series: Released, date: string): string {
  const { seriesId, frequency } = series;
  const [first] = listReleaseDays(series, date);
  const isRecorded = recordedOf(INDICATOR_OF.get(seriesId), frequency, date) !== undefined;
  const usual = LATEST_FIRST_DAYS[frequency] ?? USUAL_LATEST_FIRST_DAYS;
  return shiftDay(first, isRecorded ? DAYS_AFTER_RECORDED : usual);
}

/** Whether the oldest value stored of a period is the one that came out first. */
export function isFirstPublished(
  series: Released,
  { date, rtStart, exact, knownFrom }: Vintage,
): boolean {
  return exact === 1
    ? rtStart <= latestFirstRelease(series, date)
    : knownFrom < secondRelease(series, date);
}

/** Ignore a due date further ahead: it came from a clock that was ahead. */
const FURTHEST_MS = 40 * DAY_MS;

/** Whether a time has come. */
export function hasCome(time: string | null, now: Date): boolean {
  if (time === null) return true;
  const left = Date.parse(time) - now.getTime();
  return left <= 0 || left > FURTHEST_MS;
}

/** The date of the next observation. */
export function nextDate(frequency: string, date: string): string {
  if (frequency === 'Weekly') return shiftDay(date, 7);
  return shiftPeriods(frequency, date, 1) ?? shiftBusinessDays(date, 1);
}

/** Whether a series has stopped: the figure after the last one was overdue by a year when its source was last asked. */
export function hasEnded(series: Dated & { taken: string | null }): boolean {
  const { frequency, observationEnd, taken } = series;
  if (observationEnd === null || taken === null) return false;
  const [due] = listReleaseDays(series, nextDate(frequency, observationEnd));
  return ageInDays(due, new Date(taken)) > GRACE_DAYS;
}

/** Whether the figure after the last one has been out for longer than its usual delay. */
export function isOverdue(series: Dated, at: Date): boolean {
  const { seriesId, frequency, observationEnd } = series;
  if (observationEnd === null) return false;
  const date = nextDate(frequency, observationEnd);
  const isRecorded = recordedOf(INDICATOR_OF.get(seriesId), frequency, date) !== undefined;
  const delay = isRecorded ? DAYS_AFTER_RECORDED : (USUAL_DELAY_DAYS[frequency] ?? 0);
  return ageInDays(listReleaseDays(series, date)[0], at) > delay;
}

/** Whether a series came out after one day and by another, as far as the calendar knows. */
export function hasReleasedBetween(series: Dated, after: string, until: string): boolean {
  const next = nextRelease(series, shiftDay(after, 1));
  return next !== undefined && next.date <= until;
}

function ageInDays(day: string, at: Date): number {
  return Math.floor((at.getTime() - Date.parse(day)) / DAY_MS);
}

const A_SUNDAY = '2023-01-01';

export interface NextRelease {
  date: string;
  /** Recorded or announced, not estimated. */
  exact: boolean;
  /** The period that it publishes. */
  period: string;
}

/** The first release of a series on `day` or later; undefined where nothing tells how its weeks are dated. */
export function nextRelease(series: Dated, day: string): NextRelease | undefined {
  const { seriesId, frequency, observationEnd } = series;
  const row = INDICATOR_OF.get(seriesId);
  const dated = row?.weekday === undefined ? observationEnd : shiftDay(A_SUNDAY, row.weekday);
  if (frequency === 'Weekly' && dated === null) return undefined;
  const most = Math.max(0, ...(row?.lag_days ?? [])) + 2 * (PERIOD_DAYS[frequency] ?? 31);
  let period = periodOf(frequency, shiftDay(day, -most), dated ?? day);
  let next: NextRelease | undefined;
  while (period <= (next?.date ?? shiftDay(day, most))) {
    const recorded = recordedOf(row, frequency, period);
    for (const date of listReleaseDays(series, period)) {
      if (date < day || (next !== undefined && date > next.date)) continue;
      const isKnown = recorded !== undefined && recorded.status !== 'unconfirmed';
      next = { date, exact: isKnown && recorded.days.includes(date), period };
    }
    period = nextDate(frequency, period);
  }
  return next;
}

/** The period that holds a day; of a weekly series the week that ends with the weekday of `like`. */
function periodOf(frequency: string, day: string, like: string): string {
  const month = Number(day.slice(5, 7));
  const startOf = (months: number) =>
    `${day.slice(0, 5)}${String(month - ((month - 1) % months)).padStart(2, '0')}-01`;
  if (frequency === 'Monthly') return startOf(1);
  if (frequency === 'Quarterly') return startOf(3);
  if (frequency === 'Annual') return startOf(12);
  const days = (Date.parse(like) - Date.parse(day)) / DAY_MS;
  return frequency === 'Weekly' ? shiftDay(day, ((days % 7) + 7) % 7) : shiftBusinessDays(day, 0);
}
