import type { Database } from 'better-sqlite3';
import { isOtherScale, largestStep, listDoubtful, losesTooMany } from '../../core/gate.ts';
import { shiftDay } from '../../core/time.ts';
import { INDICATOR_OF, SIGNED } from './agencies/indicators.ts';
import { DoubtError, MismatchError } from './continuation.ts';
import { FIRST_DAY } from './fred.ts';
import type { Fill } from './fred-vintages.ts';
import { findSeries, type SeriesRow } from './queries.ts';
import { mergeFill, type Vintage } from './vintages.ts';

/** FRED shows only the last years of these, so their oldest dates go every day. */
const YEARS_SHOWN: ReadonlyMap<string, number> = new Map([['BAMLH0A0HYM2', 3]]);

/** How far the dates of a series may be ahead of its publication: no series of the catalogue has projections. */
const MOST_DAYS_AHEAD = 366;

/** After every date of a series. */
const LAST_DATE = '9999-12-31';

/**
 * The first date that a series can have: of the whole series, of what is stored, or of what FRED describes;
 * null where none is known.
 */
export function firstDateOf(
  { seriesId, observationStart }: SeriesRow,
  described: Fill['description'] = null,
): string | null {
  const { begins } = INDICATOR_OF.get(seriesId) ?? {};
  const start = described && [described.observationStart, FIRST_DAY].sort()[1];
  const dates = [begins, observationStart, start].flatMap((date) => date ?? []);
  return dates.sort()[0] ?? null;
}

type Dated = Pick<Vintage, 'date' | 'value'>;

/**
 * Throws a DoubtError where figures need a later reply to be believed. `stored` are the current values from the
 * first date sent on.
 */
export function expectBelievable(
  db: Database,
  seriesId: string,
  sent: readonly Dated[],
  stored: readonly Dated[],
): void {
  const doubted = new Map(Object.entries(findDoubted(db, seriesId)));
  const judge = (history: readonly Dated[]) => {
    const step = largestStep(history);
    const options = { step, isSigned: SIGNED.has(seriesId), doubted };
    return { step, doubtful: listDoubtful(sent, stored, options) };
  };
  // A step that is small beside recent ones is small beside all of them.
  const recent = judge(stored);
  if (Number.isFinite(recent.step) && recent.doubtful.length === 0) return;
  const { doubtful } = judge(listCurrent(db, seriesId, ''));
  if (!doubtful.every(({ isConfirmed }) => isConfirmed)) throw new DoubtError(doubtful);
}

/** The figures that an earlier reply brought and that are held back, by date. */
function findDoubted(db: Database, seriesId: string): Record<string, number> {
  const text = db
    .prepare<object, string | null>('SELECT doubted FROM macro_series WHERE series_id = @seriesId')
    .pluck()
    .get({ seriesId });
  return JSON.parse(text ?? '{}');
}

/**
 * Writes what differs between the stored vintages of a series and those to store; `stored` are rows as
 * read. Returns whether anything did.
 */
export function replaceVintages(
  db: Database,
  seriesId: string,
  stored: readonly Vintage[],
  vintages: readonly Vintage[],
): boolean {
  const [before, after] = [byContent(stored), byContent(vintages)];
  const remove = db.prepare(`
    DELETE FROM macro_vintage
    WHERE series_id = @seriesId AND date = @date AND rt_start = @rtStart`);
  const insert = db.prepare(`
    INSERT INTO macro_vintage (series_id, date, rt_start, rt_end, value, exact, known_from)
    VALUES (@seriesId, @date, @rtStart, @rtEnd, @value, @exact, nullif(@knownFrom, @rtStart))`);
  const gone = [...before].filter(([content]) => !after.has(content));
  const added = [...after].filter(([content]) => !before.has(content));
  for (const [, { date, rtStart }] of gone) remove.run({ seriesId, date, rtStart });
  for (const [, vintage] of added) insert.run({ seriesId, ...vintage });
  if (gone.length + added.length === 0) return false;
  db.prepare(`
    UPDATE macro_series SET (observation_start, observation_end) = (
      SELECT min(date), max(date) FROM macro_vintage
      WHERE series_id = @seriesId AND rt_end IS NULL)
    WHERE series_id = @seriesId`).run({ seriesId });
  return true;
}

function byContent(vintages: readonly Vintage[]): Map<string, Vintage> {
  const entries = vintages.map((vintage) => {
    const { date, rtStart, rtEnd, value, exact, knownFrom } = vintage;
    return [`${date} ${rtStart} ${rtEnd} ${value} ${exact} ${knownFrom}`, vintage] as const;
  });
  return new Map(entries);
}

const STORED = `
  SELECT date, value, rt_start AS rtStart, rt_end AS rtEnd, exact,
    coalesce(known_from, rt_start) AS knownFrom
  FROM macro_vintage WHERE series_id = @seriesId`;

/** All that is stored of a series, by date and the day of publication. */
export function listStored(db: Database, seriesId: string): Vintage[] {
  return db.prepare<object, Vintage>(`${STORED} ORDER BY date, rt_start`).all({ seriesId });
}

/** The current values of a series from a date on. */
export function listCurrent(db: Database, seriesId: string, from: string): Vintage[] {
  return db
    .prepare<object, Vintage>(`${STORED} AND date >= @from AND rt_end IS NULL ORDER BY date`)
    .all({ seriesId, from });
}

/**
 * What an update of FRED from `since` on may change, of 26,000 dates that each have a value: vintages of
 * that time, dates that FRED did not have, and whole dates that an agency may have revised.
 */
function listChangeable(db: Database, { seriesId, fredEnd }: SeriesRow, since: string): Vintage[] {
  return db
    .prepare<object, Vintage>(`
      ${STORED} AND (rt_end IS NULL OR rt_end >= date(@since, '-1 day') OR date > @fredEnd
        OR date IN (
          SELECT date FROM macro_vintage
          WHERE series_id = @seriesId AND rt_end IS NULL AND exact = 0))
      ORDER BY date, rt_start`)
    .all({ seriesId, fredEnd, since });
}

/**
 * Stores a fill: a whole history replaces all that is stored of the series, bundled figures included; a
 * partial one is merged. What an agency has brought stays until FRED has it: dates, and revisions of dates
 * of which FRED still gives the older value. One transaction; repeating a fill changes nothing. Returns
 * whether any figure changed; a fill older than what is stored changes none.
 * Throws a MismatchError when the fill drops many stored dates, and an Error when it leaves a gap after
 * what is stored or the series is not in the catalogue.
 */
export function storeFill(db: Database, fill: Fill): boolean {
  const { seriesId, since, lastVintage, description } = fill;
  return db
    .transaction(() => {
      const found = findSeries(db, seriesId);
      if (found === undefined) throw new Error(`${seriesId} is not in the catalogue`);
      const { lastVintage: stored, agency } = found;
      if (since !== null && (stored === null || stored < since)) {
        throw new Error(`the update of ${seriesId} leaves a gap after what is stored`);
      }
      // Another process may have stored a newer response meanwhile.
      if (since !== null && stored !== null && stored > lastVintage) return false;
      const last = fill.vintages.at(-1)?.date ?? '';
      // A date that FRED once gave in error would count all that an agency ever brings as FRED's.
      const furthest = shiftDay(lastVintage, MOST_DAYS_AHEAD);
      const state = found.fredEnd <= furthest ? found : { ...found, fredEnd: last };
      const rows = since === null ? listStored(db, seriesId) : listChangeable(db, state, since);
      expectNoLoss(found, rows, fill.vintages);
      expectSameScale(found, rows, fill);
      if (description === null || description.units === found.units) {
        expectBelievable(db, seriesId, currentOf(fill.vintages), currentOf(rows));
      }
      const fredEnd = state.fredEnd > last ? state.fredEnd : last;
      // On another base an agency's figures would not continue FRED's.
      const isSameUnit = description === null || description.units === state.units;
      const keepsAgency = agency !== null && isSameUnit;
      const keptAfter = keepsAgency ? fredEnd : LAST_DATE;
      const isMistake = (date: string) => date > furthest && date <= found.fredEnd;
      const before = rows.filter(({ date }) => date <= keptAfter || isMistake(date));
      const merged = mergeFill(before, fill, { fredEnd: state.fredEnd, keepsAgency });
      const isChanged = replaceVintages(db, seriesId, before, merged.vintages);
      const isAgencyAhead = merged.isRevised || before.length < rows.length;
      db.prepare(`
        UPDATE macro_series SET
          origin = 'fred', fred_end = @fredEnd, agency = iif(@isAgencyAhead, agency, NULL),
          title = coalesce(@title, title), units = coalesce(@units, units),
          last_updated =
            coalesce(@lastUpdated, iif(last_vintage = @lastVintage, last_updated, @lastVintage)),
          last_vintage = @lastVintage
        WHERE series_id = @seriesId`).run({
        ...{ title: null, units: null, lastUpdated: null, ...description },
        ...{ seriesId, lastVintage, fredEnd, isAgencyAhead: Number(isAgencyAhead) },
      });
      return isChanged;
    })
    .immediate();
}

/**
 * A fill contains every date current from its first day on, since FRED clips older rows to it, whoever
 * brought what is stored. Dates that an agency has added since FRED's last one do not count.
 */
function expectNoLoss(
  { seriesId, fredEnd, lastVintage }: SeriesRow,
  stored: readonly Vintage[],
  vintages: readonly Vintage[],
): void {
  const sent = new Set(currentOf(vintages).map(({ date }) => date));
  const last = vintages.at(-1)?.date ?? '';
  const years = YEARS_SHOWN.get(seriesId);
  const first = years === undefined ? '' : `${Number(last.slice(0, 4)) - years}${last.slice(4)}`;
  const dates = currentOf(stored).flatMap(({ date }) =>
    date >= first && (lastVintage === null || date <= fredEnd) ? [date] : [],
  );
  const dropped = dates.filter((date) => !sent.has(date)).length;
  if (losesTooMany(dropped, dates.length)) {
    throw new MismatchError('its response dropped many dates that are stored');
  }
}

/** The figures that are current, missing ones left out. */
function currentOf(vintages: readonly Vintage[]): { date: string; value: number }[] {
  return vintages.flatMap(({ date, value, rtEnd }) =>
    rtEnd === null && value !== null ? [{ date, value }] : [],
  );
}

/** In the same units, figures are about those stored, and new ones are near them. */
function expectSameScale(
  { units }: SeriesRow,
  stored: readonly Vintage[],
  { vintages, description }: Fill,
): void {
  if (description !== null && description.units !== units) return;
  const [before, after] = [
    new Map(currentOf(stored).map((e) => [e.date, e.value])),
    currentOf(vintages),
  ];
  const pairs = after.flatMap(({ date, value }) => {
    const old = before.get(date);
    return old === undefined ? [] : [{ before: old, after: value }];
  });
  if (isOtherScale(pairs)) {
    throw new MismatchError('its figures are several times as large or as small as those stored');
  }
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
    UPDATE macro_series SET next_due = @nextDue, stale = 0, fault = NULL, doubted = NULL,
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
  {
    doubted,
    ...failure
  }: {
    /** Why, as a sentence for callers. */
    fault: string;
    /** Earliest next attempt, ISO 8601. */
    retryAt: string;
    isDue: boolean;
    /** Figures that are held back; those of an earlier reply by default. */
    doubted?: readonly { date: string; value: number }[] | undefined;
  },
): void {
  db.prepare(`
    UPDATE macro_series SET stale = max(stale, @isDue), fault = @fault, retry_at = @retryAt,
      doubted = coalesce(@doubted, doubted)
    WHERE series_id = @seriesId`).run({
    ...{ ...failure, seriesId, isDue: failure.isDue ? 1 : 0 },
    doubted: doubted
      ? JSON.stringify(Object.fromEntries(doubted.map(({ date, value }) => [date, value])))
      : null,
  });
}
