import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { carryOverRevocations, type Undone } from '../accounts/carry-over.ts';
import { migrations } from '../app/store.ts';
import { type Config, storePath, syncLockPath } from '../config.ts';
import { AREAS } from '../core/area.ts';
import { creationFault, isDiskFull, makeDirectory, REMEDIES, storeFaultOf } from '../core/disk.ts';
import { codeOf, firstLineOf } from '../core/errors.ts';
import { countOf } from '../core/text.ts';
import { copyStore, exchangeStore, overwriteStore, removeJournals } from '../store/copy.ts';
import { withProcessLock } from '../store/lock.ts';
import { integrityFault, isOwnStore, migrate, pendingMigrations } from '../store/migrations.ts';
import { openForWriting, openReadOnly } from '../store/open.ts';
import { megabytes, type Terminal } from './terminal.ts';

const REMAINS = /^(?:restore\.\d+|quantshelf-before-restore-.+)\.tmp/;

export interface BackupCommand {
  name: 'backup' | 'restore';
  file: string;
  json: boolean;
}

/** Runs `quantshelf backup` or `quantshelf restore`; returns the exit code. */
export async function runBackup(
  { name, file, json }: BackupCommand,
  config: Pick<Config, 'home'>,
  { print, log }: Pick<Terminal, 'print' | 'log'>,
): Promise<number> {
  const path = storePath(config.home);
  const target = resolve(file);
  try {
    if (name === 'backup') {
      const bytes = await backUp(path, target);
      print(
        json ? JSON.stringify({ file: target, bytes }) : `Saved ${megabytes(bytes)} to ${target}`,
      );
    } else {
      const { kept, undone } = await restore(target, path, config.home, log);
      const old = kept === null ? '' : `; the previous store is now ${kept}`;
      // Unlike the rest, the revocations are kept.
      const { revocations: keptRevocations, ...lost } = undone ?? { revocations: null };
      const report = { file: target, kept, undone: undone && lost, keptRevocations };
      print(json ? JSON.stringify(report) : `Restored ${target}${old}`);
      if (kept !== null && undone?.revocations !== 0) log(describeRevocations(undone));
    }
    return 0;
  } catch (error) {
    log(explain(error, name, config.home));
    return 1;
  }
}

async function backUp(path: string, target: string): Promise<number> {
  if (!existsSync(path)) throw new Error(`There is no store to back up: ${path} does not exist.`);
  if (existsSync(target)) throw new Error(`${target} already exists. Choose another name.`);
  const directory = dirname(target);
  if (!existsSync(directory)) throw new Error(`${directory} does not exist. Create it first.`);
  const fault = creationFault(directory);
  if (fault === 'full') throw new Error(REMEDIES.full);
  const what = fault === 'file' ? 'a file' : 'not writable';
  if (fault !== null) throw new Error(`${directory} is ${what}. Choose another directory.`);
  return copyStore(path, target, (copy) => {
    if (integrityFault(copy) !== null) throw Object.assign(new Error(), { code: 'SQLITE_CORRUPT' });
  });
}

/** `kept` is null if there was no store; `undone` also if that store's accounts cannot be read, once or twice. */
async function restore(
  backup: string,
  path: string,
  home: string,
  log: (line: string) => void,
): Promise<{ kept: string | null; undone: Undone | null }> {
  try {
    accessSync(backup, constants.R_OK);
  } catch (error) {
    throw new Error(
      /^(ENOENT|ENOTDIR)$/.test(codeOf(error))
        ? `${backup} does not exist.`
        : `${backup} cannot be read. Grant yourself permission to read it.`,
    );
  }
  if (!statSync(backup).isFile())
    throw new Error(`${backup} is not a file. Give the path of a backup file.`);
  if (backup === path) throw new Error(`${backup} is the store itself. Give the path of a backup.`);
  assertRestorable(backup);
  await makeDirectory(home);
  return withoutSyncs(home, () =>
    withProcessLock(`${path}.lock`, async () => {
      const upgraded = join(home, `restore.${process.pid}.tmp`);
      try {
        await removeRemains(home);
        await copyStore(backup, upgraded);
        upgrade(upgraded);
        if (!existsSync(path)) {
          await removeJournals(path);
          await copyStore(upgraded, path);
          return { kept: null, undone: null };
        }
        // Before the swap, so that a revoked key never becomes valid, even briefly.
        const undone = carryOver(path, upgraded);
        log(describeUndone(undone));
        const kept = await replace(upgraded, path, home);
        // Again, for keys revoked during the swap; by now the backup is in place, so a full disk is only reported.
        const again = carryOver(kept, path, false);
        const revocations = (undone?.revocations ?? 0) + (again?.revocations ?? 0);
        return { kept, undone: undone && again && { ...undone, revocations } };
      } finally {
        await rm(upgraded, { force: true });
        await removeJournals(upgraded);
      }
    }),
  );
}

/** Removes leftovers of killed restores. Call only under the store's lock, which a running restore holds. */
async function removeRemains(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (REMAINS.test(name)) await rm(join(home, name), { force: true });
  }
}

/** Null if the accounts in the store at `from` cannot be read. Throws if the disk is full, unless `mayThrow` is false. */
function carryOver(from: string, to: string, mayThrow = true): Undone | null {
  const db = openForWriting(to);
  try {
    return carryOverRevocations(db, from);
  } catch (error) {
    if (mayThrow && isDiskFull(error, dirname(to))) throw error;
    return null;
  } finally {
    db.close();
  }
}

const UNDOES = 'This undoes everything fetched, added or removed since the backup was made';

function describeUndone(undone: Undone | null): string {
  if (undone === null) {
    return `${UNDOES}. The keys, credits and ledger also come from the backup, because those in the current store cannot be read.`;
  }
  const { accounts, charges, granted } = undone;
  const parts = [
    ...(charges === 0 ? [] : [countOf(charges, 'charge')]),
    ...(granted === 0 ? [] : [countOf(granted, 'granted credit')]),
    ...(accounts.length === 0
      ? []
      : [`${countOf(accounts.length, 'account')} (${accounts.join(', ')}), keys included`]),
  ];
  const list = new Intl.ListFormat('en-US').format(parts);
  return parts.length === 0 ? `${UNDOES}.` : `${UNDOES}, and removes ${list}.`;
}

function describeRevocations(undone: Undone | null): string {
  return undone === null
    ? 'Keys that were revoked since the backup was made may be valid again. See `quantshelf keys list`.'
    : `Kept ${countOf(undone.revocations, 'key revocation')} made since the backup.`;
}

/** Replaces the store at `path`; returns the path at which the previous one is kept. */
async function replace(backup: string, path: string, home: string): Promise<string> {
  const stamp = new Date().toISOString().replaceAll(/[-:.Z]/g, '');
  const kept = join(home, `quantshelf-before-restore-${stamp}.sqlite`);
  try {
    await overwriteStore(backup, path, kept);
  } catch (error) {
    if (storeFaultOf(error, home) !== 'damaged') throw error;
    await rm(kept, { force: true });
    await exchangeStore(backup, path, kept);
  }
  return kept;
}

/** Migrates a backup, since running servers expect this version's tables. */
function upgrade(path: string): void {
  const db = openForWriting(path);
  try {
    migrate(db, migrations, new Date());
  } finally {
    db.close();
  }
}

/** Runs `work` under the locks of all syncs and of calls that fetch from FRED; throws if one is held. */
function withoutSyncs<T>(home: string, work: () => Promise<T>): Promise<T> {
  const locked = AREAS.reduce(
    (inner, area) => () =>
      withProcessLock(syncLockPath(home, area), inner, {
        heldMessage: `A sync of ${area} is running. Wait for it, or stop it.`,
      }),
    // The lock that `fredSource` names.
    () =>
      withProcessLock(join(home, 'macro.lock'), work, {
        heldMessage: 'Another process is fetching figures from FRED. Try again in a minute.',
      }),
  );
  return locked();
}

/** Throws unless `path` is an undamaged store that this version can open. */
function assertRestorable(path: string): void {
  const db = openReadOnly(path);
  try {
    const isStore = isOwnStore(db);
    const damage = integrityFault(db);
    const fault = damage === null ? 'is not a QuantShelf store' : `is damaged (${damage})`;
    if (damage !== null || !isStore) {
      throw new Error(`${path} ${fault}, so it was not restored. Use another backup.`);
    }
    // Throws for a store from a newer version.
    pendingMigrations(db, migrations);
  } finally {
    db.close();
  }
}

function explain(error: unknown, name: BackupCommand['name'], home: string): string {
  const fault = storeFaultOf(error, home);
  if (fault === 'damaged') {
    return name === 'backup'
      ? `The store is too damaged for a backup. Copy ${storePath(home)} instead, with the files beside it that end in -wal and -shm.`
      : 'The file is damaged or is not an SQLite file, so it was not restored. Use another backup.';
  }
  // Even reading a store takes some free space beside it.
  if (fault !== null) return REMEDIES[fault];
  return firstLineOf(error);
}
