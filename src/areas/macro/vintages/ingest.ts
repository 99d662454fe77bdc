import type { Database } from 'better-sqlite3';
import { BadAnswer } from '../../../upstream/polite.ts';
import type { Vintage } from '../ingest.ts';
import type { Fill } from './fill.ts';
import { replaceSince, shiftDay } from './runs.ts';

/** ISO 8601, both. */
interface FillTimes {
  /** When the figures were fetched. */
  taken: string;
  nextDue: string | null;
}

/** Of the dates that FRED has told before, an answer may leave out so many, or this share. */
const MAY_BE_GONE = 5;
const SHARE_MAY_BE_GONE = 0.2;

/** FRED's answer leaves out much of what it has told before; it is not believed. */
export class LostHistory extends BadAnswer {
  constructor() {
    super('FRED’s answer lacks much of what it has told before, so it was not believed.');
  }
}

/**
 * Stores what FRED told: a whole history takes the place of all that is held of the series, bundled
 * figures included; a later part is joined to it. One transaction, so that a reader sees all of it
 * or nothing; the same fill may come twice. False, and nothing is changed, when the store already
 * holds a later vintage than the fill tells of.
 * Throws LostHistory when the fill leaves out much of what FRED has told before; throws also when it
 * does not join what is held, or the series is not in the catalogue.
 */
export function storeFill(db: Database, fill: Fill, { taken, nextDue }: FillTimes): boolean {
  const { seriesId, since, vintages, lastVintage, description } = fill;
  return db
    .transaction(() => {
      const held = readLastVintage(db, seriesId);
      if (since !== null && (held === null || held < since)) {
        throw new Error(`a part of ${seriesId} does not join what is held`);
      }
      // Another process may have been faster, with an answer that was newer.
      if (since !== null && held !== null && held > lastVintage) return false;
      if (held !== null) expectNoLoss(db, seriesId, vintages);
      if (since === null) replaceAll(db, seriesId, vintages);
      else replaceFrom(db, seriesId, vintages, since);
      db.prepare(`
        UPDATE macro_series SET
          origin = 'fred', taken = @taken, checked_at = @taken, next_due = @nextDue,
          stale = 0, retry_at = NULL, fault = NULL,
          title = coalesce(@title, title), units = coalesce(@units, units),
          seasonal_adjustment = coalesce(@seasonalAdjustment, seasonal_adjustment),
          frequency = coalesce(@frequency, frequency),
          native_frequency = coalesce(@nativeFrequency, native_frequency),
          last_updated =
            coalesce(@lastUpdated, iif(last_vintage = @lastVintage, last_updated, @lastVintage)),
          last_vintage = @lastVintage,
          observation_start = (
            SELECT date FROM macro_vintage WHERE series_id = @seriesId AND rt_end IS NULL
            ORDER BY date LIMIT 1),
          observation_end = (
            SELECT date FROM macro_vintage WHERE series_id = @seriesId AND rt_end IS NULL
            ORDER BY date DESC LIMIT 1)
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

/** FRED was asked and has nothing new: what is held of a filled series is as new as now. */
export function recordUnchanged(db: Database, seriesId: string, times: FillTimes): void {
  db.prepare(`
    UPDATE macro_series SET
      taken = @taken, checked_at = @taken, next_due = @nextDue,
      stale = 0, retry_at = NULL, fault = NULL
    WHERE series_id = @seriesId AND last_vintage IS NOT NULL`).run({ ...times, seriesId });
}

/** A due refresh failed; what is held stays, and is stale from now on. */
export function recordFailure(
  db: Database,
  seriesId: string,
  failure: {
    /** Why, in our words. */
    fault: string;
    /** No other try before, ISO 8601. */
    retryAt: string;
  },
): void {
  db.prepare(`
    UPDATE macro_series SET stale = 1, fault = @fault, retry_at = @retryAt
    WHERE series_id = @seriesId`).run({ ...failure, seriesId });
}

/** From its first day on, a fill tells every date that is current: old ones are clipped to it. */
function expectNoLoss(db: Database, seriesId: string, vintages: readonly Vintage[]): void {
  const told = new Set(vintages.flatMap(({ date, rtEnd }) => (rtEnd === null ? [date] : [])));
  const held = db
    .prepare<object, string>(`
      SELECT date FROM macro_vintage WHERE series_id = @seriesId AND rt_end IS NULL`)
    .pluck()
    .all({ seriesId });
  const gone = held.filter((date) => !told.has(date)).length;
  if (gone > Math.max(MAY_BE_GONE, held.length * SHARE_MAY_BE_GONE)) throw new LostHistory();
}

function readLastVintage(db: Database, seriesId: string): string | null {
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

/** Writes only what has changed: of a daily series that is a handful of 26,000 dates. */
function replaceFrom(
  db: Database,
  seriesId: string,
  vintages: readonly Vintage[],
  since: string,
): void {
  const held = groupByDate(listHeldSince(db, seriesId, since));
  // Told again, the first day of the archive is no better known than before.
  const isFirstDay = !holdsBefore(db, seriesId, since);
  const told = groupByDate(
    vintages.map((each) =>
      isFirstDay && each.rtStart === since && each.date < since ? { ...each, exact: false } : each,
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
      if (!after.some((each) => isSame(each, vintage))) {
        remove.run({ seriesId, date, rtStart: vintage.rtStart });
      }
    }
    for (const vintage of after) {
      if (!before.some((each) => isSame(each, vintage))) insert(seriesId, vintage);
    }
  }
}

/** Most dates by far, so that it is told without building anything. */
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

/** What is held and was current on `since` or later, or ended on the day before. */
function listHeldSince(db: Database, seriesId: string, since: string): Vintage[] {
  return db
    .prepare<object, Omit<Vintage, 'exact'> & { exact: 0 | 1 }>(`
      SELECT date, value, rt_start AS rtStart, rt_end AS rtEnd, exact
      FROM macro_vintage
      WHERE series_id = @seriesId AND (rt_end IS NULL OR rt_end >= @dayBefore)
      ORDER BY date, rt_start`)
    .all({ seriesId, dayBefore: shiftDay(since, -1) })
    .map((row) => ({ ...row, exact: row.exact === 1 }));
}

function prepareInsert(db: Database): (seriesId: string, vintage: Vintage) => void {
  const insert = db.prepare(`
    INSERT INTO macro_vintage (series_id, date, rt_start, rt_end, value, exact)
    VALUES (@seriesId, @date, @rtStart, @rtEnd, @value, @exact)`);
  return (seriesId, { date, rtStart, rtEnd, value, exact }) => {
    insert.run({ seriesId, date, rtStart, rtEnd, value, exact: exact ? 1 : 0 });
  };
}

function groupByDate(vintages: readonly Vintage[]): Map<string, Vintage[]> {
  const groups = new Map<string, Vintage[]>();
  for (const vintage of vintages) {
    const group = groups.get(vintage.date);
    if (group === undefined) groups.set(vintage.date, [vintage]);
    else group.push(vintage);
  }
  return groups;
}

function isSame(a: Vintage, b: Vintage): boolean {
  return (
    a.rtStart === b.rtStart && a.rtEnd === b.rtEnd && a.value === b.value && a.exact === b.exact
  );
}
