import type { Database } from 'better-sqlite3';

/** What a connection has computed, and the version of the store that it was computed from. */
class Cache {
  readonly values = new Map<string, object>();
  version: unknown;
}

interface Recalled<T extends object> {
  /** The class of the value. */
  type: abstract new (
    ...values: never[]
  ) => T;
  compute(): T;
}

/** Gives a connection that reads a cache for `recall`. */
export function cacheReads<T extends Database>(db: T): T {
  return Object.defineProperty(db, 'cache', { value: new Cache() });
}

/**
 * A value computed from the rows of the store; the one computed before, if the connection has a cache and
 * no other connection has written since: SQLite does not count a connection's own writes. A key always has
 * the same type, and there are few of them.
 */
export function recall<T extends object>(db: Database, key: string, recalled: Recalled<T>): T {
  const cache = 'cache' in db ? db.cache : null;
  if (!(cache instanceof Cache)) return recalled.compute();
  const version = db.prepare('PRAGMA data_version').pluck().get();
  if (version !== cache.version) cache.values.clear();
  cache.version = version;
  const stored = cache.values.get(key);
  if (stored instanceof recalled.type) return stored;
  const value = recalled.compute();
  cache.values.set(key, value);
  return value;
}
