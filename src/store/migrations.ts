import type { Database } from 'better-sqlite3';
import { ServiceError } from '../core/errors.ts';

/** One step of the schema. Names are for ever: the store records which it has seen. */
export interface Migration {
  name: string;
  up(db: Database): void;
}

/**
 * Brings a store to the given list of migrations: all that are missing, in their order, in one
 * transaction. `at` stamps the record.
 * Throws `service_unavailable` when the store knows a step that this version does not.
 */
export function migrate(db: Database, migrations: readonly Migration[], at: Date): void {
  if (pendingMigrations(db, migrations).length === 0) return;
  const apply = db.transaction(() => {
    db.exec(`
      CREATE TABLE IF NOT EXISTS migrations (
        name TEXT PRIMARY KEY,
        applied_at TEXT NOT NULL
      ) STRICT`);
    const record = db.prepare(
      'INSERT INTO migrations (name, applied_at) VALUES (@name, @appliedAt)',
    );
    // Asked again under the write lock: another process may have migrated meanwhile.
    for (const migration of pendingMigrations(db, migrations)) {
      migration.up(db);
      record.run({ name: migration.name, appliedAt: at.toISOString() });
    }
  });
  apply.immediate();
}

/** The steps a store has not taken yet; throws when it knows one that this version does not. */
export function pendingMigrations(db: Database, migrations: readonly Migration[]): Migration[] {
  if (isNewer(db, migrations)) {
    throw new ServiceError(
      'service_unavailable',
      'This shelf was written by a newer QuantShelf. Upgrade with `npx -y quantshelf@latest`.',
    );
  }
  const applied = appliedMigrations(db);
  return migrations.filter((migration) => !applied.has(migration.name));
}

/** Whether a store has taken a step that is not among `migrations`. */
export function isNewer(db: Database, migrations: readonly Migration[]): boolean {
  const known = new Set(migrations.map((migration) => migration.name));
  return [...appliedMigrations(db)].some((name) => !known.has(name));
}

/** Names of the steps a store has taken; empty for a new file. */
export function appliedMigrations(db: Database): Set<string> {
  const table = db
    .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'")
    .get();
  if (table === undefined) return new Set();
  const names = db.prepare<[], string>('SELECT name FROM migrations').pluck().all();
  return new Set(names);
}
