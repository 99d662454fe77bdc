import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { migrations } from '../app/migrations.ts';
import { type Config, storePath, syncLockPath } from '../config.ts';
import { AREAS } from '../core/area.ts';
import { makeDirectory } from '../core/directory.ts';
import { copyStore, isDamage, replaceStore } from '../store/backup.ts';
import { isLocked, withProcessLock } from '../store/lock.ts';
import { isOwnStore, pendingMigrations } from '../store/migrations.ts';
import { openForReading } from '../store/open.ts';
import type { Terminal } from './terminal.ts';

export interface BackupCommand {
  name: 'backup' | 'restore';
  file: string;
  json: boolean;
}

/** `quantshelf backup` and `quantshelf restore`; returns the exit code. */
export async function runBackup(
  { name, file, json }: BackupCommand,
  config: Pick<Config, 'home'>,
  { print, log }: Pick<Terminal, 'print' | 'log'>,
): Promise<number> {
  const path = storePath(config.home);
  const given = resolve(file);
  try {
    if (name === 'backup') {
      const bytes = await backUp(path, given);
      const megabytes = (bytes / 1e6).toFixed(1);
      print(json ? JSON.stringify({ file: given, bytes }) : `Saved ${megabytes} MB to ${given}`);
    } else {
      const kept = await restore(given, path, config.home);
      const old = kept === null ? '' : `; the store that was there is now ${kept}`;
      print(json ? JSON.stringify({ file: given, kept }) : `Restored ${given}${old}`);
    }
    return 0;
  } catch (error) {
    log(explain(error, name));
    return 1;
  }
}

async function backUp(path: string, target: string): Promise<number> {
  if (!existsSync(path)) throw new Error(`There is no store yet: ${path} does not exist.`);
  if (existsSync(target)) throw new Error(`${target} exists. Name a file that does not.`);
  return copyStore(path, target);
}

/** Returns where the store that was there is kept; null when there was none. */
async function restore(source: string, path: string, home: string): Promise<string | null> {
  if (!existsSync(source)) throw new Error(`${source} does not exist.`);
  if (source === path) throw new Error(`${source} is the store itself. Name a backup of it.`);
  assertRestorable(source);
  await makeDirectory(home);
  const syncing = AREAS.filter((area) => isLocked(syncLockPath(home, area)));
  if (syncing.length > 0) {
    throw new Error(`A sync of ${syncing.join(' and ')} is running. Wait for it, or stop it.`);
  }
  return withProcessLock(`${path}.lock`, async () => {
    const stamp = new Date().toISOString().replaceAll(/[-:]|\..*/g, '');
    const kept = existsSync(path) ? join(home, `quantshelf-before-restore-${stamp}.sqlite`) : null;
    await replaceStore(source, path, kept ?? '');
    return kept;
  });
}

/** Throws unless `path` is an undamaged store that this version can open. */
function assertRestorable(path: string): void {
  const db = openForReading(path);
  try {
    const isStore = isOwnStore(db);
    const verdict = String(db.pragma('integrity_check(1)', { simple: true }));
    if (verdict !== 'ok')
      throw new Error(`${path} is damaged (${verdict}), so it was not restored.`);
    if (!isStore) throw new Error(`${path} is not a QuantShelf store.`);
    // Throws for a store of a newer version.
    pendingMigrations(db, migrations);
  } finally {
    db.close();
  }
}

function explain(error: unknown, name: BackupCommand['name']): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') {
    return `The disk is full, so nothing was written. Free some space, or ${name === 'backup' ? 'save to another disk' : 'restore again'}.`;
  }
  if (isDamage(error)) {
    return name === 'backup'
      ? 'The store is too damaged to be saved in one piece; copy the file itself, see `quantshelf doctor`.'
      : 'The file is damaged or is not an SQLite file, so it was not restored.';
  }
  return error instanceof Error ? error.message : String(error);
}
