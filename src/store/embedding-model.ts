import type { Database } from 'better-sqlite3';
import { readSetting, writeSetting } from './settings.ts';

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
    throw new Error(`the store's vectors came from ${stored}; it cannot take any from ${model}`);
  }
}
