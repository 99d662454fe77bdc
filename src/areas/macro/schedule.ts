import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import { isUnsent } from '../../upstream/failures.ts';
import { FEEDS, OWN_TIMES } from './facts/agencies.ts';
import { easternInstant, easternTime, shiftBusinessDays } from './facts/calendar.ts';
import { MismatchError } from './facts/continuation.ts';
import { hasCome, listReleaseDays, nextDate, type Released } from './facts/releases.ts';
import type { SeriesRow } from './queries.ts';

// Decides, for calls and syncs alike, whether a source is due and how long a failure delays the next attempt.
// The rate limiter enforces the pauses that upstreams ask for; `sync --force` lifts them.

/** Default number of hours between queries while a release is overdue. */
const USUAL_ASK_AGAIN_HOURS = 3;
/** Longest time between queries: revisions may come without a release. */
const LONGEST_MS = 31 * DAY_MS;
/** Delay after a source was unreachable: short, to notice soon that the network is back. */
const RETRY_UNREACHABLE_MS = 60_000;

type Schedule = Pick<SeriesRow, 'lastVintage' | 'nextDue' | 'retryAt'>;

/** Whether a source may have new figures. FRED is due before its first fill: `nextDue` is then the agency's. */
export function isDue(isFred: boolean, { lastVintage, nextDue }: Schedule, now: Date): boolean {
  return (isFred && lastVintage === null) || hasCome(nextDue, now);
}

/**
 * Whether to query a source for a series now. A sync ignores the back-off: the user may have fixed the cause of
 * a failure.
 */
export function isTurn(isFred: boolean, series: Schedule, isSync: boolean, now: Date): boolean {
  return isDue(isFred, series, now) && (isSync || hasCome(series.retryAt, now));
}

/**
 * When to query next: when the figure after `last`, the last stored date, or a revision of `last` is due,
 * whichever comes first; within a month, and at the earliest in a few hours.
 */
export function nextReleaseAfter(series: Released, last: string, now: Date): Date {
  const { seriesId, frequency, feed } = series;
  const time = OWN_TIMES[seriesId] ?? FEEDS[feed?.name ?? '']?.released ?? '12:00';
  const [first] = listReleaseDays(series, nextDate(frequency, last));
  // A month's revisions come out with the next month's first figure.
  const [, ...later] = frequency === 'Monthly' ? [] : listReleaseDays(series, last);
  const revisions = later.map((day) => easternInstant(day, time)).filter((at) => at > now);
  const due = Math.min(
    ...[easternInstant(first, time), ...revisions].map((at) => at.getTime()),
    now.getTime() + LONGEST_MS,
  );
  const again = askAgain(series, now);
  if (due > again.getTime()) return new Date(due);
  const shown = easternTime(again);
  // Nothing is published on weekends and federal holidays.
  return easternInstant(shiftBusinessDays(shown.day, 0), shown.time);
}

function askAgain({ feed }: Pick<Released, 'feed'>, now: Date): Date {
  const hours = FEEDS[feed?.name ?? '']?.askAgainHours ?? USUAL_ASK_AGAIN_HOURS;
  return new Date(now.getTime() + hours * HOUR_MS);
}

/** When to try a source again after a failure; ISO 8601. */
export function retryTime(
  error: Error,
  { due, feed }: { due: string | null } & Pick<Released, 'feed'>,
  now: Date,
): string {
  if (isUnsent(error)) return new Date(now.getTime() + RETRY_UNREACHABLE_MS).toISOString();
  // An earlier retry would only get the same figures again.
  if (error instanceof MismatchError) return askAgain({ feed }, now).toISOString();
  // Half the time overdue, between 15 minutes and 6 hours.
  const overdue = due === null ? 0 : now.getTime() - Date.parse(due);
  const delay = Math.min(6 * HOUR_MS, Math.max(HOUR_MS / 4, overdue / 2));
  return new Date(now.getTime() + delay).toISOString();
}
