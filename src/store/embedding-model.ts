import type { Database } from 'better-sqlite3';
import type { Migration } from './migrations.ts';

const MODEL_SETTING = 'embedding_model';
/** Set while a store changes to another model. */
const CHANGE_SETTING = 'embedding_change';

/** The model that made the vectors of this store; undefined while it has none. */
export function storedModel(db: Database): string | undefined {
  return readSetting(db, MODEL_SETTING);
}

/** Records `model` as the store's model; throws when its vectors came from another one. */
export function claimModel(db: Database, model: string): void {
  const stored = storedModel(db);
  if (stored === undefined) writeSetting(db, MODEL_SETTING, model);
  else if (stored !== model) {
    throw new Error(`the store's vectors came from ${stored}; it cannot take any from ${model}`);
  }
}

/**
 * Throws when the store's model is no longer `model`, the one recorded when the work began whose vectors
 * are to be written. Call it inside the transaction that writes them.
 */
export function assertStillModel(db: Database, model: string | undefined): void {
  const stored = storedModel(db);
  if (stored === model) return;
  throw new Error(`the shelf changed to ${stored} meanwhile; it cannot take vectors of ${model}`);
}

/**
 * How far a store is with the change to the model that it records. `dropping`: vectors of the former one
 * are still there. `embedding`: there are none of it, but cards without any. Null: no change.
 */
export function modelChange(db: Database): 'dropping' | 'embedding' | null {
  const value = readSetting(db, CHANGE_SETTING);
  return value === 'dropping' || value === 'embedding' ? value : null;
}

/** Begins the change to `model`: from now on vectors of no other are written, and none are searched. */
export function beginModelChange(db: Database, model: string): void {
  db.transaction(() => {
    writeSetting(db, MODEL_SETTING, model);
    writeSetting(db, CHANGE_SETTING, 'dropping');
  }).immediate();
}

/** The vectors of the former model are gone. */
export function noteVectorsDropped(db: Database): void {
  writeSetting(db, CHANGE_SETTING, 'embedding');
}

/** Every card has its vector again. */
export function endModelChange(db: Database): void {
  deleteSetting(db, CHANGE_SETTING);
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

function deleteSetting(db: Database, key: string): void {
  db.prepare('DELETE FROM settings WHERE key = @key').run({ key });
}
