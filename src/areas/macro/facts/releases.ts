import { DAY_MS, shiftDay } from '../../../core/time.ts';
import { FEEDS } from './agencies.ts';
import {
  isBusinessDay,
  isOfficeDay,
  periodEnd,
  shiftBusinessDays,
  shiftPeriods,
} from './calendar.ts';
import { INDICATOR_OF, type Indicator } from './indicators.ts';
import { REVISIONS, recordedDays } from './release-days.ts';
import type { Vintage } from './vintages.ts';

interface Cadence {
  /** The longest time between observations, including weekends and holidays. */
  period: number;
  /** A figure is overdue this long after its estimated release. */
  delay: number;
  /** A first release comes at most this long after its estimated day; anything later is a revision. */
  first: number;
}

/** In days, by frequency. */
const CADENCES: Readonly<Record<string, Cadence>> = {
  Daily: { period: 4, delay: 4, first: 20 },
  Weekly: { period: 7, delay: 4, first: 5 },
  Monthly: { period: 31, delay: 10, first: 20 },
  Quarterly: { period: 92, delay: 15, first: 20 },
  Annual: { period: 366, delay: 30, first: 20 },
};
/** Replaces `delay` and `first` if the day is recorded: FRED takes up to three days to add a figure. */
const DAYS_AFTER_RECORDED = 3;
/** A series whose next figure is overdue by more than this has ended. */
const GRACE_DAYS = 365;

/** What the release days of a series depend on. */
export interface Released {
  seriesId: string;
  frequency: string;
  /** If set, release days are the agency's own, which may precede FRED's. */
  feed?: { name: string } | undefined;
}

/** A series and its last stored date; null without figures. */
type Dated = Released & { observationEnd: string | null };

/** Whether a series is never revised, apart from rare corrections. */
export function isNeverRevised(seriesId: string): boolean {
  return INDICATOR_OF.get(seriesId)?.final ?? false;
}

/** The usual release day of a period; undefined for series with revisions. */
export function finalReleaseOf(seriesId: string, date: string): string | undefined {
  const row = INDICATOR_OF.get(seriesId);
  return row?.final ? listReleaseDays({ seriesId, frequency: row.frequency }, date)[0] : undefined;
}

/**
 * The days, YYYY-MM-DD, on which a period is published: its first release, then those that
 * republish it. They are recorded or, failing that, estimated.
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
  // A month's later figures come out with the first figures of the following months.
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

/** The day of the weekly release that covers `date`: data `through` one weekday come out `on` another (Monday is 1). */
function weeklyDay(date: string, { through, on }: { through: number; on: number }): string {
  let day = toWeekday(shiftDay(toWeekday(date, through), 1), on);
  const week = Array.from({ length: on }, (_, before) => shiftDay(day, -before));
  if (week.every(isOfficeDay)) return day;
  do day = shiftDay(day, 1);
  while (!isOfficeDay(day));
  return day;
}

/** The `nth` weekday `on` (Monday is 1) of the month after `date`; if a holiday, the next business day. */
function monthlyDay(date: string, { nth, on }: { nth: number; on: number }): string {
  const first = toWeekday(shiftPeriods('Monthly', date, 1) ?? date, on);
  return shiftBusinessDays(shiftDay(first, 7 * (nth - 1)), 0);
}

/** The first day on or after `day` with this weekday (Sunday is 0). */
function toWeekday(day: string, weekday: number): string {
  return shiftDay(day, (weekday - new Date(day).getUTCDay() + 7) % 7);
}

/**
 * Estimates the publication day of the value current on `until`: the day of the period's latest release
 * by then. If there was none, or the index is re-estimated: the last business day up to `until`.
 */
export function estimatePublication(series: Released, date: string, until: string): string {
  const { seriesId } = series;
  if (INDICATOR_OF.get(seriesId)?.reestimated) return lastBusinessDay(until);
  const [first, ...later] = listReleaseDays(series, date);
  const days = [...later, ...listRevisions(seriesId, date)];
  const last = days.filter((day) => day <= until).reduce(latestOf, first);
  return last <= until ? last : lastBusinessDay(until);
}

/** Publication days of the revisions that covered this period. */
export function listRevisions(seriesId: string, date: string): string[] {
  return REVISIONS.filter(
    (each) => each.series.includes(seriesId) && each.from <= date && date <= each.to,
  ).map(({ published }) => published);
}

/** The earliest day of a period's second figure: its second release, or the next period's first. */
export function secondRelease(series: Released, date: string): string {
  const [, second] = listReleaseDays(series, date);
  return second ?? listReleaseDays(series, nextDate(series.frequency, date))[0];
}

function latestOf(a: string, b: string): string {
  return a > b ? a : b;
}

/** The last business day on or before `day`. */
export function lastBusinessDay(day: string): string {
  let last = day;
  while (!isBusinessDay(last)) last = shiftDay(last, -1);
  return last;
}

/** The latest possible day of a period's first release; a later figure is a revision. */
export function latestFirstRelease(series: Released, date: string): string {
  const [first] = listReleaseDays(series, date);
  return shiftDay(first, delayOf(series, date, 'first'));
}

function delayOf({ seriesId, frequency }: Released, date: string, kind: 'delay' | 'first'): number {
  const isRecorded = recordedOf(INDICATOR_OF.get(seriesId), frequency, date) !== undefined;
  return isRecorded ? DAYS_AFTER_RECORDED : (CADENCES[frequency]?.[kind] ?? 0);
}

/** Whether the oldest stored vintage of a period is its first print. */
export function isFirstPublished(
  series: Released,
  { date, rtStart, exact, knownFrom }: Vintage,
): boolean {
  return exact === 1
    ? rtStart <= latestFirstRelease(series, date)
    : knownFrom < secondRelease(series, date);
}

/** A due time further ahead than this was written by a fast clock; ignore it. */
const FURTHEST_MS = 40 * DAY_MS;

/** Whether a due time has passed; null means due at once. */
export function hasCome(time: string | null, now: Date): boolean {
  if (time === null) return true;
  const left = Date.parse(time) - now.getTime();
  return left <= 0 || left > FURTHEST_MS;
}

/** The date of the observation after `date`. */
export function nextDate(frequency: string, date: string): string {
  if (frequency === 'Weekly') return shiftDay(date, 7);
  return shiftPeriods(frequency, date, 1) ?? shiftBusinessDays(date, 1);
}

/** Whether a series has stopped: when last fetched, its next figure was over a year overdue. */
export function hasEnded(series: Dated & { taken: string | null }): boolean {
  const { frequency, observationEnd, taken } = series;
  if (observationEnd === null || taken === null) return false;
  const [due] = listReleaseDays(series, nextDate(frequency, observationEnd));
  return ageInDays(due, new Date(taken)) > GRACE_DAYS;
}

/** Whether the next figure is late by more than its usual delay. */
export function isOverdue(series: Dated, at: Date): boolean {
  const { frequency, observationEnd } = series;
  if (observationEnd === null) return false;
  const date = nextDate(frequency, observationEnd);
  return ageInDays(listReleaseDays(series, date)[0], at) > delayOf(series, date, 'delay');
}

/** Whether the calendar has a release later than `after` and no later than `until`. */
export function hasReleasedBetween(series: Dated, after: string, until: string): boolean {
  const next = nextRelease(series, shiftDay(after, 1));
  return next !== undefined && next.date <= until;
}

function ageInDays(day: string, at: Date): number {
  return Math.floor((at.getTime() - Date.parse(day)) / DAY_MS);
}

const A_SUNDAY = '2023-01-01';

interface NextRelease {
  date: string;
  /** Whether the day was seen or announced, rather than estimated or unconfirmed. */
  exact: boolean;
  /** FRED's date for the published period. */
  period: string;
}

/** The first release on `day` or later; undefined for a weekly series whose weekday is unknown. */
export function nextRelease(series: Dated, day: string): NextRelease | undefined {
  const { seriesId, frequency, observationEnd } = series;
  const row = INDICATOR_OF.get(seriesId);
  const dated = row?.weekday === undefined ? observationEnd : shiftDay(A_SUNDAY, row.weekday);
  if (frequency === 'Weekly' && dated === null) return undefined;
  const most = Math.max(0, ...(row?.lag_days ?? [])) + 2 * (CADENCES[frequency]?.period ?? 31);
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

/** The date of the period that contains `day`; weeks are dated by the same weekday as `like`. */
export function periodOf(frequency: string, day: string, like: string): string {
  const month = Number(day.slice(5, 7));
  const startOf = (months: number) =>
    `${day.slice(0, 5)}${String(month - ((month - 1) % months)).padStart(2, '0')}-01`;
  if (frequency === 'Monthly') return startOf(1);
  if (frequency === 'Quarterly') return startOf(3);
  if (frequency === 'Annual') return startOf(12);
  return frequency === 'Weekly'
    ? toWeekday(day, new Date(like).getUTCDay())
    : shiftBusinessDays(day, 0);
}
