import type { Database } from 'better-sqlite3';
import type { Migration } from './migrations.ts';

const MODEL_SETTING = 'embedding_model';

/** The model that made the vectors of this store; undefined while it has none. */
export function storedModel(db: Database): string | undefined {
  return readSetting(db, MODEL_SETTING);
}

/** Records `model` as the store's model; throws when its vectors came from another one. */
export function claimModel(db: Database, model: string): void {
  const stored = storedModel(db);
  if (stored === undefined) writeSetting(db, MODEL_SETTING, model);
  else if (stored !== model) {
    throw new Error(
      `The vectors of this shelf came from ${stored}, the model of another version of QuantShelf; they cannot be mixed with those of ${model}.`,
    );
  }
}

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
