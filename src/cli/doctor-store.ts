import { accessSync, constants, existsSync, statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { STARTER_PATH } from '../app/built.ts';
import { eventIndex } from '../areas/markets/tables.ts';
import { paperIndex } from '../areas/papers/tables.ts';
import { storePath } from '../config.ts';
import { bytesFree, creationFault, REMEDIES, storeFaultOf } from '../core/disk.ts';
import { ServiceError } from '../core/errors.ts';
import { listDamagedVectors } from '../search/vectors.ts';
import { assertOwnStore, pendingMigrations } from '../store/migrations.ts';

/** What one check said; `fix` says how to mend what is not `ok`, and is null otherwise. */
export interface Check {
  name: 'node' | 'native_modules' | 'vector_search' | 'store_integrity' | 'model' | 'upstreams';
  ok: boolean;
  /** `missing`: merely not there, which costs a feature and breaks nothing. */
  state: 'ok' | 'missing' | 'fault';
  detail: string;
  fix: string | null;
}

export function passed(name: Check['name'], detail: string): Check {
  return { name, ok: true, state: 'ok', detail, fix: null };
}

export function failed(
  name: Check['name'],
  detail: string,
  fix: string | null,
  state: 'missing' | 'fault' = 'fault',
): Check {
  return { name, ok: false, state, detail, fix };
}

/** The first line of an error's message. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? '';
}

/** Bytes that a call or a small sync may need. */
const LEAST_ROOM = 10_000_000;
const SOUND = 'The store itself is sound: leave it where it is.';

/** Checks the store: whether it is intact, and whether it can be written or made. */
export async function checkStore(home: string): Promise<Check> {
  const name = 'store_integrity';
  const path = storePath(home);
  if (!existsSync(path)) {
    const starter = statSync(STARTER_PATH, { throwIfNoEntry: false })?.size ?? 0;
    const detail = 'no store yet; the first call creates it';
    return checkRoom(home, starter + LEAST_ROOM, 'no store yet') ?? passed(name, detail);
  }
  try {
    // Lazily: better-sqlite3 may be missing, which another check explains.
    const [{ migrations }, { openForReading }, { loadVectorExtension }] = await Promise.all([
      import('../app/schema.ts'),
      import('../store/open.ts'),
      import('../store/sqlite.ts'),
    ]);
    const db = openForReading(path);
    try {
      // Where it cannot be loaded, another check says why.
      loadVectorExtension(db);
      assertIntact(db);
      const pending = pendingMigrations(db, migrations).length;
      const damaged = pending === 0 ? listDamaged(db) : [];
      if (damaged.length > 0) {
        const fix = `Make them again with \`quantshelf sync ${damaged[0]?.area}\`.`;
        const counts = damaged.map(({ area, count }) => `${count} of ${area}`).join(', ');
        return failed(name, `damaged search vectors: ${counts}`, fix);
      }
      accessSync(path, constants.R_OK | constants.W_OK);
      const wait = pending === 0 ? '' : `; ${pending} migrations wait for the next start`;
      return checkRoom(home, LEAST_ROOM, 'intact') ?? passed(name, `intact${wait}`);
    } finally {
      db.close();
    }
  } catch (error) {
    return failed(name, firstLine(error), fixFor(error, path, home));
  }
}

/** Throws what SQLite finds damaged. */
function assertIntact(db: Database): void {
  assertOwnStore(db);
  // Checks the full-text indexes, too.
  const verdict = String(db.pragma('integrity_check(1)', { simple: true }));
  if (verdict !== 'ok') throw new Error(verdict);
  const orphans = db.pragma('foreign_key_check');
  if (Array.isArray(orphans) && orphans.length > 0) {
    throw new Error(`the owner of ${orphans.length} rows is missing`);
  }
}

/** Search vectors that cannot be read, by area: those cards are found by their words alone. */
function listDamaged(db: Database) {
  return [
    { area: 'papers', count: listDamagedVectors(db, paperIndex.name).length },
    { area: 'markets', count: listDamagedVectors(db, eventIndex.name).length },
  ].filter(({ count }) => count > 0);
}

/** Null where a store can be made or written. */
function checkRoom(home: string, needed: number, state: string): Check | null {
  const fault = creationFault(home);
  // First: a read-only disk has no room either, and freeing some would be no help.
  if (fault === 'unwritable') {
    const detail = `${state}, and the data directory cannot be written`;
    return failed('store_integrity', detail, REMEDIES.unwritable);
  }
  const free = bytesFree(home);
  if (fault === null && free >= needed) return null;
  return failed(
    'store_integrity',
    `${state}, and the disk has ${megabytes(free)} left`,
    `Free ${megabytes(needed)} on this disk, or set QUANTSHELF_HOME to a directory on another one.`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** What mends a store from the error that opening or checking it threw. */
export function fixFor(error: unknown, path: string, home: string): string {
  // A newer version wrote it, or it is no store of ours: the message says what to do.
  if (error instanceof ServiceError) return error.message;
  const fault = storeFaultOf(error, home);
  if (fault !== null && fault !== 'damaged') return `${REMEDIES[fault]} ${SOUND}`;
  return (
    'Save what can be read with `quantshelf backup FILE`. If you have a backup, `quantshelf restore FILE` ' +
    `brings it back. Else move ${path} away, with the files beside it that end in -wal and -shm; the next ` +
    'start creates a new store from the starter shelf. Keys, credits and what was synced stay behind in the old one.'
  );
}
