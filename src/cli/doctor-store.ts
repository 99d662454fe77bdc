import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { STARTER_PATH } from '../app/built.ts';
import { summariseMacro } from '../areas/macro/queries.ts';
import { summariseMarkets } from '../areas/markets/queries.ts';
import { eventIndex } from '../areas/markets/tables.ts';
import { summarisePapers } from '../areas/papers/queries.ts';
import { paperIndex } from '../areas/papers/tables.ts';
import { storePath } from '../config.ts';
import { bytesFree, creationFault, isDiskFull } from '../core/disk.ts';
import { codeOf, ServiceError } from '../core/errors.ts';
import { listDamagedVectors } from '../search/vectors.ts';
import { assertOwnStore, pendingMigrations } from '../store/migrations.ts';

/** What one check said; `fix` says how to mend what is not `ok`, and is null otherwise. */
export interface Check {
  name:
    | 'node'
    | 'native_modules'
    | 'vector_search'
    | 'store_integrity'
    | 'contents'
    | 'model'
    | 'fred_key'
    | 'upstreams';
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
const STORE = 'store_integrity';

/** Checks the store, and what it holds if it can be read. */
export async function checkStore(home: string): Promise<Check[]> {
  const name = STORE;
  const path = storePath(home);
  if (!existsSync(path)) return [checkNoStore(home)];
  const obstacle = [path, `${path}-wal`, `${path}-journal`].find((each) =>
    statSync(each, { throwIfNoEntry: false })?.isDirectory(),
  );
  if (obstacle !== undefined) {
    const intact = obstacle === path ? '' : ' The store itself is sound: leave it where it is.';
    const fix = `Rename the directory ${obstacle}, or set QUANTSHELF_HOME to another directory.${intact}`;
    return [failed(name, `${obstacle} is a directory in the way of a file`, fix)];
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
      const detail =
        pending === 0 ? 'intact' : `intact; ${pending} migrations wait for the next start`;
      const store = checkWritable(home, path) ?? passed(name, detail);
      // The queries of the contents are those of the newest schema.
      return pending > 0 ? [store] : [checkVectors(db) ?? store, checkContents(db, path)];
    } finally {
      db.close();
    }
  } catch (error) {
    const { detail, fix } = explainFault(error, path);
    return [failed(name, detail, fix)];
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

/** Whether the first call can create the store. */
function checkNoStore(home: string): Check {
  const fault = creationFault(home);
  // First: a read-only disk has no room either, and freeing some would be no help.
  if (fault === 'unwritable') {
    const detail = 'the data directory cannot be created or written';
    return failed(STORE, detail, 'Set QUANTSHELF_HOME to a directory that can be written.');
  }
  const needed = (statSync(STARTER_PATH, { throwIfNoEntry: false })?.size ?? 0) + LEAST_ROOM;
  const free = bytesFree(home);
  if (fault === null && free >= needed) {
    return passed(STORE, 'no store yet; the first call creates it');
  }
  return failed(
    STORE,
    `no store yet, and the disk has ${megabytes(free)} left`,
    `Free ${megabytes(needed)} on this disk, or set QUANTSHELF_HOME to a directory on another one.`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Search vectors that cannot be read: those cards are found by their words alone. Null where there are none. */
function checkVectors(db: Database): Check | null {
  const damaged = [
    { area: 'papers', count: listDamagedVectors(db, paperIndex.name).length },
    { area: 'markets', count: listDamagedVectors(db, eventIndex.name).length },
  ].filter(({ count }) => count > 0);
  if (damaged.length === 0) return null;
  const counts = damaged.map(({ area, count }) => `${count} of ${area}`).join(', ');
  const syncs = damaged.map(({ area }) => `\`quantshelf sync ${area}\``).join(' and ');
  return failed(STORE, `damaged search vectors: ${counts}`, `Make them again with ${syncs}.`);
}

/** Why a sound store cannot be written: no room, or no permission; null where it can. */
function checkWritable(home: string, path: string): Check | null {
  const fault = creationFault(home);
  if (fault === 'unwritable') {
    return failed(STORE, `intact, but ${home} is read-only`, NO_PERMISSION);
  }
  const free = bytesFree(home);
  if (fault === 'full' || free < LEAST_ROOM) {
    return failed(STORE, `intact, but the disk has ${megabytes(free)} left`, DISK_FULL);
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch {
    return failed(STORE, 'intact, but read-only', NO_PERMISSION);
  }
}

/** The starter shelf fills every area, so an empty one has lost its data. */
function checkContents(db: Database, path: string): Check {
  const name = 'contents';
  const counts = {
    papers: summarisePapers(db).count,
    macro: summariseMacro(db).withObservations,
    markets: summariseMarkets(db).count,
  };
  const parts = Object.entries(counts).map(([area, count]) => `${area} ${count}`);
  const empty = Object.entries(counts).flatMap(([area, count]) => (count === 0 ? [area] : []));
  const detail = parts.join(', ');
  if (empty.length === 0) return passed(name, detail);
  const syncs = empty.map((area) => `\`quantshelf sync ${area}\``).join(' and ');
  const fix = `Fill it with ${syncs}, or move ${path} away: the next start creates a new store from the starter shelf.`;
  return failed(name, `empty: ${empty.join(', ')} (${detail})`, fix);
}

const DISK_FULL =
  'Free some space on this disk. A full disk does a store no harm: leave it where it is.';
const NO_PERMISSION =
  'Let your user read and write the data directory and what is in it, or set QUANTSHELF_HOME to another directory. The store is sound: leave it where it is.';
const DISK_FAULT = 'Check the disk: reading the store failed below SQLite.';
const BUSY = 'Another process is writing to the store. Try again in a moment.';

/** Causes that say nothing against the store, by SQLite's code or the system's. */
const HARMLESS: readonly (readonly [codes: RegExp, fix: string])[] = [
  [/^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS)/, NO_PERMISSION],
  [/^SQLITE_(BUSY|LOCKED)/, BUSY],
  [/^(SQLITE_IOERR|EIO)/, DISK_FAULT],
];

/** What is wrong with the store at `path`, from the error that opening or checking it threw. */
export function explainFault(error: unknown, path: string): Pick<Check, 'detail' | 'fix'> {
  const detail = firstLine(error);
  // A newer version wrote it, or it is no store of ours: the message says what to do.
  if (error instanceof ServiceError) return { detail, fix: error.message };
  if (isDiskFull(error, dirname(path))) {
    return {
      detail: `the disk is full, so the store cannot be opened (${detail})`,
      fix: DISK_FULL,
    };
  }
  const code = codeOf(error);
  const fix = HARMLESS.find(([codes]) => codes.test(code))?.[1];
  return { detail, fix: fix ?? giveUp(code, path) };
}

/** For a damaged store alone: what a new one lacks, and how to save the old one first. */
function giveUp(code: string, path: string): string {
  const save = code.startsWith('SQLITE_NOTADB')
    ? ''
    : 'Save what can be read with `quantshelf backup FILE`. ';
  return (
    `${save}If you have a backup, \`quantshelf restore FILE\` brings it back. Else move ${path} away, ` +
    'with the files beside it that end in -wal and -shm; the next start creates a new store from the starter ' +
    'shelf. Keys, credits and what was synced stay behind in the old one.'
  );
}
