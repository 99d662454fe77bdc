import type { Reader } from '../../core/reader.ts';
import { INDICATOR_OF } from './facts/indicators.ts';
import { recordedDays } from './facts/release-days.ts';

/** Selects values of a series; days are YYYY-MM-DD, both ends inclusive. */
export interface KnownWindow {
  /** Only values known on this day; by default, the current values. */
  asOf?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  /** Every value known by `asOf`, not only the latest. */
  vintages?: boolean;
  /** Only values whose publication day was observed. */
  strict?: boolean;
}

/** A value, and its time: a release that is not stored may have replaced it before `knownTo`. */
export interface KnownRow {
  date: string;
  value: number | null;
  /** The first day on which it is certain to have been current. */
  knownFrom: string;
  /** The day before the next stored value or a time without vintages; null unless before the `asOf` day. */
  knownTo: string | null;
  /** 0 if it may have been published before `knownFrom`. */
  exact: 0 | 1;
  /** Its units, if they differ from the series' current ones. */
  units: string | null;
}

// Omits a value superseded before it was first seen: it was not certainly current on any day.
const KNOWN = `
  SELECT date, value, coalesce(known_from, rt_start) AS knownFrom,
    iif(rt_end < @asOf, rt_end, NULL) AS knownTo, exact, units
  FROM macro_vintage
  WHERE series_id = @seriesId AND date BETWEEN @since AND @until
    AND coalesce(known_from, rt_start) <= @asOf AND exact >= @strict
    AND (rt_end IS NULL OR rt_end >= iif(@vintages, coalesce(known_from, rt_start), @asOf))`;

/** Later than any stored day; values current then are current now. */
const NEVER = '9999-12-31';

function bind(seriesId: string, window: KnownWindow) {
  const { asOf = NEVER, since = '', until = NEVER, vintages = false, strict = false } = window;
  return { seriesId, asOf, since, until, vintages: Number(vintages), strict: Number(strict) };
}

/** Streams the selected values, ordered by date, then publication day. */
export function iterateKnown(db: Reader, seriesId: string, window: KnownWindow) {
  return db
    .prepare<object, KnownRow>(`${KNOWN} ORDER BY date, rt_start`)
    .iterate(bind(seriesId, window));
}

/** How completely the store covers a series as of a day. */
export interface Coverage {
  /** First day on which any value (an exact one, if strict) is known; null if there is none. */
  first: string | null;
  /** The last vintage day up to the `asOf` day, and the first one after it. */
  before: string | null;
  after: string | null;
  /** First and last period that was published by the `asOf` day but whose value on that day is not stored. */
  missingFrom: string | null;
  missingTo: string | null;
  /** Units of the values known on the `asOf` day, if they differ from the series' current ones. */
  units: string | null;
}

export function findCoverage(
  db: Reader,
  seriesId: string,
  window: KnownWindow & { asOf: string },
): Coverage {
  const released = findReleased(db, seriesId, window.asOf);
  const row = db
    .prepare<object, Coverage>(`
      WITH vintage AS (
        SELECT date, value, rt_start, rt_end, exact, units, coalesce(known_from, rt_start) AS day
        FROM macro_vintage WHERE series_id = @seriesId
      ), known AS (
        SELECT date, exact, units FROM vintage WHERE day <= @asOf AND coalesce(rt_end, @never) >= @asOf
      ), days AS (
        SELECT min(day) AS first, max(iif(day <= @asOf, day, NULL)) AS before,
          min(iif(day > @asOf, day, NULL)) AS after
        FROM vintage WHERE exact >= @strict
      ), missing AS (
        SELECT date FROM vintage WHERE date BETWEEN @since AND @until GROUP BY date
        HAVING (min(rt_start) <= @asOf
            -- If the first print is not stored, rt_start is later than the recorded release.
            OR date <= @released AND date > (SELECT min(date) FROM known) AND max(value) IS NOT NULL)
          AND NOT max(day <= @asOf AND coalesce(rt_end, @never) >= @asOf)
          AND (date > coalesce((SELECT min(date) FROM known), '')
            -- Earlier periods were withdrawn if a vintage began the day after their last value ended.
            OR coalesce(date(max(iif(day <= @asOf, rt_end, NULL)), '+1 day'), '')
              NOT IN (SELECT day FROM vintage))
      )
      SELECT days.*, (SELECT min(date) FROM missing) AS missingFrom,
        (SELECT max(date) FROM missing) AS missingTo,
        (SELECT units FROM known WHERE exact >= @strict ORDER BY date DESC LIMIT 1) AS units
      FROM days`)
    .get({ ...bind(seriesId, window), released, never: NEVER });
  if (row === undefined) throw new Error('a query without rows');
  return row;
}

/** More periods than a release can be late by. */
const MOST_LATE = 9;

/** The last stored period whose first release is recorded by a day; empty if there is none. */
function findReleased(db: Reader, seriesId: string, day: string): string {
  const { release = '', frequency = '' } = INDICATOR_OF.get(seriesId) ?? {};
  const dates = db
    .prepare<object, string>(`
      SELECT DISTINCT date FROM macro_vintage WHERE series_id = @seriesId AND date <= @day
      ORDER BY date DESC LIMIT ${MOST_LATE}`)
    .pluck()
    .all({ seriesId, day });
  const isOut = (date: string) => {
    const recorded = recordedDays(release, frequency, date);
    return recorded?.status === 'seen' && (recorded.days[0] ?? day) <= day;
  };
  return dates.find(isOut) ?? '';
}
