import lags from '../../../../data/release-lags.json' with { type: 'json' };
import { shiftPeriods } from '../agencies/calendar.ts';
import type { SeriesRow } from '../queries.ts';

const DAY_MS = 86_400_000;
/** A series that brought nothing for so long after its next figure was due has ended. */
const GRACE_DAYS = 365;
/** Days from one observation to the next, weekends and holidays included. */
const DAYS: Readonly<Record<string, number>> = { Daily: 4, Weekly: 7 };
const LAGS: ReadonlyMap<string, { lag_days: number }> = new Map(Object.entries(lags));

/** Whether the figures of a series end long before its usual lag, seen from `at`. */
export function hasEnded({ seriesId, frequency, observationEnd }: SeriesRow, at: Date): boolean {
  if (observationEnd === null) return false;
  // The next period ends two periods after the date of the last one, which is its first day.
  const next = Date.parse(shiftPeriods(frequency, observationEnd, 2) ?? observationEnd);
  const days = (DAYS[frequency] ?? 0) + (LAGS.get(seriesId)?.lag_days ?? 0) + GRACE_DAYS;
  return at.getTime() > next + days * DAY_MS;
}
