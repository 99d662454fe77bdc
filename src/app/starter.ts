import type { Database } from 'better-sqlite3';
import { renewStarterSeries } from '../areas/macro/starter.ts';
import { renewStarterEvents } from '../areas/markets/starter.ts';
import { renewStarterPapers } from '../areas/papers/starter.ts';
import { pause } from '../core/time.ts';
import { whenFree, withoutWaiting, write } from '../store/connection.ts';
import { pendingMigrations } from '../store/migrations.ts';
import { openForWriting, openReadOnly } from '../store/open.ts';
import { readSetting, writeSetting } from '../store/state.ts';
import { migrations } from './store.ts';

/** Setting that records which edition of the starter data a store has; see `data/starter/edition.json`. */
export const EDITION_SETTING = 'starter_edition';
/** Pause between slices, which lets calls in this process and writers in others proceed. */
const PAUSE_MS = 2;

/**
 * Replaces starter data in the store at `path` with that of a newer package; what upstreams have since provided
 * stays. If the store uses another model, the next sync computes the vectors. Works in slices of one card or
 * part of a series, each a transaction; the next start repeats an interrupted renewal. Resolves to false if the
 * package has no newer data. Rejects with the signal's reason or the store's error.
 */
export async function renewStarter(
  path: string,
  starterPath: string,
  signal: AbortSignal,
): Promise<boolean> {
  const starter = openReadOnly(starterPath);
  const opened = [starter];
  try {
    const db = openForWriting(path);
    opened.push(db);
    if (pendingMigrations(starter, migrations).length > 0) return false;
    if (editionOf(starter) <= editionOf(db)) return false;
    const inTurn = (work: () => void) => whenFree(() => withoutWaiting(db, work));
    for (const renew of [renewStarterSeries, renewStarterPapers, renewStarterEvents]) {
      for (const slice of renew(db, starter)) {
        await inTurn(() => write(db, slice));
        await pause(PAUSE_MS, signal);
      }
    }
    await inTurn(() => writeSetting(db, EDITION_SETTING, String(editionOf(starter))));
    return true;
  } finally {
    for (const each of opened) each.close();
  }
}

function editionOf(db: Database): number {
  return Number(readSetting(db, EDITION_SETTING) ?? 0);
}
