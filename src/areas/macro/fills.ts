import type { Database } from 'better-sqlite3';
import { write } from '../../store/connection.ts';
import { isEqual, MismatchError, pairWithSent } from './facts/continuation.ts';
import { isOtherScale, scaleOf } from './facts/plausibility.ts';
import { mergeFill, type Vintage } from './facts/vintages.ts';
import { findSeries, listCurrent, listSince, listStored, type SeriesRow } from './queries.ts';
import { changeUnits, expectBelievable, replaceVintages } from './series.ts';
import type { Fill } from './sources/fred-vintages.ts';

/** Years of history that FRED serves for these series; the oldest dates disappear daily. */
const YEARS_SHOWN: ReadonlyMap<string, number> = new Map([['BAMLH0A0HYM2', 3]]);

const OTHER_SCALE = 'its figures are several times larger or smaller than those stored';

function valuesOf(vintages: readonly Vintage[]): Map<string, number | null> {
  return new Map(vintages.map(({ date, value }) => [date, value]));
}

/**
 * Stores a fill from FRED in one transaction; FRED then becomes the series' only source. Keeps stored
 * dates and earlier vintages that the fill lacks. Storing a fill again, or an older update, changes nothing.
 * Returns whether any figure changed. Throws a MismatchError for a fill that does not continue the
 * stored figures, and an Error if it leaves a gap or the series is not in the catalogue.
 */
export function storeFill(db: Database, fill: Fill): boolean {
  const { seriesId, since, lastVintage, description } = fill;
  return write(db, () => {
    const series = findSeries(db, seriesId);
    if (series === undefined) throw new Error(`${seriesId} is not in the catalogue`);
    const { lastVintage: stored, units, agency } = series;
    if (since !== null && (stored === null || stored < since)) {
      throw new Error(`the update of ${seriesId} leaves a gap after the stored figures`);
    }
    // A newer backup may have been restored after the update was fetched.
    if (since !== null && (stored ?? '') > lastVintage) return false;
    const isRebased = description !== null && description.units !== units;
    const sent = fill.vintages.filter(({ value, rtEnd }) => rtEnd === null && value !== null);
    const before = listCurrent(db, seriesId, { start: '' });
    if (agency !== null) expectCaughtUp(before, sent, lastVintage);
    const first = firstShown(seriesId, sent.at(-1)?.date ?? '');
    const shown = before.filter(({ date }) => date >= first);
    const pairs = pairWithSent(shown, sent);
    if (isRebased) changeUnits(db, series, description.units);
    else if (isOtherScale(pairs)) throw new MismatchError(OTHER_SCALE);
    expectBelievable(db, seriesId, sent, before, isRebased ? scaleOf(pairs) : 1);
    const rows = since === null ? listStored(db, seriesId) : listSince(db, seriesId, since);
    const vintages = isRebased ? nameUnits(fill, units) : fill.vintages;
    const isChanged = replaceVintages(db, seriesId, rows, mergeFill(rows, { since, vintages }));
    db.prepare(`
      UPDATE macro_series SET origin = 'fred', agency = NULL, title = coalesce(@title, title),
        last_updated =
          coalesce(@lastUpdated, iif(last_vintage = @lastVintage, last_updated, @lastVintage)),
        last_vintage = @lastVintage, own_until = @ownUntil
      WHERE series_id = @seriesId`).run({
      title: null,
      lastUpdated: null,
      ...description,
      seriesId,
      lastVintage,
      ownUntil: findOwnUntil(series, valuesOf(before), sent),
    });
    // If the key is later removed, even unchanged files must be fetched and compared with FRED's figures.
    db.prepare('DELETE FROM agency_file').run();
    return isChanged;
  });
}

/** Throws a MismatchError while FRED lacks a figure or revision already stored from an agency. */
function expectCaughtUp(
  stored: readonly Vintage[],
  sent: readonly Vintage[],
  lastVintage: string,
): void {
  const [values, last] = [valuesOf(sent), sent.at(-1)?.date ?? ''];
  const isBehind = stored.some(
    ({ date, value, knownFrom }) =>
      value !== null &&
      (date > last || (knownFrom > lastVintage && !isEqual(value, values.get(date) ?? Number.NaN))),
  );
  if (isBehind) throw new MismatchError("it does not have all the agency's figures yet");
}

/** Last date up to which FRED's figures equal those stored before FRED's first fill. */
function findOwnUntil(
  { origin, ownUntil }: SeriesRow,
  before: ReadonlyMap<string, number | null>,
  sent: readonly Vintage[],
): string | null {
  const isOwn = ({ date, value }: Vintage) =>
    (origin !== 'fred' || date <= (ownUntil ?? '')) &&
    isEqual(value ?? Number.NaN, before.get(date) ?? Number.NaN);
  const own = sent.slice(0, [...sent.map(isOwn), false].indexOf(false));
  return own.at(-1)?.date ?? null;
}

/** Labels an update's vintages from before its change of base with the old `units`. */
function nameUnits({ since, vintages }: Fill, units: string): Vintage[] {
  if (since === null) return [...vintages];
  const days = vintages.flatMap(({ rtStart, rtEnd }) => (rtEnd === null ? rtStart : [])).sort();
  // Most values of the new base came out on one day.
  const rebased = days[Math.floor(days.length / 2)] ?? since;
  return vintages.map((each) => (each.rtStart < rebased ? { ...each, units } : each));
}

/** The first date that FRED still serves for a series that ends on `last`. */
function firstShown(seriesId: string, last: string): string {
  const years = YEARS_SHOWN.get(seriesId);
  return years === undefined ? '' : `${Number(last.slice(0, 4)) - years}${last.slice(4)}`;
}
