import type { Database } from 'better-sqlite3';
import type { Vintage } from '../../../../src/areas/macro/facts/vintages.ts';
import type { Fill } from '../../../../src/areas/macro/sources/fred-vintages.ts';
import { upsertCatalogue } from '../../../../src/areas/macro/starter.ts';
import { makeShelf } from './shelf.ts';

/** A shelf with some series in its catalogue but no figures. */
export function shelfOf(...ids: readonly string[]): Database {
  const db = makeShelf();
  fillCatalogue(db, ids);
  return db;
}

export function fillCatalogue(db: Database, ids: readonly string[]): void {
  upsertCatalogue(
    db,
    ids.map((seriesId) => ({
      seriesId,
      indicator: `us.${seriesId.toLowerCase()}`,
      category: 'Labor',
      title: 'As the catalogue has it',
      frequency: 'Monthly',
      units: 'Index 1967=100',
      seasonalAdjustment: 'NSA',
      source: 'Nobody',
      copyrightStatus: 'Public Domain: Citation requested',
    })),
  );
}

/** All stored vintages of a series, ordered by date and time. */
export function readVintages(db: Database, seriesId = 'TEST'): Vintage[] {
  return db
    .prepare<[string], Vintage>(`
      SELECT date, value, rt_start AS rtStart, rt_end AS rtEnd, exact,
        coalesce(known_from, rt_start) AS knownFrom
      FROM macro_vintage WHERE series_id = ? ORDER BY date, rt_start`)
    .all(seriesId);
}

/** Looks up a value of a series as known on a day; undefined if none had been published. */
export function archiveOf(db: Database, seriesId: string) {
  const statement = db.prepare<object, { value: number | null; published: string; exact: 0 | 1 }>(`
    SELECT value, rt_start AS published, exact FROM macro_vintage
    WHERE series_id = @seriesId AND date = @date
      AND rt_start <= @day AND (rt_end IS NULL OR rt_end >= @day)
    ORDER BY rt_start DESC`);
  return (date: string, day: string) => statement.get({ seriesId, date, day });
}

/** A current value with an observed day, by default. */
export function vintage(
  date: string,
  value: number | null,
  rtStart: string,
  more: Partial<Vintage> = {},
): Vintage {
  return { date, value, rtStart, rtEnd: null, exact: 1, knownFrom: rtStart, ...more };
}

/** A whole history of one value, by default. */
export function fillOf(more: Partial<Fill>): Fill {
  return {
    seriesId: 'TEST',
    since: null,
    vintages: [vintage('2026-03-01', 1, '2026-04-03', { exact: 0 })],
    lastVintage: '2026-04-03',
    description: null,
    ...more,
  };
}
