import type { Database } from 'better-sqlite3';

/** Which values of a series are wanted; days are YYYY-MM-DD, both ends of dates inclusive. */
export interface KnownWindow {
  /** Only values known on that day; without it those current now. */
  asOf?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  /** Every value that was ever known by then, not the current one alone. */
  vintages: boolean;
  /** Only values whose first day was observed. */
  strict: boolean;
}

/** A value, and the days between which it is certain to have been current. */
export interface KnownRow {
  date: string;
  value: number | null;
  knownFrom: string;
  /** Null while it is current, seen from the day of the question. */
  knownTo: string | null;
  /** 0 where it may have been published before `knownFrom`. */
  exact: 0 | 1;
  /** The units of that day, where they differ from those of the series. */
  units: string | null;
}

// What ended before it was seen was never certain to be current.
const KNOWN = `
  SELECT date, value, coalesce(known_from, rt_start) AS knownFrom,
    iif(rt_end < @asOf, rt_end, NULL) AS knownTo, exact, units
  FROM macro_vintage
  WHERE series_id = @seriesId AND date BETWEEN @since AND @until
    AND coalesce(known_from, rt_start) <= @asOf AND exact >= @strict
    AND (rt_end IS NULL OR rt_end >= iif(@vintages, coalesce(known_from, rt_start), @asOf))`;

/** After every day that a store can hold: what is current then is current now. */
const NEVER = '9999-12-31';

function bind(seriesId: string, { asOf, since, until, vintages, strict }: KnownWindow) {
  return {
    ...{ seriesId, asOf: asOf ?? NEVER, since: since ?? '', until: until ?? NEVER },
    ...{ vintages: Number(vintages), strict: Number(strict) },
  };
}

/** By date, then by the day of publication; read row by row. */
export function iterateKnown(
  db: Database,
  seriesId: string,
  window: KnownWindow,
): IterableIterator<KnownRow> {
  return db
    .prepare<object, KnownRow>(`${KNOWN} ORDER BY date, rt_start`)
    .iterate(bind(seriesId, window));
}

/** The values of the last `limit` dates that were known on a day, newest first. */
export function listKnown(
  db: Database,
  seriesId: string,
  { asOf, limit }: { asOf: string; limit: number },
): KnownRow[] {
  return db
    .prepare<object, KnownRow>(`${KNOWN} ORDER BY date DESC LIMIT @limit`)
    .all({ ...bind(seriesId, { asOf, vintages: false, strict: false }), limit });
}

/** What the store knows of a series on a day. */
export interface Coverage {
  /** The days on which it came to know values; null where there is none. */
  first: string | null;
  /** The last by the day of the question, and the first after it. */
  before: string | null;
  after: string | null;
  /** First and last of the periods after the first known one that were out by that day, but of which no value is known. */
  missingFrom: string | null;
  missingTo: string | null;
  /** Of the values known that day, where they were others than those of the series. */
  units: string | null;
}

export function findCoverage(
  db: Database,
  seriesId: string,
  window: Omit<KnownWindow, 'vintages'> & { asOf: string },
): Coverage {
  const row = db
    .prepare<object, Coverage>(`
      WITH vintage AS (
        SELECT date, rt_start, rt_end, exact, units, coalesce(known_from, rt_start) AS day
        FROM macro_vintage WHERE series_id = @seriesId
      ), known AS (
        SELECT date, units FROM vintage WHERE day <= @asOf AND coalesce(rt_end, @never) >= @asOf
      ), days AS (
        SELECT min(day) AS first, max(iif(day <= @asOf, day, NULL)) AS before,
          min(iif(day > @asOf, day, NULL)) AS after
        FROM vintage WHERE exact >= @strict
      ), missing AS (
        SELECT date FROM vintage WHERE date BETWEEN @since AND @until GROUP BY date
        HAVING date > coalesce((SELECT min(date) FROM known), '') AND min(rt_start) <= @asOf
          AND NOT max(day <= @asOf AND coalesce(rt_end, @never) >= @asOf)
      )
      SELECT days.*, (SELECT min(date) FROM missing) AS missingFrom,
        (SELECT max(date) FROM missing) AS missingTo,
        (SELECT units FROM known ORDER BY date DESC LIMIT 1) AS units
      FROM days`)
    .get({ ...bind(seriesId, { ...window, vintages: false }), never: NEVER });
  if (row === undefined) throw new Error('a query without rows');
  return row;
}
