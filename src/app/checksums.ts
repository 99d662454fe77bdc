import type { Database } from 'better-sqlite3';
import { listDamagedSeries, mendSeries } from '../areas/macro/bundle-ingest.ts';
import { aliasOf } from '../areas/markets/cards/ids.ts';
import { mendEvents } from '../areas/markets/ingest.ts';
import { listDamagedEvents } from '../areas/markets/queries.ts';
import { eventIndex } from '../areas/markets/tables.ts';
import { listDamagedCards, listDamagedPapers } from '../areas/papers/queries.ts';
import { mendCards, mendTexts, mendVectors } from '../areas/papers/sync/checksum-ingest.ts';
import { paperIndex } from '../areas/papers/tables.ts';
import { AREAS, type Area } from '../core/area.ts';
import { listDamagedVectors } from '../search/vectors.ts';
import { openForReading } from '../store/open.ts';

/** What contradicts its checksum, as words for people. */
export interface Damage {
  area: Area;
  what: string;
}

const FIND: Readonly<Record<Area, (db: Database) => string[]>> = {
  papers: (db) => [
    ...listDamagedCards(db).map(({ sourceId }) => `the card of ${sourceId}`),
    ...listDamagedPapers(db).map(({ sourceId }) => `the text of ${sourceId}`),
    ...countVectors(db, paperIndex.name, 'papers'),
  ],
  macro: (db) =>
    listDamagedSeries(db).map(({ seriesId, values }) => `${values} values of ${seriesId}`),
  markets: (db) => [
    ...listDamagedEvents(db).map((id) => `event ${aliasOf(id)}`),
    ...countVectors(db, eventIndex.name, 'events'),
  ],
};

function countVectors(db: Database, name: string, cards: string): string[] {
  const count = listDamagedVectors(db, name).length;
  return count === 0 ? [] : [`the search vectors of ${count} ${cards}`];
}

/** Verifies every checksum of the areas; reads all that they hold. */
export function findDamage(db: Database, areas: readonly Area[] = AREAS): Damage[] {
  return areas.flatMap((area) => FIND[area](db).map((what) => ({ area, what })));
}

/**
 * Drops what is damaged in an area, or takes it from the starter store at `starterPath`; the sync that
 * follows fetches and computes it again. Returns what it was.
 */
export function mendArea(db: Database, area: Area, starterPath: string): Damage[] {
  const damage = findDamage(db, [area]);
  if (damage.length === 0) return [];
  const starter = openForReading(starterPath);
  try {
    if (area === 'macro') mendSeries(db, starter);
    if (area === 'papers') {
      mendCards(db, starter);
      mendTexts(db, starter);
      mendVectors(db);
    }
    if (area === 'markets') {
      mendEvents(db, starter);
    }
    return damage;
  } finally {
    starter.close();
  }
}
