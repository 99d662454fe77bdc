import Database from 'better-sqlite3';

/** How long a connection waits for another process's write, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;
/** Upper bound of the memory map; SQLite maps no more than the file holds. */
const MMAP_BYTES = 4 * 1024 ** 3;
/** Page cache of one connection in KiB: the map serves the reads, so the cache stays small. */
const CACHE_KIB = 8_192;

/** Tries at the switch to WAL before another process's writing counts as a fault. */
const MAX_WAL_TRIES = 10;

/** Opens the store for writing, creating the file when it is missing. WAL, so readers never wait. */
export function openForWriting(path: string): Database.Database {
  const db = prepareConnection(new Database(path, { timeout: BUSY_TIMEOUT_MS }));
  try {
    enterWal(db);
    db.pragma('synchronous = NORMAL');
    db.pragma('foreign_keys = ON');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Unlike other writes, the switch to WAL does not wait for another's: an empty write does. */
function enterWal(db: Database.Database): void {
  for (let tries = 1; ; tries += 1) {
    try {
      db.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const busy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
      if (!busy || tries === MAX_WAL_TRIES) throw error;
      db.exec('BEGIN IMMEDIATE; COMMIT');
    }
  }
}

/** Opens an existing store for reading only; a write through this connection fails. */
export function openForReading(path: string): Database.Database {
  return prepareConnection(
    new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS }),
  );
}

/**
 * Gives up the memory map: work that goes through the whole file would otherwise keep all of it in
 * its resident memory.
 */
export function dropMemoryMap(db: Database.Database): void {
  db.pragma('mmap_size = 0');
}

function prepareConnection(db: Database.Database): Database.Database {
  try {
    db.pragma(`mmap_size = ${MMAP_BYTES}`);
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma('trusted_schema = OFF');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
