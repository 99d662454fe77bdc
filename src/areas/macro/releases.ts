import dayFile from '../../../data/release-days.json' with { type: 'json' };
import { DAY_MS, shiftDay } from '../../core/time.ts';
import { isBusinessDay, periodEnd, shiftBusinessDays, shiftPeriods } from './agencies/calendar.ts';
import { FEEDS, type Feed } from './agencies/feed.ts';
import { INDICATOR_OF, type Indicator } from './agencies/indicators.ts';

const KNOWN_DAYS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> =
  dayFile.days;

/** A first release comes no later than this after its usual day; what comes later is a revision. */
const LATEST_FIRST_DAYS: Readonly<Record<string, number>> = { Weekly: 5 };
const USUAL_LATEST_FIRST_DAYS = 20;
/** The same after a known day: how long FRED may take to add it. */
const DAYS_AFTER_KNOWN = 3;
const GRACE_DAYS = 365;
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
  /** What brings it, where an agency does. */
  feed?: Pick<Feed, 'name'> | undefined;
}

/** From one observation to the next, weekends and holidays included. */
export function periodDays(frequency: string): number {
  return PERIOD_DAYS[frequency] ?? 31;
}

/** Days from the end of a period to its usual first release. */
function usualLag(seriesId: string): number {
  return INDICATOR_OF.get(seriesId)?.lag_days[0] ?? 0;
}

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
 * that publish it again. Known days of release stand in the place of estimates.
 */
export function listReleaseDays(
  { seriesId, frequency, feed }: Released,
  date: string,
): [first: string, ...later: string[]] {
  const row = INDICATOR_OF.get(seriesId);
  const known = KNOWN_DAYS[row?.release ?? '']?.[date] ?? [];
  const weekdays = frequency === 'Daily' && feed ? FEEDS[feed.name]?.weekdaysLater : undefined;
  const end = periodEnd(frequency, date);
  const estimate = (days: number) =>
    weekdays === undefined
      ? shiftBusinessDays(shiftDay(end, days), 0)
      : shiftBusinessDays(date, weekdays);
  const [usual = 0, ...later] = row?.lag_days ?? [];
  const first = latestOf(known[0] ?? estimate(usual), row?.published_since ?? '');
  // The second figure of a month comes with the first of the next month.
  const withLater = (count: number) =>
    frequency === 'Monthly' ? firstDayOf(row, shiftPeriods(frequency, date, count)) : undefined;
  const again = later.map((days, i) => known[i + 1] ?? withLater(i + 1) ?? estimate(days));
  return [first, ...again.filter((day) => day > first)];
}

/** The known day of the first release of a period. */
function firstDayOf(row: Indicator | undefined, date = ''): string | undefined {
  return KNOWN_DAYS[row?.release ?? '']?.[date]?.[0];
}

/**
 * The day on which the value that was current on `until` was published, estimated: a business day, not
 * before the last release by then that is known to have published the period anew.
 */
export function estimatePublication(series: Released, date: string, until: string): string {
  const { seriesId } = series;
  const revised = dayFile.revisions.filter(
    (each) => each.series.includes(seriesId) && each.from <= date && date <= each.to,
  );
  const [first, ...later] = listReleaseDays(series, date);
  const days = [...later, ...revised.map(({ published }) => published)];
  const last = days.filter((day) => day <= until).reduce(latestOf, first);
  return last <= until ? last : lastBusinessDay(until);
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
  const [first] = listReleaseDays(series, date);
  const isKnown = firstDayOf(INDICATOR_OF.get(series.seriesId), date) !== undefined;
  const usual = LATEST_FIRST_DAYS[series.frequency] ?? USUAL_LATEST_FIRST_DAYS;
  return shiftDay(first, isKnown ? DAYS_AFTER_KNOWN : usual);
}

/** Whether the oldest value stored of a period is the one that came out first. */
export function isFirstPublished(
  series: Released,
  { date, published, exact }: { date: string; published: string; exact: 0 | 1 },
): boolean {
  return exact === 1 && published <= latestFirstRelease(series, date);
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

/** A series with its last date; null while it has no figures. */
type Dated = Released & { observationEnd: string | null };

/** Whether the figure after the last one is overdue by a year, seen from `at`. */
export function hasEnded(series: Dated, at: Date): boolean {
  const { frequency, observationEnd } = series;
  if (observationEnd === null) return false;
  const [due] = listReleaseDays(series, nextDate(frequency, observationEnd));
  return ageInDays(due, at) > GRACE_DAYS;
}

/** Whether the newest figure is older than twice what it usually is before the next one comes. */
export function isOverdue({ seriesId, frequency, observationEnd }: Dated, at: Date): boolean {
  if (observationEnd === null) return false;
  const usual = usualLag(seriesId) + periodDays(frequency);
  return ageInDays(periodEnd(frequency, observationEnd), at) > 2 * usual;
}

function ageInDays(day: string, at: Date): number {
  return Math.floor((at.getTime() - Date.parse(day)) / DAY_MS);
}
