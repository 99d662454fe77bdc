import type { Database } from 'better-sqlite3';

/** Texts kept of one connection, where they are put together from filters: there are many. */
const MAX_KEPT = 100;

/**
 * A statement that is compiled once for each connection: for what is asked on every call. It is
 * shared by all calls, so it is not iterated over.
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

/** The same for texts of one kind that differ, as a query under filters does. */
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
