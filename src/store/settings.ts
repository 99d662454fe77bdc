import type { Database } from 'better-sqlite3';
import type { Migration } from './migrations.ts';

/** Named values about the store itself, such as the model of its vectors. Frozen. */
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
  db.prepare(`
    INSERT INTO settings (key, value) VALUES (@key, @value)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`).run({ key, value });
}

export function deleteSetting(db: Database, key: string): void {
  db.prepare('DELETE FROM settings WHERE key = @key').run({ key });
}
