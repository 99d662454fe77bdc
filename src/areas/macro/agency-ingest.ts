import type { Database } from 'better-sqlite3';
import { shiftDay } from '../../core/time.ts';
import type { Validators } from '../../upstream/http.ts';
import type { AgencyName, AgencySeries, Figure, HeldFigures } from './agencies/feed.ts';
import { expectContinuation, isEqual } from './continuation.ts';
import { findLastDate } from './queries.ts';
import { lastBusinessDay } from './releases.ts';
import { prepareInsert, readLastVintage, SET_OBSERVED_RANGE } from './vintage-ingest.ts';
import type { Vintage } from './vintages.ts';

export interface AgencyDelivery {
  agency: AgencyName;
  series: AgencySeries;
  isRevised: boolean;
  isRate: boolean;
  /** The first release of a date, estimated, YYYY-MM-DD. */
  estimate(date: string): string;
  /** Last day on which a date is first released; what came later need not have brought its value. */
  latest(date: string): string;
  /** When the figures were fetched, ISO 8601. */
  taken: string;
  /** That day in New York. */
  today: string;
}

type HeldRow = Omit<Vintage, 'rtEnd'>;

/** What the store holds, for the requests of feeds; `saveVersions` stores the versions kept. */
export function heldFigures(db: Database): HeldFigures & { saveVersions(): void } {
  const kept = new Map<string, Validators>();
  return {
    versionOf(url) {
      return db
        .prepare<object, Validators>(`
          SELECT etag, last_modified AS lastModified FROM agency_file WHERE url = @url`)
        .get({ url });
    },
    keepVersion: (url, version) => kept.set(url, version),
    saveVersions() {
      const save = db.prepare(`
        INSERT INTO agency_file (url, etag, last_modified) VALUES (@url, @etag, @lastModified)
        ON CONFLICT (url) DO UPDATE SET
          etag = excluded.etag, last_modified = excluded.last_modified`);
      for (const [url, { etag, lastModified }] of kept) save.run({ url, etag, lastModified });
    },
    lastDate: (seriesId) => findLastDate(db, seriesId),
    since: (seriesId, from) =>
      new Map(listHeld(db, seriesId, from).map(({ date, value }) => [date, value])),
  };
}

/**
 * Stores what is new in an agency's figures: dates not held and values that changed, which end the
 * older ones. A missing value never replaces a figure. One transaction; returns whether anything
 * changed. Throws a MismatchError, without a change, for figures that do not continue those held.
 */
export function storeAgencySeries(db: Database, delivery: AgencyDelivery): boolean {
  const { series, agency, taken, today, isRevised, isRate } = delivery;
  const { seriesId } = series;
  return db
    .transaction(() => {
      const rows = listHeld(db, seriesId, series.from);
      const held = new Map(rows.map((row) => [row.date, row]));
      expectContinuation(series, {
        values: new Map(rows.map(({ date, value }) => [date, value])),
        total: countHeld(db, seriesId),
        isRevised,
        isRate,
      });
      const floor = readLastVintage(db, seriesId) ?? '';
      const insert = prepareInsert(db);
      const remove = db.prepare(`
        DELETE FROM macro_vintage
        WHERE series_id = @seriesId AND date = @date AND rt_start = @rtStart`);
      let changed = false;
      for (const figure of series.figures) {
        const { date, value } = figure;
        const before = held.get(date);
        if (isKnown(before, value)) continue;
        const estimate =
          before === undefined
            ? delivery.estimate(date)
            : (figure.released ?? lastBusinessDay(today));
        const latest = delivery.latest(date);
        const published = publicationOf(figure, { before, estimate, latest, today, floor });
        const now = { date, value, ...published };
        const { rtStart } = published;
        if (before !== undefined) {
          remove.run({ seriesId, date, rtStart: before.rtStart });
          const ended = { ...before, rtEnd: shiftDay(rtStart, -1) };
          if (before.rtStart < rtStart) insert(seriesId, ended);
        }
        insert(seriesId, { ...now, rtEnd: null });
        held.set(date, now);
        changed = true;
      }
      db.prepare(`
        UPDATE macro_series SET taken = @taken, agency_checked_at = @taken,
          -- What it only confirms of FRED's stays FRED's.
          agency = iif(@changed OR last_vintage IS NULL, @agency, agency),
          last_updated = iif(@changed, @today, last_updated),
          ${SET_OBSERVED_RANGE}
        WHERE series_id = @seriesId`).run({
        seriesId,
        agency,
        taken,
        today,
        changed: changed ? 1 : 0,
      });
      return changed;
    })
    .immediate();
}

/**
 * Records that the figures of a series are as new as its agency has them; `taken` is when it was
 * asked, ISO 8601, or null where that is recorded already.
 */
export function recordAgencyCheck(
  db: Database,
  seriesId: string,
  check: { nextDue: string; retryAt: string | null; taken: string | null },
): void {
  db.prepare(`
    UPDATE macro_series SET next_due = @nextDue, stale = 0, fault = NULL, retry_at = @retryAt,
      taken = coalesce(@taken, taken), agency_checked_at = coalesce(@taken, agency_checked_at)
    WHERE series_id = @seriesId`).run({ ...check, seriesId });
}

/**
 * The day on which another series of the same release brought `date` for the first time, between
 * two days; null where unknown.
 */
export function findReleaseDay(
  db: Database,
  siblings: readonly string[],
  date: string,
  { earliest, latest }: { earliest: string; latest: string },
): string | null {
  const found = db
    .prepare<object, string | null>(`
      SELECT min(rt_start) FROM macro_vintage
      WHERE series_id IN (SELECT value FROM json_each(@siblings))
        AND date = @date AND exact = 1 AND rt_start BETWEEN @earliest AND @latest`)
    .pluck()
    .get({ siblings: JSON.stringify(siblings), date, earliest, latest });
  return found ?? null;
}

/** The dates of a series from `since` on with the observed day of their first release, oldest first. */
export function listFirstReleases(
  db: Database,
  seriesId: string,
  since: string,
): { date: string; released: string }[] {
  return db
    .prepare<object, { date: string; released: string }>(`
      SELECT date, min(rt_start) AS released FROM macro_vintage
      WHERE series_id = @seriesId AND date >= @since AND exact = 1
      GROUP BY date ORDER BY date`)
    .all({ seriesId, since });
}

/** Nothing new: the same value, or a missing one in the place of a figure. */
function isKnown(before: HeldRow | undefined, value: number | null): boolean {
  if (before === undefined) return false;
  if (value === null) return true;
  return before.value !== null && isEqual(before.value, value);
}

/**
 * The agency's own day where that of a first release is given; it comes after what it follows, and not
 * before FRED's last vintage, so that FRED's next one replaces it.
 */
function publicationOf(
  figure: Figure,
  known: {
    before: HeldRow | undefined;
    estimate: string;
    latest: string;
    today: string;
    floor: string;
  },
): Pick<HeldRow, 'rtStart' | 'exact'> {
  const { before, today, latest, floor } = known;
  const released = (figure.released ?? '') <= latest ? figure.released : undefined;
  const since = before?.rtStart ?? '';
  const seen = lastBusinessDay(today);
  const day = [released ?? known.estimate, today].sort()[0] ?? today;
  if (day >= floor && day > since) return { rtStart: day, exact: released === day ? 1 : 0 };
  // A second change on the same day replaces the first.
  if (before !== undefined && since >= latestOf(seen, floor)) {
    return { rtStart: since, exact: before.exact };
  }
  return { rtStart: latestOf(seen, floor), exact: 0 };
}

function latestOf(a: string, b: string): string {
  return a > b ? a : b;
}

function listHeld(db: Database, seriesId: string, from: string): HeldRow[] {
  return db
    .prepare<object, HeldRow>(`
      SELECT date, value, rt_start AS rtStart, exact FROM macro_vintage
      WHERE series_id = @seriesId AND date >= @from AND rt_end IS NULL
      ORDER BY date`)
    .all({ seriesId, from });
}

function countHeld(db: Database, seriesId: string): number {
  const count = db
    .prepare<object, number>(`
      SELECT count(*) FROM macro_vintage
      WHERE series_id = @seriesId AND rt_end IS NULL AND value IS NOT NULL`)
    .pluck()
    .get({ seriesId });
  return count ?? 0;
}
