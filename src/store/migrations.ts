import type { Database } from 'better-sqlite3';
import { serviceUnavailable } from '../core/errors.ts';
import { write } from './connection.ts';

/**
 * A change to the schema, as SQL that depends on no other code. Stores record its name, so neither name nor SQL
 * may change once released (a test compares hashes). Servers wait for a migration, so large tables get new values
 * in slices afterwards, each of which blocks a server for 200 ms at most (docs/contributing.md).
 */
export interface Migration {
  name: string;
  sql: string;
}

/** "QSHF": marks an SQLite file as a QuantShelf store. */
const APPLICATION_ID = 0x51534846;

/** Whether an SQLite file is marked as a QuantShelf store. */
export function isOwnStore(db: Database): boolean {
  return db.pragma('application_id', { simple: true }) === APPLICATION_ID;
}

/** What SQLite's own checks find wrong with a store and its full-text indexes, in one line; null if nothing. */
export function integrityFault(db: Database): string | null {
  const verdict = String(db.pragma('integrity_check(1)', { simple: true }));
  // The line before the last only names the database.
  return verdict === 'ok' ? null : (verdict.trim().split('\n').at(-1) ?? verdict);
}

/**
 * Throws `service_unavailable` for an SQLite file that is not a QuantShelf store. Accepts a file without
 * tables, which can become one. Changes nothing.
 */
export function assertOwnStore(db: Database): void {
  if (isOwnStore(db)) return;
  if (db.prepare('SELECT 1 FROM sqlite_master').get() === undefined) return;
  throw serviceUnavailable(
    'quantshelf.sqlite in the data directory is not a QuantShelf store, so it was left alone. ' +
      'Move it away, or set QUANTSHELF_HOME to another directory.',
  );
}

/**
 * Applies the missing migrations in order and in one transaction, recording `at` as their time. Throws like
 * `assertOwnStore` and `pendingMigrations`.
 */
export function migrate(db: Database, migrations: readonly Migration[], at: Date): void {
  assertOwnStore(db);
  if (pendingMigrations(db, migrations).length === 0) return;
  write(db, () => {
    db.exec(`
      PRAGMA application_id = ${APPLICATION_ID};
      CREATE TABLE IF NOT EXISTS migrations (
        name TEXT PRIMARY KEY,
        applied_at TEXT NOT NULL
      ) STRICT`);
    const record = db.prepare(
      'INSERT INTO migrations (name, applied_at) VALUES (@name, @appliedAt)',
    );
    // Checked again under the write lock: another process may have migrated in the meantime.
    for (const { name, sql } of pendingMigrations(db, migrations)) {
      db.exec(sql);
      record.run({ name, appliedAt: at.toISOString() });
    }
  });
}

/** The migrations that a store lacks. Throws `service_unavailable` if a newer version wrote it. */
export function pendingMigrations(db: Database, migrations: readonly Migration[]): Migration[] {
  const table = db
    .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'")
    .get();
  const recorded = () => db.prepare<[], string>('SELECT name FROM migrations').pluck().all();
  const applied = new Set(table === undefined ? [] : recorded());
  const names = new Set(migrations.map(({ name }) => name));
  if ([...applied].some((name) => !names.has(name))) {
    throw serviceUnavailable(
      'This shelf was written by a newer QuantShelf. Upgrade with `npx -y quantshelf@latest`.',
    );
  }
  return migrations.filter(({ name }) => !applied.has(name));
}
