import type { Database } from 'better-sqlite3';
import { readSetting, writeSetting } from './settings.ts';

const MODEL_SETTING = 'embedding_model';

/** Which model the vectors of this store came from; undefined while it holds none. */
export function storedModel(db: Database): string | undefined {
  return readSetting(db, MODEL_SETTING);
}

/** Stamps the store with `model`, or throws when its vectors came from another one. */
export function claimModel(db: Database, model: string): void {
  const stored = storedModel(db);
  if (stored === undefined) writeSetting(db, MODEL_SETTING, model);
  else if (stored !== model) {
    throw new Error(`the store's vectors came from ${stored}; vectors of ${model} do not mix`);
  }
}
