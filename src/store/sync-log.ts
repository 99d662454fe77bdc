import type { Database } from 'better-sqlite3';
import type { Migration } from './migrations.ts';

/** Outcome of each area's last refresh. Frozen. */
export const syncLogMigrations: readonly Migration[] = [
  {
    name: 'sync-log-1',
    sql: `
      CREATE TABLE sync_log (
        area TEXT PRIMARY KEY,
        last_sync TEXT,        -- end of the last refresh that succeeded, ISO 8601
        last_error TEXT,       -- of the last refresh, for users; NULL when it succeeded
        last_error_at TEXT     -- ISO 8601
      ) STRICT`,
  },
];

export interface SyncState {
  /** ISO 8601. */
  lastSync: string | null;
  /** As a sentence for users; null since the last success. */
  lastError: string | null;
}

export function readSyncState(db: Database, area: string): SyncState {
  const row = db
    .prepare<{ area: string }, SyncState>(`
      SELECT last_sync AS lastSync, last_error AS lastError FROM sync_log WHERE area = @area`)
    .get({ area });
  return row ?? { lastSync: null, lastError: null };
}

/** Records a completed refresh. */
export function recordSync(db: Database, area: string, at: Date): void {
  db.prepare(`
    INSERT INTO sync_log (area, last_sync) VALUES (@area, @at)
    ON CONFLICT (area) DO UPDATE SET
      last_sync = excluded.last_sync, last_error = NULL, last_error_at = NULL`).run({
    area,
    at: at.toISOString(),
  });
}

/** Records a failed refresh; `error` is a sentence for users. */
export function recordSyncError(db: Database, area: string, error: string, at: Date): void {
  db.prepare(`
    INSERT INTO sync_log (area, last_error, last_error_at) VALUES (@area, @error, @at)
    ON CONFLICT (area) DO UPDATE SET
      last_error = excluded.last_error, last_error_at = excluded.last_error_at`).run({
    area,
    error,
    at: at.toISOString(),
  });
}
