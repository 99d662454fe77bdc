import type { Database } from 'better-sqlite3';
import { shiftDay } from '../../core/time.ts';
import type { Validators } from '../../upstream/http.ts';
import type { AgencyName, AgencySeries, Figure, StoredFigures } from './agencies/feed.ts';
import { expectContinuation, isEqual } from './continuation.ts';
import { findLastDate } from './queries.ts';
import { lastBusinessDay } from './releases.ts';
import { prepareInsert, readFillState, SET_OBSERVED_RANGE } from './vintage-ingest.ts';
import type { Vintage } from './vintages.ts';

interface AgencyDelivery {
  agency: AgencyName;
  series: AgencySeries;
  isRevised: boolean;
  isRate: boolean;
  /** Figures stay as they first came out. */
  isFinal: boolean;
  /** The first release of a date, estimated, YYYY-MM-DD. */
  estimate(date: string): string;
  /** Last day on which a date is first released; what came later need not have brought its value. */
  latest(date: string): string;
  /** The day of the request in New York. */
  today: string;
}

type Current = Omit<Vintage, 'rtEnd'>;

/** What the store has, for the requests of feeds; `saveVersions` stores the versions kept. */
export function storedFigures(db: Database): StoredFigures & { saveVersions(): void } {
  const kept = new Map<string, Validators>();
  return {
    versionOf: (url) =>
      db
        .prepare<object, Validators>(`
          SELECT etag, last_modified AS lastModified FROM agency_file WHERE url = @url`)
        .get({ url }),
    keepVersion: (url, version) => kept.set(url, version),
    saveVersions() {
      const save = db.prepare('INSERT OR REPLACE INTO agency_file VALUES (?, ?, ?)');
      for (const [url, { etag, lastModified }] of kept) save.run(url, etag, lastModified);
    },
    lastDate: (seriesId) => findLastDate(db, seriesId),
    since: (seriesId, from) =>
      new Map(listCurrent(db, seriesId, from).map(({ date, value }) => [date, value])),
  };
}

/**
 * Stores what is new in an agency's figures: new dates, and changed values, which end the older ones.
 * A missing value never replaces a figure. One transaction; returns whether anything changed. Throws a
 * MismatchError, without a change, for figures that do not continue those stored.
 */
export function storeAgencySeries(db: Database, delivery: AgencyDelivery): boolean {
  const { series, agency, today, isRevised, isRate } = delivery;
  const { seriesId } = series;
  return db
    .transaction(() => {
      const rows = listCurrent(db, seriesId, series.from);
      const stored = new Map(rows.map((row) => [row.date, row]));
      expectContinuation(series, {
        values: new Map(rows.map(({ date, value }) => [date, value])),
        total: countValues(db, seriesId),
        isRevised,
        isRate,
      });
      const floor = readFillState(db, seriesId).lastVintage ?? '';
      const insert = prepareInsert(db);
      const remove = db.prepare(`
        DELETE FROM macro_vintage
        WHERE series_id = @seriesId AND date = @date AND rt_start = @rtStart`);
      let changed = false;
      for (const figure of series.figures) {
        const { date, value } = figure;
        const before = stored.get(date);
        if (before !== undefined && !isNews(before.value, value)) continue;
        const published = publicationOf(figure, before, delivery, floor);
        if (before !== undefined) {
          remove.run({ seriesId, date, rtStart: before.rtStart });
          const ended = { ...before, rtEnd: shiftDay(published.rtStart, -1) };
          if (before.rtStart < published.rtStart) insert(seriesId, ended);
        }
        insert(seriesId, { date, value, ...published, rtEnd: null });
        changed = true;
      }
      db.prepare(`
        UPDATE macro_series SET
          -- What it only confirms of FRED's stays FRED's.
          agency = iif(@changed OR last_vintage IS NULL, @agency, agency),
          last_updated = iif(@changed, @today, last_updated),
          ${SET_OBSERVED_RANGE}
        WHERE series_id = @seriesId`).run({ seriesId, agency, today, changed: changed ? 1 : 0 });
      return changed;
    })
    .immediate();
}

/** A missing value in the place of a figure is none. */
function isNews(before: number | null, value: number | null): boolean {
  return value !== null && (before === null || !isEqual(before, value));
}

/**
 * The agency's own day where that of a first release is given; it comes after what it follows, and not
 * before FRED's last vintage, `floor`, so that FRED's next one replaces it. A first value may have been
 * revised before it was seen.
 */
function publicationOf(
  { date, released }: Figure,
  before: Current | undefined,
  { estimate, latest, today, isFinal }: AgencyDelivery,
  floor: string,
): Pick<Vintage, 'rtStart' | 'exact' | 'knownFrom'> {
  const seen = lastBusinessDay(today);
  const estimated = before === undefined ? estimate(date) : (released ?? seen);
  const firstDay = released !== undefined && released <= latest(date) ? released : undefined;
  const day = earlierOf(firstDay ?? estimated, today);
  if (day >= floor && day > (before?.knownFrom ?? '')) {
    const isSure = before !== undefined || isFinal || firstDay === day;
    const knownFrom = isSure ? day : earlierOf(released ?? seen, today);
    return { rtStart: day, exact: firstDay === day ? 1 : 0, knownFrom };
  }
  const rtStart = seen > floor ? seen : floor;
  // A second change on the same day replaces the first.
  return before !== undefined && before.rtStart >= rtStart
    ? { rtStart: before.rtStart, exact: before.exact, knownFrom: before.knownFrom }
    : { rtStart, exact: 0, knownFrom: rtStart };
}

function earlierOf(a: string, b: string): string {
  return a < b ? a : b;
}

function listCurrent(db: Database, seriesId: string, from: string): Current[] {
  return db
    .prepare<object, Current>(`
      SELECT date, value, rt_start AS rtStart, exact,
        coalesce(known_from, rt_start) AS knownFrom
      FROM macro_vintage
      WHERE series_id = @seriesId AND date >= @from AND rt_end IS NULL
      ORDER BY date`)
    .all({ seriesId, from });
}

function countValues(db: Database, seriesId: string): number {
  const count = db
    .prepare<object, number>(`
      SELECT count(*) FROM macro_vintage
      WHERE series_id = @seriesId AND rt_end IS NULL AND value IS NOT NULL`)
    .pluck()
    .get({ seriesId });
  return count ?? 0;
}
