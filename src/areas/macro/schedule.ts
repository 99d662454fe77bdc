import type { Database } from 'better-sqlite3';
import { shiftDay } from '../../core/time.ts';
import { HttpError, isUnsent } from '../../upstream/errors.ts';
import {
  easternDay,
  easternInstant,
  easternTime,
  periodEnd,
  shiftBusinessDays,
} from './agencies/calendar.ts';
import { FEEDS, type Feed, OWN_TIMES } from './agencies/feed.ts';
import { listFirstReleases } from './agency-ingest.ts';
import { MismatchError } from './continuation.ts';
import { findLastDate, findSeries, listPublicationDays, type RefreshState } from './queries.ts';
import { listReleaseDays, nextDate, type Released, usualLag } from './releases.ts';

// What is due, and when a failed source is tried again: for calls and for a sync alike.

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Usual days between releases, for a series without release history. */
const USUAL_GAP: Readonly<Record<string, number>> = {
  Daily: 1,
  Weekly: 7,
  Monthly: 30,
  Quarterly: 30,
  Annual: 90,
};
/** Hours between queries of FRED while a release is overdue. */
const ASK_AGAIN: Readonly<Record<string, number>> = {
  Daily: 4,
  Weekly: 8,
  Monthly: 12,
  Quarterly: 24,
  Annual: 48,
};
/** The same of agencies. */
const USUAL_ASK_AGAIN_HOURS = 3;
/** Retry delay after a source was unreachable; short, so that a restored network is used soon. */
const RETRY_UNREACHABLE_MS = 60_000;
const UPDATES_REACH_MS = 12 * DAY_MS;
/** Release history from which FRED's next due date is estimated, in days. */
const DAYS_OF_VINTAGES = 800;
/** The same for the lag of an agency's series, and the least number of releases. */
const DAYS_OF_RELEASES = 366;
const MIN_RELEASES = 3;
/** What came later after its usual day was no first release, or one that says nothing of the next. */
const LONGEST_DELAY_DAYS = 20;
/** Number of past gaps whose median predicts the next. */
const RELEASES = 12;
/** Hour (UTC) by which most figures are published; later ones are found by the next query. */
const RELEASE_HOUR = 14;
/** Ignore a due date further ahead: it came from a clock that was ahead. */
const FURTHEST_MS = 400 * DAY_MS;

/**
 * When to query a series next: its last release plus the median of the last twelve gaps, or a few
 * hours from now when that has passed without a release. `days` are publication dates, oldest first.
 */
export function nextDue(frequency: string, days: readonly string[], now: Date): Date {
  const recent = days.slice(-RELEASES - 1);
  const gaps = recent.slice(1).map((day, index) => daysBetween(recent[index] ?? day, day));
  const gap = gaps.length < 3 ? (USUAL_GAP[frequency] ?? 30) : medianOf(gaps);
  const last = recent.at(-1);
  const askAgain = now.getTime() + (ASK_AGAIN[frequency] ?? 24) * HOUR_MS;
  if (last === undefined) return new Date(askAgain);
  const expected = Date.parse(`${last}T00:00:00Z`) + gap * DAY_MS + RELEASE_HOUR * HOUR_MS;
  return new Date(Math.max(expected, askAgain));
}

/** Whether a series should be queried; `due` is null while nothing came from FRED. */
export function isDue(due: string | null, now: Date): boolean {
  if (due === null) return true;
  const left = Date.parse(due) - now.getTime();
  return left <= 0 || left > FURTHEST_MS;
}

/** Within the back-off after a failure. */
function isBackingOff({ retryAt }: { retryAt: string | null }, now: Date): boolean {
  return retryAt !== null && !isDue(retryAt, now);
}

/** Whether FRED is to be asked: due, and not within the back-off after a failure. */
export function isFredDue(state: RefreshState, now: Date): boolean {
  // Without anything of FRED, `nextDue` is that of an agency.
  const due = state.lastVintage === null ? null : state.nextDue;
  return isDue(due, now) && !isBackingOff(state, now);
}

/** Whether an agency is to be asked; FRED's back-off does not hold it back where it fills in. */
export function isAgencyDue(
  { nextDue, retryAt }: Pick<RefreshState, 'nextDue' | 'retryAt'>,
  now: Date,
  fillsIn = false,
): boolean {
  return isDue(nextDue, now) && (fillsIn || !isBackingOff({ retryAt }, now));
}

/** When to retry after a failure: half the time overdue, between 15 minutes and 6 hours. */
export function retryAfter(due: string | null, now: Date): Date {
  const overdue = due === null ? 0 : now.getTime() - Date.parse(due);
  const wait = Math.min(6 * HOUR_MS, Math.max(HOUR_MS / 4, overdue / 2));
  return new Date(now.getTime() + wait);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 1;
}

/** Whether FRED's list of updates, of the last two weeks, reaches back to a check; with a margin for time zones and weekends. */
export function isWithinUpdates(checkedAt: string, now: Date): boolean {
  const age = now.getTime() - Date.parse(checkedAt);
  return age >= 0 && age <= UPDATES_REACH_MS;
}

/** When FRED has the next figures of a series, estimated from its own release dates; ISO 8601. */
export function nextFredDue(db: Database, seriesId: string, now: Date): string {
  const since = shiftDay(now.toISOString().slice(0, 10), -DAYS_OF_VINTAGES);
  const frequency = findSeries(db, seriesId)?.frequency ?? 'Monthly';
  return nextDue(frequency, listPublicationDays(db, seriesId, since), now).toISOString();
}

/** When an agency has the next figure of a series; ISO 8601. */
export function nextAgencyDue(
  db: Database,
  feed: Feed,
  { seriesId, frequency }: Pick<RefreshState, 'seriesId' | 'frequency'>,
  now: Date,
): string {
  const last = findLastDate(db, seriesId) ?? easternDay(now);
  const lagDays = ownLag(db, { seriesId, frequency }, last);
  const own = lagDays === undefined ? {} : { lagDays };
  return nextFigureDue({ seriesId, frequency, feed, ...own }, last, now).toISOString();
}

/** The median lag of the observed first releases of the last year; undefined where few are known. */
function ownLag(db: Database, { seriesId, frequency }: Released, last: string) {
  const lags = listFirstReleases(db, seriesId, shiftDay(last, -DAYS_OF_RELEASES))
    .map(({ date, released }) => daysBetween(periodEnd(frequency, date), released))
    .filter((days) => days >= 0 && days <= usualLag(seriesId) + LONGEST_DELAY_DAYS);
  return lags.length < MIN_RELEASES ? undefined : medianOf(lags);
}

/** When to ask for the figure after `last`, the last date stored; a few hours from now when that has passed. */
export function nextFigureDue(
  series: Released & { feed: Pick<Feed, 'name'> },
  last: string,
  now: Date,
): Date {
  const { seriesId, frequency, feed } = series;
  const [day] = listReleaseDays(series, nextDate(frequency, last));
  const time = OWN_TIMES[seriesId] ?? FEEDS[feed.name]?.released ?? '12:00';
  const again = askAgain(feed, now);
  const due = easternInstant(day, time);
  if (due > again) return due;
  const shown = easternTime(again);
  // On a weekend nothing comes out, so the next try waits for a business day.
  return easternInstant(shiftBusinessDays(shown.day, 0), shown.time);
}

/** When to ask again for what is overdue. */
export function askAgain({ name }: Pick<Feed, 'name'>, now: Date): Date {
  const hours = FEEDS[name]?.askAgainHours ?? USUAL_ASK_AGAIN_HOURS;
  return new Date(now.getTime() + hours * HOUR_MS);
}

/** When to try a source again after a failure; ISO 8601. */
export function retryTime(
  error: Error,
  { due, feed }: { due: string | null; feed?: Pick<Feed, 'name'> },
  now: Date,
): string {
  if (isUnsent(error)) return new Date(now.getTime() + RETRY_UNREACHABLE_MS).toISOString();
  // The same figures would be refused again.
  if (error instanceof MismatchError && feed) return askAgain(feed, now).toISOString();
  const paused = error instanceof HttpError && feed ? (error.retryAfterMs ?? 0) : 0;
  const times = [retryAfter(due, now).getTime(), now.getTime() + paused];
  return new Date(Math.max(...times)).toISOString();
}
