import { isDeepStrictEqual } from 'node:util';
import type { Database } from 'better-sqlite3';
import { shiftDay } from '../../core/time.ts';
import { InvalidResponseError } from '../../upstream/errors.ts';
import type { Fill } from './fred-fill.ts';
import { groupByDate, replaceSince, type Vintage } from './vintages.ts';

/** ISO 8601, both. */
interface FillTimes {
  /** When the figures were fetched. */
  taken: string;
  nextDue: string | null;
}

/** Known dates that a response may drop: this many, or this share. */
const MAX_DROPPED = 5;
const MAX_DROPPED_SHARE = 0.2;
/** FRED shows only the last years of these, so their oldest dates go every day. */
const YEARS_SHOWN: ReadonlyMap<string, number> = new Map([['BAMLH0A0HYM2', 3]]);

/** Assignments of an UPDATE of macro_series, for the series @seriesId: first and last date held. */
export const SET_OBSERVED_RANGE = `
          observation_start = (
            SELECT date FROM macro_vintage WHERE series_id = @seriesId AND rt_end IS NULL
            ORDER BY date LIMIT 1),
          observation_end = (
            SELECT date FROM macro_vintage WHERE series_id = @seriesId AND rt_end IS NULL
            ORDER BY date DESC LIMIT 1)`;

/** A response that drops more of the known dates than MAX_DROPPED and MAX_DROPPED_SHARE allow. */
export class LostHistory extends InvalidResponseError {
  constructor() {
    super('FRED’s response dropped many dates that it had sent before, so it was rejected.');
  }
}

/** Inserts vintages of a series. */
export function prepareInsert(db: Database): (seriesId: string, vintage: Vintage) => void {
  const insert = db.prepare(`
    INSERT INTO macro_vintage (series_id, date, rt_start, rt_end, value, exact)
    VALUES (@seriesId, @date, @rtStart, @rtEnd, @value, @exact)`);
  return (seriesId, { date, rtStart, rtEnd, value, exact }) => {
    insert.run({ seriesId, date, rtStart, rtEnd, value, exact });
  };
}

/**
 * Stores a fill: a whole history replaces everything held of the series, bundled figures included; a
 * partial one is merged. One transaction; repeating a fill changes nothing. Returns false, without a
 * change, when the store already holds a later vintage than the fill.
 * Throws LostHistory when the fill drops many known dates, and an Error when it leaves a gap after
 * what is held or the series is not in the catalogue.
 */
export function storeFill(db: Database, fill: Fill, { taken, nextDue }: FillTimes): boolean {
  const { seriesId, since, vintages, lastVintage, description } = fill;
  return db
    .transaction(() => {
      const held = readLastVintage(db, seriesId);
      if (since !== null && (held === null || held < since)) {
        throw new Error(`the update of ${seriesId} leaves a gap after what is held`);
      }
      // Another process may have stored a newer response meanwhile.
      if (since !== null && held !== null && held > lastVintage) return false;
      if (held !== null) expectNoLoss(db, seriesId, vintages);
      if (since === null) replaceAll(db, seriesId, vintages);
      else replaceFrom(db, seriesId, vintages, since);
      db.prepare(`
        UPDATE macro_series SET
          origin = 'fred', agency = NULL, taken = @taken, checked_at = @taken, next_due = @nextDue,
          stale = 0, retry_at = NULL, fault = NULL,
          title = coalesce(@title, title), units = coalesce(@units, units),
          seasonal_adjustment = coalesce(@seasonalAdjustment, seasonal_adjustment),
          frequency = coalesce(@frequency, frequency),
          native_frequency = coalesce(@nativeFrequency, native_frequency),
          last_updated =
            coalesce(@lastUpdated, iif(last_vintage = @lastVintage, last_updated, @lastVintage)),
          last_vintage = @lastVintage,
          ${SET_OBSERVED_RANGE}
        WHERE series_id = @seriesId`).run({
        seriesId,
        taken,
        nextDue,
        lastVintage,
        title: description?.title ?? null,
        units: description?.units ?? null,
        seasonalAdjustment: description?.seasonalAdjustment ?? null,
        frequency: description?.frequency ?? null,
        nativeFrequency: description?.nativeFrequency ?? null,
        lastUpdated: description?.lastUpdated ?? null,
      });
      return true;
    })
    .immediate();
}

/** Records that FRED has nothing newer for a filled series; what an agency has brought stays its own. */
export function recordUnchanged(db: Database, seriesId: string, times: FillTimes): void {
  db.prepare(`
    UPDATE macro_series SET
      taken = iif(agency IS NULL, @taken, taken), checked_at = @taken, next_due = @nextDue,
      stale = 0, retry_at = NULL, fault = NULL
    WHERE series_id = @seriesId AND last_vintage IS NOT NULL`).run({ ...times, seriesId });
}

/** Records a failed refresh: figures stay as they are and become stale. */
export function recordFailure(
  db: Database,
  seriesId: string,
  failure: {
    /** Why, as a sentence for callers. */
    fault: string;
    /** Earliest next attempt, ISO 8601. */
    retryAt: string;
  },
): void {
  db.prepare(`
    UPDATE macro_series SET stale = 1, fault = @fault, retry_at = @retryAt
    WHERE series_id = @seriesId`).run({ ...failure, seriesId });
}

/** A fill contains every date current from its first day on, since FRED clips older rows to it. */
function expectNoLoss(db: Database, seriesId: string, vintages: readonly Vintage[]): void {
  const told = new Set(vintages.flatMap(({ date, rtEnd }) => (rtEnd === null ? [date] : [])));
  const held = db
    .prepare<object, string>(`
      SELECT date FROM macro_vintage
      WHERE series_id = @seriesId AND rt_end IS NULL AND date >= @first`)
    .pluck()
    .all({ seriesId, first: firstShown(seriesId, [...told].sort().at(-1) ?? '') });
  const gone = held.filter((date) => !told.has(date)).length;
  if (gone > Math.max(MAX_DROPPED, held.length * MAX_DROPPED_SHARE)) throw new LostHistory();
}

/** The first day that FRED must show of a series that ends on `last`. */
function firstShown(seriesId: string, last: string): string {
  const years = YEARS_SHOWN.get(seriesId);
  return years === undefined ? '' : `${Number(last.slice(0, 4)) - years}${last.slice(4)}`;
}

/** The latest vintage date held; null while none came from FRED. Throws for an unknown series. */
export function readLastVintage(db: Database, seriesId: string): string | null {
  const found = db
    .prepare<object, { lastVintage: string | null }>(`
      SELECT last_vintage AS lastVintage FROM macro_series WHERE series_id = @seriesId`)
    .get({ seriesId });
  if (found === undefined) throw new Error(`${seriesId} is not in the catalogue`);
  return found.lastVintage;
}

function replaceAll(db: Database, seriesId: string, vintages: readonly Vintage[]): void {
  db.prepare('DELETE FROM macro_vintage WHERE series_id = @seriesId').run({ seriesId });
  const insert = prepareInsert(db);
  for (const vintage of vintages) insert(seriesId, vintage);
}

/** Writes only the dates that changed: for a daily series a handful of 26,000. */
function replaceFrom(
  db: Database,
  seriesId: string,
  vintages: readonly Vintage[],
  since: string,
): void {
  const held = groupByDate(listHeldSince(db, seriesId, since));
  // Repeating the archive's first day does not make its publication dates exact.
  const isFirstDay = !holdsBefore(db, seriesId, since);
  const told = groupByDate(
    vintages.map((each) =>
      isFirstDay && each.rtStart === since && each.date < since
        ? { ...each, exact: 0 as const }
        : each,
    ),
  );
  const remove = db.prepare(`
    DELETE FROM macro_vintage
    WHERE series_id = @seriesId AND date = @date AND rt_start = @rtStart`);
  const insert = prepareInsert(db);
  for (const date of new Set([...held.keys(), ...told.keys()])) {
    const before = held.get(date) ?? [];
    const news = told.get(date) ?? [];
    if (isUnchanged(before, news, since)) continue;
    const after = replaceSince(before, news, since);
    for (const vintage of before) {
      if (!after.some((each) => isDeepStrictEqual(each, vintage))) {
        remove.run({ seriesId, date, rtStart: vintage.rtStart });
      }
    }
    for (const vintage of after) {
      if (!before.some((each) => isDeepStrictEqual(each, vintage))) insert(seriesId, vintage);
    }
  }
}

/** The common case, checked without allocating. */
function isUnchanged(held: readonly Vintage[], told: readonly Vintage[], since: string): boolean {
  const [before, after] = [held[0], told[0]];
  if (held.length !== 1 || told.length !== 1 || !before || !after) return false;
  return (
    before.rtEnd === null &&
    before.rtStart < since &&
    after.rtEnd === null &&
    after.rtStart === since &&
    before.value === after.value
  );
}

function holdsBefore(db: Database, seriesId: string, day: string): boolean {
  const found = db
    .prepare<object, number>(`
      SELECT 1 FROM macro_vintage WHERE series_id = @seriesId AND rt_start < @day LIMIT 1`)
    .pluck()
    .get({ seriesId, day });
  return found !== undefined;
}

/** Vintages held that were current on `since` or later, or ended on the day before. */
function listHeldSince(db: Database, seriesId: string, since: string): Vintage[] {
  return db
    .prepare<object, Vintage>(`
      SELECT date, value, rt_start AS rtStart, rt_end AS rtEnd, exact
      FROM macro_vintage
      WHERE series_id = @seriesId AND (rt_end IS NULL OR rt_end >= @dayBefore)
      ORDER BY date, rt_start`)
    .all({ seriesId, dayBefore: shiftDay(since, -1) });
}
