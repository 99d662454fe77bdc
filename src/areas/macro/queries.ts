import type { Database } from 'better-sqlite3';
import type { AgencyName } from './agencies/feed.ts';

/** What the catalogue says of a series, with or without figures. */
export interface CatalogueEntry {
  seriesId: string;
  indicator: string;
  category: string;
  title: string;
  frequency: string;
  units: string;
  seasonalAdjustment: string;
  source: string;
  copyrightStatus: string;
}

export interface SeriesRow extends CatalogueEntry {
  /** Null while no figures are stored; likewise the fields below. */
  observationStart: string | null;
  observationEnd: string | null;
  lastUpdated: string | null;
  /** ISO 8601. */
  taken: string | null;
  /** Of the figures but those that `agency` brought since. */
  origin: 'starter' | 'fred' | null;
  agency: AgencyName | null;
  /** 1 from a failed refresh until one succeeds. */
  stale: 0 | 1;
  /** Why it failed, as a sentence for callers. */
  fault: string | null;
}

/** A current value with the day on which it was first published. */
export interface ObservationRow {
  date: string;
  value: number | null;
  published: string;
  /** 0 where `published` is an estimate. */
  exact: 0 | 1;
  /** The oldest value stored of this date, where a later one replaced it. */
  first?: Omit<ObservationRow, 'first'>;
}

const SERIES_COLUMNS = `
  series_id AS seriesId, indicator, category, title, frequency, units,
  seasonal_adjustment AS seasonalAdjustment, source, copyright_status AS copyrightStatus,
  observation_start AS observationStart, observation_end AS observationEnd,
  last_updated AS lastUpdated, taken, origin, agency, stale, fault`;

/** The catalogue, in its own order. */
export function listSeries(db: Database): SeriesRow[] {
  return db
    .prepare<[], SeriesRow>(`SELECT ${SERIES_COLUMNS} FROM macro_series ORDER BY position`)
    .all();
}

export function findSeries(db: Database, seriesId: string): SeriesRow | undefined {
  return db
    .prepare<{ seriesId: string }, SeriesRow>(
      `SELECT ${SERIES_COLUMNS} FROM macro_series WHERE series_id = @seriesId`,
    )
    .get({ seriesId });
}

/** What a series can be named by. */
export type SeriesNames = Pick<SeriesRow, 'seriesId' | 'indicator' | 'title'>;

const CURRENT = `
  SELECT date, rt_start AS published, value, exact FROM macro_vintage
  WHERE series_id = @seriesId AND rt_end IS NULL`;

/** The last `limit` current values by date, nulls included, oldest first. */
export function listRecent(db: Database, seriesId: string, limit: number): ObservationRow[] {
  return db
    .prepare<object, ObservationRow>(`${CURRENT} ORDER BY date DESC LIMIT @limit`)
    .all({ seriesId, limit })
    .reverse();
}

/** The current values from `start` to `end`, both inclusive, oldest first. */
export function listRange(
  db: Database,
  seriesId: string,
  { start, end }: { start: string; end: string },
): ObservationRow[] {
  return db
    .prepare<object, ObservationRow>(`
      ${CURRENT} AND date BETWEEN @start AND @end ORDER BY date`)
    .all({ seriesId, start, end });
}

/** Adds the oldest value stored to the rows whose value was revised; SQLite takes it from min()'s row. */
function withFirstValues(
  db: Database,
  seriesId: string,
  rows: readonly ObservationRow[],
): readonly ObservationRow[] {
  const [start, end] = [rows[0]?.date, rows.at(-1)?.date];
  if (start === undefined || end === undefined) return rows;
  const firsts = db
    .prepare<object, VintageRow>(`
      SELECT date, min(rt_start) AS published, value, exact
      FROM macro_vintage
      WHERE series_id = @seriesId AND date BETWEEN @start AND @end AND rt_end IS NOT NULL
        AND value IS NOT NULL
      GROUP BY date`)
    .all({ seriesId, start, end });
  const firstOf = new Map(firsts.map((row) => [row.date, row]));
  return rows.map((row) => {
    const first = firstOf.get(row.date);
    return first === undefined ? row : { ...row, first };
  });
}

/** A value of one date, current or superseded. */
export type VintageRow = Omit<ObservationRow, 'first'>;

/** All vintages of the last `dates` dates of a series, by date, the oldest vintage first. */
export function listVintages(db: Database, seriesId: string, dates: number): VintageRow[] {
  return db
    .prepare<object, VintageRow>(`
      SELECT date, rt_start AS published, value, exact
      FROM macro_vintage
      WHERE series_id = @seriesId AND date >= (
        SELECT min(date) FROM (${CURRENT} ORDER BY date DESC LIMIT @dates)
      )
      ORDER BY date, rt_start`)
    .all({ seriesId, dates });
}

/** A series and some of its observations, read in one transaction. */
export interface History {
  series: SeriesRow;
  rows: readonly ObservationRow[];
}

/** A series of the catalogue with its last N observations or those of a window. */
export function readHistory(
  db: Database,
  seriesId: string,
  window: { start: string; end: string } | number,
): History {
  return db.transaction((): History => {
    const series = findSeries(db, seriesId);
    if (series === undefined) throw new Error('a series has left the catalogue');
    const rows =
      typeof window === 'number'
        ? listRecent(db, seriesId, window)
        : listRange(db, seriesId, window);
    return { series, rows: withFirstValues(db, seriesId, rows) };
  })();
}

/** Counts for `status`. */
export function summariseMacro(db: Database): {
  count: number;
  withObservations: number;
  newest: string | null;
  /** When the newest figures were taken, ISO 8601; null while there are none. */
  asOf: string | null;
  /** Number of series whose due refresh failed, and the failure of the first. */
  stale: number;
  fault: string | null;
} {
  const row = db
    .prepare<[], ReturnType<typeof summariseMacro>>(`
      SELECT count(*) AS count, count(observation_end) AS withObservations,
        max(observation_end) AS newest, max(taken) AS asOf, sum(stale) AS stale,
        (SELECT series_id || ': ' || fault FROM macro_series
         WHERE stale = 1 AND fault IS NOT NULL ORDER BY position LIMIT 1) AS fault
      FROM macro_series`)
    .get();
  const none = { count: 0, withObservations: 0, newest: null, asOf: null, stale: 0, fault: null };
  return row ?? none;
}

/** Refresh state of a series. Times are ISO 8601. */
export interface RefreshState {
  seriesId: string;
  /** Latest vintage date, YYYY-MM-DD; null while nothing came from FRED. */
  lastVintage: string | null;
  frequency: string;
  units: string;
  nextDue: string | null;
  /** Earliest next attempt after a failure; null without one. */
  retryAt: string | null;
}

/** The refresh state of every series, in catalogue order. */
export function listRefreshStates(db: Database): RefreshState[] {
  return db
    .prepare<[], RefreshState>(`
      SELECT series_id AS seriesId, last_vintage AS lastVintage, frequency, units,
        next_due AS nextDue, retry_at AS retryAt
      FROM macro_series ORDER BY position`)
    .all();
}

export function findRefreshState(db: Database, seriesId: string): RefreshState | undefined {
  return listRefreshStates(db).find((state) => state.seriesId === seriesId);
}

/** Where the figures of every series come from, in catalogue order. */
export function listSources(db: Database): {
  series_id: string;
  /** `starter`, `fred` or an agency; null while there are no figures. */
  source: string | null;
  /** Newest period. */
  observation_end: string | null;
  /** When the source was last queried, ISO 8601; null for bundled figures. */
  checked_at: string | null;
}[] {
  return db
    .prepare<[], ReturnType<typeof listSources>[number]>(`
      SELECT series_id, coalesce(agency, origin) AS source, observation_end,
        iif(agency IS NULL, checked_at, agency_checked_at) AS checked_at
      FROM macro_series ORDER BY position`)
    .all();
}

/** The last date of a series with a value; null where none is stored. */
export function findLastDate(db: Database, seriesId: string): string | null {
  const last = db
    .prepare<object, string | null>(`
      SELECT date FROM macro_vintage
      WHERE series_id = @seriesId AND rt_end IS NULL AND value IS NOT NULL
      ORDER BY date DESC LIMIT 1`)
    .pluck()
    .get({ seriesId });
  return last ?? null;
}
