import type { Database } from 'better-sqlite3';
import type { Reader } from '../../core/reader.ts';
import type { AgencyName } from './facts/agencies.ts';
import { decimalsOf, isRounding, type Vintage } from './facts/vintages.ts';

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
  /** First and last stored date; null without figures, like the next three fields. */
  observationStart: string | null;
  observationEnd: string | null;
  lastUpdated: string | null;
  /** When the figures were fetched, ISO 8601. */
  taken: string | null;
  /** Source of the figures, except newer ones from `agency`. */
  origin: 'starter' | 'fred' | null;
  /** The agency that sent the newest figures; null if they came from `origin`. */
  agency: AgencyName | null;
  /** Latest vintage date stored, YYYY-MM-DD; null unless FRED is the source. */
  lastVintage: string | null;
  /** Last date up to which FRED's figures equal those stored before its first fill; null if none do. */
  ownUntil: string | null;
  /** When a refresh last succeeded, ISO 8601; null before the first. */
  checkedAt: string | null;
  /** When to query the source again, ISO 8601; null if due now. */
  nextDue: string | null;
  /** 1 from the failure of a due refresh until a refresh succeeds. */
  stale: 0 | 1;
  /** Earliest next attempt after a failure, ISO 8601; null after a success. */
  retryAt: string | null;
  /** Reason for the failure, as a sentence for callers. */
  fault: string | null;
}

/** A current value; `first` is the oldest stored value for its date, if revised. */
export type Observation = Vintage & { first?: Vintage };

const SERIES_COLUMNS = `
  series_id AS seriesId, indicator, category, title, frequency, units,
  seasonal_adjustment AS seasonalAdjustment, source, copyright_status AS copyrightStatus,
  observation_start AS observationStart, observation_end AS observationEnd,
  last_updated AS lastUpdated, taken, origin, agency, last_vintage AS lastVintage,
  own_until AS ownUntil, checked_at AS checkedAt, next_due AS nextDue, stale, retry_at AS retryAt, fault`;

/** The catalogue, in file order. */
export function listSeries(db: Reader): SeriesRow[] {
  return db
    .prepare<[], SeriesRow>(`SELECT ${SERIES_COLUMNS} FROM macro_series ORDER BY position`)
    .all();
}

export function findSeries(db: Reader, seriesId: string): SeriesRow | undefined {
  return db
    .prepare<[string], SeriesRow>(`SELECT ${SERIES_COLUMNS} FROM macro_series WHERE series_id = ?`)
    .get(seriesId);
}

export type SeriesNames = Pick<SeriesRow, 'seriesId' | 'indicator' | 'title'>;

const VINTAGES = `
  SELECT date, value, rt_start AS rtStart, rt_end AS rtEnd, exact,
    coalesce(known_from, rt_start) AS knownFrom, units
  FROM macro_vintage WHERE series_id = @seriesId`;

/** Either a period, both ends included, or the number of newest observations, nulls included. */
type Window = { start: string; end?: string } | number;

/** Current values by date, oldest first. */
export function listCurrent(db: Reader, seriesId: string, window: Window): Vintage[] {
  const all = { start: '', end: '9999-12-31', limit: -1 };
  const bounds = typeof window === 'number' ? { limit: window } : window;
  return db
    .prepare<object, Vintage>(`
      ${VINTAGES} AND rt_end IS NULL AND date BETWEEN @start AND @end
      ORDER BY date DESC LIMIT @limit`)
    .all({ seriesId, ...all, ...bounds })
    .reverse();
}

/** All vintages of a series from a date on, by date and publication day. */
export function listStored(db: Reader, seriesId: string, from = ''): Vintage[] {
  return db
    .prepare<object, Vintage>(`${VINTAGES} AND date >= @from ORDER BY date, rt_start`)
    .all({ seriesId, from });
}

/** The vintages that an update from `since` on may change: those current the day before, or later. */
export function listSince(db: Database, seriesId: string, since: string): Vintage[] {
  return db
    .prepare<object, Vintage>(`
      ${VINTAGES} AND (rt_end IS NULL OR rt_end >= date(@since, '-1 day')) ORDER BY date, rt_start`)
    .all({ seriesId, since });
}

/** Number of periods from which a series' decimals on a day are inferred. */
const PERIODS = 24;

/** Superseded values, by date, that are roundings of the current ones: more decimals are not a revision. */
export function listRounded(
  db: Reader,
  seriesId: string,
  { start = '', end = '9999-12-31', since = '' } = {},
): Map<string, Vintage> {
  const pairs = db
    .prepare<object, Vintage & { current: number }>(`
      SELECT o.date, o.value, o.rt_start AS rtStart, o.rt_end AS rtEnd, o.exact,
        coalesce(o.known_from, o.rt_start) AS knownFrom, o.units, n.value AS current
      FROM macro_vintage n JOIN macro_vintage o ON o.series_id = n.series_id AND o.date = n.date
        AND o.rt_end = date(coalesce(n.known_from, n.rt_start), '-1 day')
      WHERE n.series_id = @seriesId AND n.date BETWEEN @start AND @end AND n.rt_start >= @since
        AND n.rt_end IS NULL AND o.units IS n.units AND abs(n.value - o.value) <= 0.5`)
    .all({ seriesId, start, end, since });
  const valuesOn = db.prepare<object, Vintage>(`
    ${VINTAGES} AND coalesce(known_from, rt_start) <= @day AND coalesce(rt_end, @day) >= @day AND units IS @units
    ORDER BY date DESC LIMIT ${PERIODS}`);
  const decimals = new Map<string | null, number>();
  const rounded = pairs.filter(({ value, current, rtEnd: day, units }) => {
    // A cheaper test that every rounding passes.
    if (!isRounding(value, current, decimalsOf([{ value }]))) return false;
    const known = decimals.get(day) ?? decimalsOf(valuesOn.all({ seriesId, day, units }));
    decimals.set(day, known);
    return isRounding(value, current, known);
  });
  return new Map(rounded.map((row) => [row.date, row]));
}

/** A series and its observations. SQLite takes the bare columns of `first` from the row of min(). */
export function readHistory(
  db: Reader,
  seriesId: string,
  window: Window,
): { series: SeriesRow; rows: readonly Observation[] } {
  return db.transaction(() => {
    const series = findSeries(db, seriesId);
    if (series === undefined) throw new Error(`${seriesId} is not in the catalogue`);
    const current = listCurrent(db, seriesId, window);
    const [start, end] = [current[0]?.date, current.at(-1)?.date];
    const firsts = db
      .prepare<object, Vintage>(`
        SELECT date, value, min(rt_start) AS rtStart, rt_end AS rtEnd, exact,
          coalesce(known_from, rt_start) AS knownFrom, units
        FROM macro_vintage
        WHERE series_id = @seriesId AND date BETWEEN @start AND @end AND rt_end IS NOT NULL
          AND value IS NOT NULL
        GROUP BY date`)
      .all({ seriesId, start, end });
    const firstOf = new Map(firsts.map((row) => [row.date, row]));
    const rounded = listRounded(db, seriesId, { start, end });
    const rows = current.map((row) => {
      const same = rounded.get(row.date);
      const first = firstOf.get(row.date);
      const dated = same === undefined ? row : { ...same, value: row.value, rtEnd: null };
      return first === undefined || first.rtStart === same?.rtStart ? dated : { ...dated, first };
    });
    return { series, rows };
  })();
}

export function summariseMacro(db: Reader): {
  count: number;
  withObservations: number;
  newest: string | null;
  /** Latest and earliest time at which figures were fetched, ISO 8601; null while there are none. */
  asOf: string | null;
  oldest: string | null;
  /** The first series whose due refresh failed, and why; null if none did. */
  fault: string | null;
} {
  const row = db
    .prepare<[], ReturnType<typeof summariseMacro>>(`
      SELECT count(*) AS count, count(observation_end) AS withObservations,
        max(observation_end) AS newest, max(taken) AS asOf, min(taken) AS oldest,
        (SELECT series_id || ': ' || fault FROM macro_series
         WHERE stale = 1 AND fault IS NOT NULL ORDER BY position LIMIT 1) AS fault
      FROM macro_series`)
    .get();
  const none = { newest: null, asOf: null, oldest: null, fault: null };
  return row ?? { count: 0, withObservations: 0, ...none };
}

/** The last date that has a value; null if there is none. */
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
