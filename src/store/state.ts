import type { Database } from 'better-sqlite3';
import { write } from './connection.ts';
import type { Migration } from './migrations.ts';

const MODEL_SETTING = 'embedding_model';

/** The model that made this store's vectors; undefined if it has none. */
export function storedModel(db: Database): string | undefined {
  return readSetting(db, MODEL_SETTING);
}

/** Records `model` as the store's model; throws if its vectors came from another. */
export function claimModel(db: Database, model: string): void {
  const stored = storedModel(db);
  if (stored === undefined) writeSetting(db, MODEL_SETTING, model);
  else if (stored !== model) {
    throw new Error(
      `This shelf's vectors came from ${stored}, the model of another version of QuantShelf, and cannot be mixed with those of ${model}. If that version is newer, upgrade with \`npx -y quantshelf@latest\`; if it is older, move quantshelf.sqlite away, and the next call creates a new shelf.`,
    );
  }
}

/** The store's own settings, such as the model that made its vectors. Frozen. */
export const settingsMigrations: readonly Migration[] = [
  {
    name: 'settings-1',
    sql: 'CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  },
];

export function readSetting(db: Database, key: string): string | undefined {
  return db
    .prepare<{ key: string }, string>('SELECT value FROM settings WHERE key = @key')
    .pluck()
    .get({ key });
}

export function writeSetting(db: Database, key: string, value: string): void {
  const save = db.prepare(`
    INSERT INTO settings (key, value) VALUES (@key, @value)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
  write(db, () => save.run({ key, value }));
}

/** Each area's last successful refresh, and the error of a later failed one. Frozen. */
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
  /** The last failure, as a sentence for users; null after a success. */
  lastError: string | null;
}

export function readSyncState(db: Database, area: string): SyncState {
  const row = db
    .prepare<{ area: string }, SyncState>(`
      SELECT last_sync AS lastSync, last_error AS lastError FROM sync_log WHERE area = @area`)
    .get({ area });
  return row ?? { lastSync: null, lastError: null };
}

export function recordSync(db: Database, area: string, at: Date): void {
  const save = db.prepare(`
    INSERT INTO sync_log (area, last_sync) VALUES (@area, @at)
    ON CONFLICT (area) DO UPDATE SET
      last_sync = excluded.last_sync, last_error = NULL, last_error_at = NULL`);
  write(db, () => save.run({ area, at: at.toISOString() }));
}

/** Records a failed refresh; `error` is a sentence for users. */
export function recordSyncError(db: Database, area: string, error: string, at: Date): void {
  const save = db.prepare(`
    INSERT INTO sync_log (area, last_error, last_error_at) VALUES (@area, @error, @at)
    ON CONFLICT (area) DO UPDATE SET
      last_error = excluded.last_error, last_error_at = excluded.last_error_at`);
  write(db, () => save.run({ area, error, at: at.toISOString() }));
}
