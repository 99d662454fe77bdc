import { isDeepStrictEqual } from 'node:util';
import type { Database } from 'better-sqlite3';
import { shiftDay } from '../../core/time.ts';
import { InvalidResponseError } from '../../upstream/errors.ts';
import type { SeriesDescription } from './fred.ts';
import { dropsTooMany, groupByDate, replaceSince, type Vintage } from './vintages.ts';

/** FRED shows only the last years of these, so their oldest dates go every day. */
const YEARS_SHOWN: ReadonlyMap<string, number> = new Map([['BAMLH0A0HYM2', 3]]);

/** After every date of a series. */
const LAST_DATE = '9999-12-31';

/** Vintages of a series, complete from `since` on. */
export interface Fill {
  seriesId: string;
  /** First real-time day that the fill covers; null when it covers all. */
  since: string | null;
  /** Sorted by date, then rtStart; values current on `since` begin there. */
  vintages: Vintage[];
  /** The latest vintage date: where the next fill begins. */
  lastVintage: string;
  description: SeriesDescription | null;
}

/** Assignments of an UPDATE of macro_series, for the series @seriesId: first and last date stored. */
export const SET_OBSERVED_RANGE = `
          observation_start = (
            SELECT date FROM macro_vintage WHERE series_id = @seriesId AND rt_end IS NULL
            ORDER BY date LIMIT 1),
          observation_end = (
            SELECT date FROM macro_vintage WHERE series_id = @seriesId AND rt_end IS NULL
            ORDER BY date DESC LIMIT 1)`;

/** A response that drops too many of the stored dates. */
export class LostHistory extends InvalidResponseError {
  constructor() {
    super('FRED’s response dropped many dates that it had sent before, so it was rejected.');
  }
}

/** Inserts vintages of a series. */
export function prepareInsert(db: Database): (seriesId: string, vintage: Vintage) => void {
  const insert = db.prepare(`
    INSERT INTO macro_vintage (series_id, date, rt_start, rt_end, value, exact, known_from)
    VALUES (@seriesId, @date, @rtStart, @rtEnd, @value, @exact, nullif(@knownFrom, @rtStart))`);
  return (seriesId, { date, rtStart, rtEnd, value, exact, knownFrom }) => {
    insert.run({ seriesId, date, rtStart, rtEnd, value, exact, knownFrom });
  };
}

/**
 * Stores a fill: a whole history replaces all that is stored of the series, bundled figures included;
 * a partial one is merged. Dates of an agency that FRED does not have yet stay until it has them. One
 * transaction; repeating a fill changes nothing. Returns false, without a change, when the store
 * already has a later vintage than the fill.
 * Throws LostHistory when the fill drops many stored dates, and an Error when it leaves a gap after
 * what is stored or the series is not in the catalogue.
 */
export function storeFill(db: Database, fill: Fill, { taken }: { taken: string }): boolean {
  const { seriesId, since, vintages, lastVintage, description } = fill;
  return db
    .transaction(() => {
      const state = readFillState(db, seriesId);
      const stored = state.lastVintage;
      if (since !== null && (stored === null || stored < since)) {
        throw new Error(`the update of ${seriesId} leaves a gap after what is stored`);
      }
      // Another process may have stored a newer response meanwhile.
      if (since !== null && stored !== null && stored > lastVintage) return false;
      if (stored !== null) expectNoLoss(db, state, vintages);
      const fredEnd = latestOf(vintages.at(-1)?.date ?? '', state.fredEnd);
      // On another base an agency's figures would not continue FRED's.
      const isSameUnit = description === null || description.units === state.units;
      const keptAfter = state.agency === null || !isSameUnit ? LAST_DATE : fredEnd;
      if (since === null) replaceAll(db, seriesId, vintages, keptAfter);
      else replaceFrom(db, state, { since, vintages, keptAfter });
      db.prepare(`
        UPDATE macro_series SET
          origin = 'fred', fred_end = @fredEnd,
          agency = iif(@hasNewer, agency, NULL), taken = iif(@hasNewer, taken, @taken),
          title = coalesce(@title, title), units = coalesce(@units, units),
          seasonal_adjustment = coalesce(@seasonalAdjustment, seasonal_adjustment),
          frequency = coalesce(@frequency, frequency),
          native_frequency = coalesce(@nativeFrequency, native_frequency),
          last_updated =
            coalesce(@lastUpdated, iif(last_vintage = @lastVintage, last_updated, @lastVintage)),
          last_vintage = @lastVintage,
          ${SET_OBSERVED_RANGE}
        WHERE series_id = @seriesId`).run({
        ...{ title: null, units: null, seasonalAdjustment: null },
        ...{ frequency: null, nativeFrequency: null, lastUpdated: null },
        ...description,
        ...{ seriesId, taken, lastVintage, fredEnd },
        hasNewer: hasDatesAfter(db, seriesId, keptAfter) ? 1 : 0,
      });
      return true;
    })
    .immediate();
}

/**
 * Records that the figures of a series are as new as its source has them. What an agency has brought
 * after FRED keeps its own time; FRED's back-off ends when FRED answers.
 */
export function recordCheck(
  db: Database,
  seriesId: string,
  check: { by: 'fred' | 'agency'; taken: string; nextDue: string },
): void {
  db.prepare(`
    UPDATE macro_series SET next_due = @nextDue, stale = 0, fault = NULL,
      taken = iif(@by = 'fred' AND agency IS NOT NULL, taken, @taken),
      checked_at = iif(@by = 'fred', @taken, checked_at),
      agency_checked_at = iif(@by = 'agency', @taken, agency_checked_at),
      retry_at = iif(@by = 'fred', NULL, retry_at)
    WHERE series_id = @seriesId`).run({ ...check, seriesId });
}

/** Records a failed refresh: figures stay as they are, and become stale if they were due. */
export function recordFailure(
  db: Database,
  seriesId: string,
  failure: {
    /** Why, as a sentence for callers. */
    fault: string;
    /** Earliest next attempt, ISO 8601. */
    retryAt: string;
    isDue: boolean;
  },
): void {
  db.prepare(`
    UPDATE macro_series SET stale = max(stale, @isDue), fault = @fault, retry_at = @retryAt
    WHERE series_id = @seriesId`).run({ ...failure, seriesId, isDue: failure.isDue ? 1 : 0 });
}

/** How far FRED and an agency have filled a series. */
interface FillState {
  seriesId: string;
  /** The latest vintage date stored; null while none came from FRED. */
  lastVintage: string | null;
  /** The last date that FRED has ever given; what is stored after it came from the agency. */
  fredEnd: string;
  agency: string | null;
  units: string;
}

/** Throws for an unknown series. */
export function readFillState(db: Database, seriesId: string): FillState {
  const row = db
    .prepare<object, FillState>(`
      SELECT series_id AS seriesId, last_vintage AS lastVintage,
        coalesce(fred_end, '') AS fredEnd, agency, units
      FROM macro_series WHERE series_id = @seriesId`)
    .get({ seriesId });
  if (row === undefined) throw new Error(`${seriesId} is not in the catalogue`);
  return row;
}

function hasDatesAfter(db: Database, seriesId: string, date: string): boolean {
  return (
    db
      .prepare(`
        SELECT 1 FROM macro_vintage
        WHERE series_id = @seriesId AND date > @date AND rt_end IS NULL LIMIT 1`)
      .get({ seriesId, date }) !== undefined
  );
}

function latestOf(a: string, b: string): string {
  return a > b ? a : b;
}

/**
 * A fill contains every date current from its first day on, since FRED clips older rows to it. Only
 * dates that FRED has given before count, not those of an agency after them.
 */
function expectNoLoss(
  db: Database,
  { seriesId, fredEnd }: FillState,
  vintages: readonly Vintage[],
): void {
  const current = new Set(vintages.flatMap(({ date, rtEnd }) => (rtEnd === null ? [date] : [])));
  const last = [...current].sort().at(-1) ?? '';
  const years = YEARS_SHOWN.get(seriesId);
  const first = years === undefined ? '' : `${Number(last.slice(0, 4)) - years}${last.slice(4)}`;
  const stored = db
    .prepare<object, string>(`
      SELECT date FROM macro_vintage
      WHERE series_id = @seriesId AND rt_end IS NULL AND date BETWEEN @first AND @fredEnd`)
    .pluck()
    .all({ seriesId, first, fredEnd });
  const dropped = stored.filter((date) => !current.has(date)).length;
  if (dropsTooMany(dropped, stored.length)) throw new LostHistory();
}

function replaceAll(
  db: Database,
  seriesId: string,
  vintages: readonly Vintage[],
  keptAfter: string,
): void {
  db.prepare('DELETE FROM macro_vintage WHERE series_id = @seriesId AND date <= @keptAfter').run({
    seriesId,
    keptAfter,
  });
  const insert = prepareInsert(db);
  for (const vintage of vintages) insert(seriesId, vintage);
}

/** Writes only the dates that changed: for a daily series a handful of 26,000. */
function replaceFrom(
  db: Database,
  { seriesId, fredEnd }: FillState,
  {
    since,
    vintages,
    keptAfter,
  }: { since: string; vintages: readonly Vintage[]; keptAfter: string },
): void {
  const dayBefore = shiftDay(since, -1);
  const stored = groupByDate(
    db
      .prepare<object, Vintage>(`
        SELECT date, value, rt_start AS rtStart, rt_end AS rtEnd, exact,
          coalesce(known_from, rt_start) AS knownFrom
        FROM macro_vintage
        WHERE series_id = @seriesId AND date <= @keptAfter
          AND (rt_end IS NULL OR rt_end >= @dayBefore)
        ORDER BY date, rt_start`)
      .all({ seriesId, dayBefore, keptAfter }),
  );
  const older = db
    .prepare(
      'SELECT 1 FROM macro_vintage WHERE series_id = @seriesId AND rt_start < @since LIMIT 1',
    )
    .get({ seriesId, since });
  // Repeating the archive's first day does not make its publication dates exact.
  const isExact = ({ rtStart, date }: Vintage) => older || rtStart > since || date >= since;
  const updates = groupByDate(
    vintages.map((each): Vintage => (isExact(each) ? each : { ...each, exact: 0 })),
  );
  const remove = db.prepare(`
    DELETE FROM macro_vintage
    WHERE series_id = @seriesId AND date = @date AND (rt_end IS NULL OR rt_end >= @from)`);
  const insert = prepareInsert(db);
  for (const date of new Set([...stored.keys(), ...updates.keys()])) {
    const before = stored.get(date) ?? [];
    const update = updates.get(date) ?? [];
    // FRED's own days replace those of the agency that was ahead of it.
    const isNew = date > fredEnd;
    const after = replaceSince(isNew ? [] : before, update, since);
    if (isDeepStrictEqual(before, after)) continue;
    remove.run({ seriesId, date, from: isNew ? '' : dayBefore });
    for (const vintage of after) insert(seriesId, vintage);
  }
}
