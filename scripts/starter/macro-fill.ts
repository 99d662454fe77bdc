import type { Database } from 'better-sqlite3';
import { upsertCatalogue } from '../../src/areas/macro/starter-ingest.ts';
import { listStored, replaceVintages } from '../../src/areas/macro/series.ts';
import type { Vintage } from '../../src/areas/macro/vintages.ts';
import { shiftDay } from '../../src/core/time.ts';
import type { StarterMacro, StarterSeries } from './macro.ts';

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
      units: row.units,
      seasonalAdjustment: row.seasonal_adjustment,
      source: row.source,
      copyrightStatus: row.copyright_status,
    })),
  );
  for (const series of starter.series) {
    bundleFigures(db, {
      seriesId: series.seriesId,
      vintages: [...supersededVintages(starter, series.seriesId), ...currentVintages(series)],
      taken: `${series.taken}T00:00:00.000Z`,
      // When the agency last touched the series is not recorded; our own look at it is.
      lastUpdated: series.taken,
    });
  }
}

/** Puts figures in the place of all that a series of the catalogue has. */
export function bundleFigures(
  db: Database,
  bundled: {
    seriesId: string;
    vintages: readonly Vintage[];
    /** When they were fetched, ISO 8601. */
    taken: string;
    /** When the series last changed. */
    lastUpdated: string;
  },
): void {
  const { seriesId, vintages, taken, lastUpdated } = bundled;
  db.transaction(() => {
    replaceVintages(db, seriesId, listStored(db, seriesId), vintages);
    db.prepare(`
      UPDATE macro_series SET origin = 'starter', taken = @taken, last_updated = @lastUpdated
      WHERE series_id = @seriesId`).run({ seriesId, taken, lastUpdated });
  })();
}

function currentVintages(series: StarterSeries): Vintage[] {
  return series.observations.map(({ date, value, published, exact, knownFrom }) => ({
    ...{ date, value, knownFrom },
    rtStart: published,
    rtEnd: null,
    exact: exact ? 1 : 0,
  }));
}

function supersededVintages({ vintages }: StarterMacro, seriesId: string): Vintage[] {
  return vintages.flatMap(
    ({ seriesId: id, date, value, published, superseded, exact }): Vintage[] =>
      id === seriesId && superseded !== null
        ? [
            {
              ...{ date, value },
              rtStart: published,
              rtEnd: shiftDay(superseded, -1),
              exact: exact ? 1 : 0,
              knownFrom: published,
            },
          ]
        : [],
  );
}
