import type { Database } from 'better-sqlite3';

/** Cached results per kind of read and connection. */
const MAX_CACHED = 200;

const versions = new WeakMap<Database, () => number>();

/**
 * Turns on memoisation for reads through `db`. `version` must return a new number after every commit
 * that changes what is read; it may do so more often.
 */
export function watchDataVersion(db: Database, version: () => number): void {
  versions.set(db, version);
}

/**
 * SQLite's `data_version` as seen by `db`: it changes with every commit of another connection, in
 * any process. Reading it takes a few microseconds.
 */
export function dataVersionOf(db: Database): () => number {
  const read = db.prepare<[], number>('PRAGMA data_version').pluck();
  return () => read.get() ?? 0;
}

/**
 * A cache for one kind of read, keyed by text and valid for one data version. Reads through a
 * connection that is not watched are not cached. The version is read before the data, so a cached
 * result is never older than its version. Callers share results and must not modify them.
 */
export function memoised<T>(): (db: Database, key: string, read: () => T) => T {
  const caches = new WeakMap<Database, { version: number; results: Map<string, T> }>();
  return (db, key, read) => {
    // An open transaction sees the store as it was when it began.
    const version = db.inTransaction ? undefined : versions.get(db)?.();
    if (version === undefined) return read();
    const cache = caches.get(db);
    const results = cache?.version === version ? cache.results : new Map<string, T>();
    if (results !== cache?.results) caches.set(db, { version, results });
    const known = results.get(key);
    if (known !== undefined) return known;
    if (results.size >= MAX_CACHED) results.clear();
    const result = read();
    results.set(key, result);
    return result;
  };
}
