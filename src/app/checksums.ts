import type { Database } from 'better-sqlite3';
import { mendSeries, sealMacro } from '../areas/macro/vintages/checksum-ingest.ts';
import { listDamagedSeries } from '../areas/macro/vintages/checksum-queries.ts';
import { sealEvents } from '../areas/markets/cards/checksum-ingest.ts';
import { listDamagedEvents } from '../areas/markets/cards/checksum-queries.ts';
import { aliasOf } from '../areas/markets/cards/ids.ts';
import { mendEvents } from '../areas/markets/ingest.ts';
import { eventIndex } from '../areas/markets/tables.ts';
import { listDamagedCards, listDamagedPapers } from '../areas/papers/queries.ts';
import {
  mendCards,
  mendTexts,
  mendVectors,
  sealPapers,
} from '../areas/papers/sync/checksum-ingest.ts';
import { indexOlderSections } from '../areas/papers/sync/section-terms-ingest.ts';
import { paperIndex } from '../areas/papers/tables.ts';
import { AREAS, type Area } from '../core/area.ts';
import { pause } from '../core/time.ts';
import { neverBlock, whenFree } from '../store/busy.ts';
import { openForReading, openForWriting } from '../store/open.ts';
import { listDamagedVectors, sealVectors } from '../store/search/vectors/checksums.ts';
import { readSetting, writeSetting } from '../store/settings.ts';

/** Setting of a store in which what an older version wrote has its checksums and index entries; and of which rows. */
const SEALED_SETTING = 'checksums';
const SEALED = '3';
/** Pause between slices, for calls in this process and writers in others. */
const PAUSE_MS = 2;

/**
 * Makes the index of sections and the checksums that the rows of an older version lack, once, in slices; if interrupted, the next
 * start goes on. Rejects with the signal's reason, or when the store fails.
 */
export async function sealStore(path: string, signal: AbortSignal): Promise<void> {
  const db = openForWriting(path);
  try {
    if (readSetting(db, SEALED_SETTING) === SEALED) return;
    neverBlock(db);
    const parts = [
      indexOlderSections(db),
      sealMacro(db),
      sealPapers(db),
      sealEvents(db),
      sealVectors(db, paperIndex.name),
      sealVectors(db, eventIndex.name),
    ];
    for (const slices of parts) {
      for (const slice of slices) {
        await whenFree(slice);
        await pause(PAUSE_MS, signal);
      }
    }
    await whenFree(() => writeSetting(db, SEALED_SETTING, SEALED));
  } finally {
    db.close();
  }
}

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
    if (area === 'markets') mendEvents(db, starter);
    return damage;
  } finally {
    starter.close();
  }
}
