import type { Database } from 'better-sqlite3';

export interface SeriesRow {
  seriesId: string;
  indicator: string;
  category: string;
  title: string;
  frequency: string;
  units: string;
  seasonalAdjustment: string;
  source: string;
  copyrightStatus: string;
  /** Null while the series holds nothing, like all that follow. */
  observationStart: string | null;
  observationEnd: string | null;
  lastUpdated: string | null;
  /** ISO 8601. */
  taken: string | null;
  origin: 'starter' | 'fred' | null;
}

/** A current value with the day on which it was first published. */
export interface ObservationRow {
  date: string;
  value: number | null;
  published: string;
  /** 0 where `published` is an estimate. */
  exact: 0 | 1;
}

/** The catalogue in its order. */
export function listSeries(db: Database): SeriesRow[] {
  return db
    .prepare<[], SeriesRow>(`
      SELECT series_id AS seriesId, indicator, category, title, frequency, units,
        seasonal_adjustment AS seasonalAdjustment, source, copyright_status AS copyrightStatus,
        observation_start AS observationStart, observation_end AS observationEnd,
        last_updated AS lastUpdated, taken, origin
      FROM macro_series ORDER BY position`)
    .all();
}

/** The last `limit` current values by date, missing ones included, oldest first. */
export function listRecent(db: Database, seriesId: string, limit: number): ObservationRow[] {
  return db
    .prepare<{ seriesId: string; limit: number }, ObservationRow>(`
      SELECT date, value, rt_start AS published, exact
      FROM macro_vintage
      WHERE series_id = @seriesId AND rt_end IS NULL
      ORDER BY date DESC, rt_start DESC
      LIMIT @limit`)
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
    .prepare<{ seriesId: string; start: string; end: string }, ObservationRow>(`
      SELECT date, value, rt_start AS published, exact
      FROM macro_vintage
      WHERE series_id = @seriesId AND date BETWEEN @start AND @end AND rt_end IS NULL
      ORDER BY date, rt_start`)
    .all({ seriesId, start, end });
}

/** Counts for `status`. */
export function summariseMacro(db: Database): {
  count: number;
  withObservations: number;
  newest: string | null;
  /** When the newest figures were taken, ISO 8601; null while none are held. */
  asOf: string | null;
} {
  const row = db
    .prepare<[], ReturnType<typeof summariseMacro>>(`
      SELECT count(*) AS count, count(observation_end) AS withObservations,
        max(observation_end) AS newest, max(taken) AS asOf
      FROM macro_series`)
    .get();
  return row ?? { count: 0, withObservations: 0, newest: null, asOf: null };
}
