import type { Database } from 'better-sqlite3';
import { insertVintages, upsertCatalogue } from '../../src/areas/macro/ingest.ts';
import type { Vintage } from '../../src/areas/macro/vintages/row-ingest.ts';
import type { StarterMacro, StarterSeries } from './macro.ts';
import { addDays } from './macro-text.ts';

/** Puts the catalogue and all bundled figures into a store. May be run again. */
export function fillMacro(db: Database, starter: StarterMacro): void {
  upsertCatalogue(
    db,
    starter.catalogue.map((row) => ({
      seriesId: row.series_id,
      indicator: row.indicator,
      category: row.category,
      title: row.title,
      frequency: row.frequency,
      nativeFrequency: row.native_frequency,
      units: row.units,
      seasonalAdjustment: row.seasonal_adjustment,
      source: row.source,
      copyrightStatus: row.copyright_status,
    })),
  );
  for (const series of starter.series) {
    insertVintages(db, {
      seriesId: series.seriesId,
      vintages: [...supersededVintages(starter, series.seriesId), ...currentVintages(series)],
      origin: 'starter',
      taken: `${series.taken}T00:00:00.000Z`,
      // When the agency last touched the series is not recorded; our own look at it is.
      lastUpdated: series.taken,
    });
  }
}

function currentVintages(series: StarterSeries): Vintage[] {
  return series.observations.map(({ date, value, published, exact }) => ({
    date,
    value,
    rtStart: published,
    rtEnd: null,
    exact,
  }));
}

function supersededVintages({ vintages }: StarterMacro, seriesId: string): Vintage[] {
  return vintages.flatMap(({ seriesId: id, date, value, published, superseded }) =>
    id === seriesId && superseded !== null
      ? [{ date, value, rtStart: published, rtEnd: addDays(superseded, -1), exact: true }]
      : [],
  );
}
