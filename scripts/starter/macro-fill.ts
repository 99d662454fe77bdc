import type { Database } from 'better-sqlite3';
import type { Vintage } from '../../src/areas/macro/facts/vintages.ts';
import { listStored } from '../../src/areas/macro/queries.ts';
import { replaceVintages } from '../../src/areas/macro/series.ts';
import { upsertCatalogue } from '../../src/areas/macro/starter.ts';
import type { StarterMacro } from './macro.ts';

/** Puts the catalogue and all bundled figures into a store. Running it again changes nothing. */
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
  for (const { seriesId, vintages, taken } of starter.series) {
    bundleFigures(db, {
      seriesId,
      vintages,
      taken: `${taken}T00:00:00.000Z`,
      // Our retrieval: the agency's last change to the series is not recorded.
      lastUpdated: taken,
    });
  }
}

/** Replaces all figures of a series in the catalogue. */
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
