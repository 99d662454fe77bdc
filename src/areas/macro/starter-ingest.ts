import { isDeepStrictEqual } from 'node:util';
import type { Database } from 'better-sqlite3';
import { replaceRows } from '../../store/copy-rows.ts';
import type { CatalogueEntry } from './queries.ts';
import { prepareInsert } from './vintage-ingest.ts';
import { groupByDate, mergeVintages, type Vintage } from './vintages.ts';

/** Writes the catalogue in this order. Keeps stored figures, and titles and units that came from FRED. */
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
      units = iif(origin = 'fred', units, excluded.units)`);
  db.transaction(() => {
    for (const [position, series] of catalogue.entries()) upsert.run({ ...series, position });
  }).immediate();
}

/**
 * Brings the catalogue of a newer starter store, and its figures for every series that FRED has not
 * filled; what an agency has brought stays, with the days on which it was seen. Yields a transaction per series.
 */
export function* renewStarterSeries(db: Database, starter: Database): Generator<() => void> {
  const catalogue = starter
    .prepare<[], CatalogueEntry>(`
      SELECT series_id AS seriesId, indicator, category, title, frequency, units,
        seasonal_adjustment AS seasonalAdjustment, source, copyright_status AS copyrightStatus
      FROM macro_series ORDER BY position`)
    .all();
  yield () => {
    upsertCatalogue(db, catalogue);
    // Files of agencies are compared with the new figures when they are asked for again.
    db.prepare('DELETE FROM agency_file').run();
  };
  const originOf = db
    .prepare<{ seriesId: string }, string | null>(
      'SELECT origin FROM macro_series WHERE series_id = @seriesId',
    )
    .pluck();
  const bundled = starter
    .prepare<[], Record<string, string | null> & { seriesId: string }>(`
      SELECT series_id AS seriesId, origin, taken, last_updated AS lastUpdated,
        observation_start AS observationStart, observation_end AS observationEnd
      FROM macro_series WHERE origin = 'starter'`)
    .all();
  const update = db.prepare(`
    UPDATE macro_series SET origin = @origin, next_due = NULL,
      taken = iif(agency IS NULL, @taken, taken),
      last_updated = iif(agency IS NULL, @lastUpdated, last_updated),
      observation_start = @observationStart,
      observation_end = iif(agency IS NULL, @observationEnd, max(observation_end, @observationEnd))
    WHERE series_id = @seriesId`);
  const synced = db.prepare<object, Vintage>(`
    SELECT date, rt_start AS rtStart, rt_end AS rtEnd, value, exact,
      coalesce(known_from, rt_start) AS knownFrom
    FROM macro_vintage JOIN macro_series USING (series_id)
    WHERE series_id = @seriesId AND agency IS NOT NULL ORDER BY date, rt_start`);
  const remove = db.prepare(
    'DELETE FROM macro_vintage WHERE series_id = @seriesId AND date = @date',
  );
  const insert = prepareInsert(db);
  for (const series of bundled) {
    const { seriesId } = series;
    const slice = db.transaction(() => {
      if (originOf.get({ seriesId }) === 'fred') return;
      const stored = groupByDate(synced.all(series));
      const tables = [{ table: 'macro_vintage', key: 'series_id' }];
      replaceRows(starter, db, tables, { from: seriesId, to: seriesId });
      const packed = groupByDate(synced.all(series));
      for (const [date, rows] of stored) {
        const before = packed.get(date) ?? [];
        const after = mergeVintages(before, rows);
        if (isDeepStrictEqual(before, after)) continue;
        remove.run({ seriesId, date });
        for (const row of after) insert(seriesId, row);
      }
      update.run(series);
    });
    yield () => slice.immediate();
  }
}
