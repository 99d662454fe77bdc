import type { Database } from 'better-sqlite3';
import { migrations } from '../app/schema.ts';
import { assertOwnStore, pendingMigrations } from '../store/migrations.ts';
import { openForReading } from '../store/open.ts';
import { loadVectorExtension } from '../store/sqlite.ts';

/**
 * Does `work` on the store at `path` if nothing is damaged or missing in it; throws if something is.
 * `pending` counts the migrations that it still lacks.
 */
export function withIntactStore<T>(path: string, work: (db: Database, pending: number) => T): T {
  const db = openForReading(path);
  try {
    // Where it cannot be loaded, another check says why.
    loadVectorExtension(db);
    assertOwnStore(db);
    // Checks the full-text indexes, too.
    const verdict = String(db.pragma('integrity_check(1)', { simple: true }));
    if (verdict !== 'ok') throw new Error(verdict);
    const orphans = db.pragma('foreign_key_check');
    if (Array.isArray(orphans) && orphans.length > 0) {
      throw new Error(`the owner of ${orphans.length} rows is missing`);
    }
    const pending = pendingMigrations(db, migrations).length;
    return work(db, pending);
  } finally {
    db.close();
  }
}
