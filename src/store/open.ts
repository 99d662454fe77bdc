import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { creationFault } from '../core/disk.ts';
import { codeOf, serviceUnavailable } from '../core/errors.ts';
import { isBusy, keepCounts } from './connection.ts';
import { Database, loadVectorExtension } from './sqlite.ts';

/** Page cache of a connection in KiB, enough for the pages that a search of 30,000 papers reads. */
const CACHE_KIB = 16_384;

/** Maximum number of attempts to switch to WAL while another process is writing. */
const MAX_WAL_TRIES = 10;

/** Opens the store for writing, creating it if missing, in WAL mode, in which readers never wait. */
export function openForWriting(path: string): Database.Database {
  return openWithVectors(path).db;
}

/** Like `openForWriting`; `vectorFault` is why vector search is unavailable, or null. */
function openWithVectors(path: string) {
  const db = connect(path, {}, enterWal);
  return { db, vectorFault: loadVectorExtension(db) };
}

/** The switch to WAL ignores the busy timeout, so an empty transaction does the waiting. */
function enterWal(db: Database.Database): void {
  for (let tries = 1; ; tries += 1) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || tries === MAX_WAL_TRIES) throw error;
      db.exec('BEGIN IMMEDIATE; COMMIT');
    }
  }
}

/**
 * Opens an existing store read-only, even on a read-only disk. The connection caches what `countsOf` returns.
 * Throws like `assertFile`.
 */
export function openReadOnly(path: string): Database.Database {
  assertFile(path);
  const options = { readonly: true, fileMustExist: true };
  try {
    return keepCounts(connect(path, options));
  } catch (error) {
    if (!needsImage(error, path)) throw error;
    return keepCounts(connect(readImage(path), options));
  }
}

/** Throws `service_unavailable` if the path is a directory, a pipe or the like. */
export function assertFile(path: string): void {
  const stored = statSync(path, { throwIfNoEntry: false });
  if (stored === undefined || stored.isFile()) return;
  throw serviceUnavailable(
    `quantshelf.sqlite in the data directory is ${stored.isDirectory() ? 'a directory' : 'not a file'}. ` +
      'Move it away; the next call creates a new shelf.',
  );
}

/**
 * True if SQLite failed because it cannot create the two files that WAL mode needs beside a store, and there is
 * no log. Then nobody is writing, and the store's own file is complete.
 */
function needsImage(error: unknown, path: string): boolean {
  return (
    /^SQLITE_(CANTOPEN|READONLY)/.test(codeOf(error)) &&
    !existsSync(`${path}-wal`) &&
    creationFault(dirname(path)) === 'unwritable'
  );
}

/** Reads a store into memory, marked as having no write-ahead log. */
function readImage(path: string): Buffer {
  const image = readFileSync(path);
  // https://www.sqlite.org/fileformat2.html#file_format_version_numbers
  return image.fill(1, 18, 20);
}

/**
 * Opens a store for calls: for reading, and for charges through `writeForCall`. Charging on another connection
 * would invalidate this one's page cache and its counts, and a search of 30,000 papers would take 50 % longer.
 */
export function openForCalls(path: string) {
  const { db, vectorFault } = openWithVectors(path);
  db.pragma('query_only = ON');
  return { db: keepCounts(db), vectorFault };
}

/**
 * Opens a connection; closes it if `prepare` fails. By default, better-sqlite3 enforces foreign keys and waits
 * five seconds for another process's write.
 */
function connect(
  file: string | Buffer,
  options: Database.Options,
  prepare = (_: Database.Database) => {},
): Database.Database {
  const db = new Database(file, options);
  try {
    // No memory map: truncating a mapped file would kill the process.
    db.pragma('mmap_size = 0');
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma('trusted_schema = OFF');
    db.pragma('synchronous = NORMAL');
    prepare(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
