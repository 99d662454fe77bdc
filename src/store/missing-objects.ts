import { type Migration, migrate, pendingMigrations } from './migrations.ts';
import { Database } from './sqlite.ts';

/**
 * Names of the tables, indexes and triggers that a fully migrated store lacks, compared with a fresh
 * store in memory; `integrity_check` does not look for them. Empty for a new file, and for a store
 * with pending migrations. Throws like `pendingMigrations`.
 */
export function findMissingObjects(
  db: Database.Database,
  migrations: readonly Migration[],
): string[] {
  const present = new Set(objectsOf(db));
  if (present.size > 0 && !present.has('migrations')) return ['migrations'];
  if (pendingMigrations(db, migrations).length > 0) return [];
  const fresh = new Database(':memory:');
  try {
    migrate(fresh, migrations, new Date(0));
    return objectsOf(fresh).filter((name) => !present.has(name));
  } finally {
    fresh.close();
  }
}

function objectsOf(db: Database.Database): string[] {
  const sql = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name";
  return db.prepare<[], string>(sql).pluck().all();
}
