import type { Database } from 'better-sqlite3';
import { write } from '../../store/connection.ts';
import { groupByDate, mergeVintages, type Vintage } from './facts/vintages.ts';
import { type CatalogueEntry, findSeries, listSeries, listStored } from './queries.ts';
import { changeUnits, replaceVintages } from './series.ts';

/** Writes the catalogue in order. Keeps figures, FRED's titles, and units from FRED or an agency. */
export function upsertCatalogue(db: Database, catalogue: readonly CatalogueEntry[]): void {
  const upsert = db.prepare(`
    INSERT INTO macro_series (
      series_id, position, indicator, category, title, frequency, units, seasonal_adjustment,
      source, copyright_status
    ) VALUES (
      @seriesId, @position, @indicator, @category, @title, @frequency, @units, @seasonalAdjustment,
      @source, @copyrightStatus
    )
    ON CONFLICT (series_id) DO UPDATE SET
      position = excluded.position, indicator = excluded.indicator,
      category = excluded.category, frequency = excluded.frequency, source = excluded.source,
      seasonal_adjustment = excluded.seasonal_adjustment,
      copyright_status = excluded.copyright_status,
      title = iif(origin = 'fred', title, excluded.title),
      units = iif(origin = 'fred' OR agency IS NOT NULL, units, excluded.units)`);
  write(db, () => {
    for (const [position, series] of catalogue.entries()) upsert.run({ ...series, position });
  });
}

/** Vintages per slice; a slice takes about 50 ms. */
const ROWS_PER_SLICE = 4_000;
/** Sorts after every date. */
const AFTER_ALL = '9999-12-31';

/**
 * Installs a newer starter store's catalogue, and its figures for every series that FRED has not
 * filled. Figures from an agency stay, with the days on which they were first seen. Yields slices
 * of work, each a transaction short enough not to delay a running server.
 */
export function* renewStarterSeries(db: Database, starter: Database): Generator<() => void> {
  const catalogue = listSeries(starter);
  yield () => {
    upsertCatalogue(db, catalogue);
    // Agencies' files are then fetched again and compared with the new figures.
    db.prepare('DELETE FROM agency_file').run();
  };
  const update = db.prepare(`
    UPDATE macro_series SET origin = 'starter', next_due = NULL,
      taken = iif(agency IS NULL, @taken, taken),
      last_updated = iif(agency IS NULL, @lastUpdated, last_updated)
    WHERE series_id = @seriesId`);
  for (const { seriesId, origin, units, taken, lastUpdated } of catalogue) {
    if (origin !== 'starter') continue;
    const packed = listStored(starter, seriesId);
    for (let at = 0, from = ''; at < packed.length; ) {
      // A slice never splits the vintages of a date.
      const until = packed[at + ROWS_PER_SLICE]?.date ?? AFTER_ALL;
      const [start, isIn] = [from, ({ date }: Vintage) => date >= start && date < until];
      yield () => {
        const state = findSeries(db, seriesId);
        if (state === undefined || state.origin === 'fred') return;
        if (state.units !== units) {
          // Never mix values of two bases; the newer base wins.
          if ((state.lastUpdated ?? '') > (lastUpdated ?? '')) return;
          changeUnits(db, state, units);
        }
        const stored = listStored(db, seriesId).filter(isIn);
        const bundle = groupByDate(packed.filter(isIn));
        const own = state.agency === null ? [] : groupByDate(stored);
        for (const [date, rows] of own) {
          bundle.set(date, mergeVintages(bundle.get(date) ?? [], rows));
        }
        replaceVintages(db, seriesId, stored, [...bundle.values()].flat());
        if (until === AFTER_ALL) update.run({ seriesId, taken, lastUpdated });
      };
      from = until;
      while (at < packed.length && (packed[at]?.date ?? '') < until) at += 1;
    }
  }
}
