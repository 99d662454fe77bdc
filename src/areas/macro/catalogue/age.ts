import lags from '../../../../data/release-lags.json' with { type: 'json' };
import type { SeriesRow } from '../queries.ts';

const DAY_MS = 86_400_000;
/** A series that brought nothing for so long after its next figure was due has ended. */
const GRACE_DAYS = 365;
const MONTHS: Readonly<Record<string, number>> = { Monthly: 1, Quarterly: 3, Annual: 12 };
/** Days from one observation to the next, weekends and holidays included. */
const DAYS: Readonly<Record<string, number>> = { Daily: 4, Weekly: 7 };
const LAGS: ReadonlyMap<string, { lag_days: number }> = new Map(Object.entries(lags));

/** Whether the figures of a series end long before its usual lag, seen from `at`. */
export function hasEnded({ seriesId, frequency, observationEnd }: SeriesRow, at: Date): boolean {
  if (observationEnd === null) return false;
  // The next period ends two periods after the date of the last one, which is its first day.
  const periods = (MONTHS[frequency] ?? 0) * 2;
  const next = new Date(`${observationEnd}T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + periods);
  const days = (DAYS[frequency] ?? 0) + (LAGS.get(seriesId)?.lag_days ?? 0) + GRACE_DAYS;
  return at.getTime() > next.getTime() + days * DAY_MS;
}
