import type { Database } from 'better-sqlite3';

/** Cached statements per connection, for SQL that varies. */
const MAX_KEPT = 100;

/**
 * Prepares a statement once per connection, for queries that run on every call. Callers share it, so
 * it must not be iterated.
 */
export function keepStatement<S extends object>(prepare: (db: Database) => S): (db: Database) => S {
  const kept = new WeakMap<Database, S>();
  return (db) => {
    const known = kept.get(db);
    if (known !== undefined) return known;
    const made = prepare(db);
    kept.set(db, made);
    return made;
  };
}

/** The same for SQL that varies, such as a query with filters. */
export function keepStatements<S extends object>(
  prepare: (db: Database, sql: string) => S,
): (db: Database, sql: string) => S {
  const ofConnection = keepStatement(() => new Map<string, S>());
  return (db, sql) => {
    const kept = ofConnection(db);
    const known = kept.get(sql);
    if (known !== undefined) return known;
    if (kept.size >= MAX_KEPT) kept.clear();
    const made = prepare(db, sql);
    kept.set(sql, made);
    return made;
  };
}
