import Database from 'better-sqlite3';
import { type Migration, migrate } from './migrations.ts';

/**
 * Names of the tables, indexes and triggers that a store lacks although it has taken every one of
 * `migrations`: found by making a store anew, in memory. `integrity_check` does not know that they should be there.
 */
export function findLost(db: Database.Database, migrations: readonly Migration[]): string[] {
  const blank = new Database(':memory:');
  try {
    migrate(blank, migrations, new Date(0));
    const held = new Set(objectsOf(db));
    return objectsOf(blank).filter((name) => !held.has(name));
  } finally {
    blank.close();
  }
}

function objectsOf(db: Database.Database): string[] {
  const named = "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name";
  return db.prepare<[], string>(named).pluck().all();
}
