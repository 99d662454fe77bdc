import type { Database } from 'better-sqlite3';
import { remembered } from '../../store/remember.ts';
import { keepStatement } from '../../store/statements.ts';

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
  /** 1 after a refresh that failed, until one succeeds. */
  stale: 0 | 1;
  /** Why it failed. */
  fault: string | null;
}

/** A current value with the day on which it was first published. */
export interface ObservationRow {
  date: string;
  value: number | null;
  published: string;
  /** 0 where `published` is an estimate. */
  exact: 0 | 1;
}

const SERIES_COLUMNS = `
  series_id AS seriesId, indicator, category, title, frequency, units,
  seasonal_adjustment AS seasonalAdjustment, source, copyright_status AS copyrightStatus,
  observation_start AS observationStart, observation_end AS observationEnd,
  last_updated AS lastUpdated, taken, origin, stale, fault`;

const seriesInOrder = keepStatement((db) =>
  db.prepare<[], SeriesRow>(`SELECT ${SERIES_COLUMNS} FROM macro_series ORDER BY position`),
);

/** The catalogue in its order. */
export function listSeries(db: Database): SeriesRow[] {
  return seriesInOrder(db).all();
}

const seriesById = keepStatement((db) =>
  db.prepare<{ seriesId: string }, SeriesRow>(
    `SELECT ${SERIES_COLUMNS} FROM macro_series WHERE series_id = @seriesId`,
  ),
);

export function findSeries(db: Database, seriesId: string): SeriesRow | undefined {
  return seriesById(db).get({ seriesId });
}

/** The names of a series, and the category it stands in. */
export type SeriesNames = Pick<SeriesRow, 'seriesId' | 'indicator' | 'title' | 'category'>;

const namesInOrder = keepStatement((db) =>
  db
    .prepare<[], [seriesId: string, indicator: string, title: string, category: string]>(
      'SELECT series_id, indicator, title, category FROM macro_series ORDER BY position',
    )
    .raw(),
);

/** The names of all series in the order of the catalogue. */
export function listNames(db: Database): readonly SeriesNames[] {
  return names(db, '', () =>
    namesInOrder(db)
      .all()
      .map(([seriesId, indicator, title, category]) => ({ seriesId, indicator, title, category })),
  );
}

const names = remembered<readonly SeriesNames[]>();

/** A row as an array: of 16,000 of them, objects with names take SQLite's driver half as long again. */
type RawObservation = [date: string, value: number | null, published: string, exact: 0 | 1];

function toRow([date, value, published, exact]: RawObservation): ObservationRow {
  return { date, value, published, exact };
}

const recentObservations = keepStatement((db) =>
  db
    .prepare<{ seriesId: string; limit: number }, RawObservation>(`
      SELECT date, value, rt_start, exact
      FROM macro_vintage
      WHERE series_id = @seriesId AND rt_end IS NULL
      ORDER BY date DESC, rt_start DESC
      LIMIT @limit`)
    .raw(),
);

/** The last `limit` current values by date, missing ones included, oldest first. */
export function listRecent(db: Database, seriesId: string, limit: number): ObservationRow[] {
  return recentObservations(db).all({ seriesId, limit }).reverse().map(toRow);
}

/** The current values from `start` to `end`, both inclusive, oldest first. */
export function listRange(
  db: Database,
  seriesId: string,
  { start, end }: { start: string; end: string },
): ObservationRow[] {
  return db
    .prepare<{ seriesId: string; start: string; end: string }, RawObservation>(`
      SELECT date, value, rt_start, exact
      FROM macro_vintage
      WHERE series_id = @seriesId AND date BETWEEN @start AND @end AND rt_end IS NULL
      ORDER BY date, rt_start`)
    .raw()
    .all({ seriesId, start, end })
    .map(toRow);
}

/** A series and some of its observations as of one moment. */
export interface History {
  series: SeriesRow;
  rows: readonly ObservationRow[];
}

const recent = remembered<History | undefined>();

/**
 * A series with its last observations, or those of a window, as of one moment, whatever is being
 * written. Undefined for an id that is not in the catalogue.
 */
export function readHistory(
  db: Database,
  seriesId: string,
  asked: { start: string; end: string } | number,
): History | undefined {
  const read = () =>
    db.transaction((): History | undefined => {
      const series = findSeries(db, seriesId);
      if (series === undefined) return undefined;
      const rows =
        typeof asked === 'number'
          ? listRecent(db, seriesId, asked)
          : listRange(db, seriesId, asked);
      return { series, rows };
    })();
  // A window may hold all of a series, which is too much to keep.
  return typeof asked === 'number' ? recent(db, `${seriesId} ${asked}`, read) : read();
}

/** Counts for `status`. */
export function summariseMacro(db: Database): {
  count: number;
  withObservations: number;
  newest: string | null;
  /** When the newest figures were taken, ISO 8601; null while none are held. */
  asOf: string | null;
  /** Series whose due refresh has failed, and why the first of them did. */
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

/** The value of `date` as it was published on `day`; undefined where there was none. */
export function valueAsKnownOn(
  db: Database,
  seriesId: string,
  date: string,
  day: string,
): ObservationRow | undefined {
  return db
    .prepare<object, ObservationRow>(`
      SELECT date, value, rt_start AS published, exact
      FROM macro_vintage
      WHERE series_id = @seriesId AND date = @date
        AND rt_start <= @day AND (rt_end IS NULL OR rt_end >= @day)
      ORDER BY rt_start DESC
      LIMIT 1`)
    .get({ seriesId, date, day });
}

/** How a series stands with FRED. Times are ISO 8601. */
export interface RefreshState {
  seriesId: string;
  /** Null while nothing came from FRED. */
  lastVintage: string | null;
  checkedAt: string | null;
  nextDue: string | null;
  /** 1 after a refresh that failed, until one succeeds. */
  stale: 0 | 1;
  retryAt: string | null;
  /** Why it failed. */
  fault: string | null;
}

/** Of every series, in the order of the catalogue. */
export function listRefreshStates(db: Database): RefreshState[] {
  return db
    .prepare<[], RefreshState>(`
      SELECT series_id AS seriesId, last_vintage AS lastVintage, checked_at AS checkedAt,
        next_due AS nextDue, stale, retry_at AS retryAt, fault
      FROM macro_series ORDER BY position`)
    .all();
}

/** Days since `day` (inclusive) on which a value of the series was first published, oldest first. */
export function listPublicationDays(db: Database, seriesId: string, day: string): string[] {
  return db
    .prepare<object, string>(`
      SELECT DISTINCT rt_start FROM macro_vintage
      WHERE series_id = @seriesId AND rt_start >= @day AND exact = 1
      ORDER BY rt_start`)
    .pluck()
    .all({ seriesId, day });
}
