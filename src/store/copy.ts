import { randomUUID } from 'node:crypto';
import { constants, existsSync, statSync } from 'node:fs';
import { chmod, copyFile, link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushFile, makeDirectory } from '../core/disk.ts';
import { withProcessLock } from './lock.ts';
import { openReadOnly } from './open.ts';
import { Database } from './sqlite.ts';

/** Copies in a single step, since a write between two steps would make the copy start over. */
const ALL_PAGES = 0x7f_ff_ff_ff;

type Check = (copy: Database.Database) => void;

/**
 * Copies a store to a new file while others read and write it; the copy has everything committed before the
 * call. Returns its size in bytes. Throws if `target` exists or `check` throws; leaves nothing half-written.
 */
export async function copyStore(path: string, target: string, check?: Check): Promise<number> {
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    // Private from the start, since the copy contains the accounts.
    await (await open(temporary, 'wx', 0o600)).close();
    await copyInto(path, temporary);
    detachFromJournals(temporary, check);
    await flushFile(temporary);
    const { size } = await stat(temporary);
    await publish(temporary, target);
    return size;
  } finally {
    await removeStore(temporary);
  }
}

/**
 * Replaces the content of the store at `path` with that of `original`, in one transaction: servers that have it
 * open continue with the new content. Copies the old content to `kept` first. Throws if the store at `path` is
 * too damaged to be copied or overwritten; `exchangeStore` is for that case.
 */
export async function overwriteStore(original: string, path: string, kept: string): Promise<void> {
  const watch = openReadOnly(path);
  const version = () => watch.pragma('data_version', { simple: true });
  try {
    for (;;) {
      const before = version();
      await copyStore(path, kept);
      if (version() === before) break;
      // Another process wrote during the copy: copy again, or its changes would be lost.
      await rm(kept);
    }
    await copyInto(original, path);
  } finally {
    watch.close();
  }
}

/** Moves the store at `path`, with its log, to `kept`, and puts a copy of `original` in its place. */
export async function exchangeStore(original: string, path: string, kept: string): Promise<void> {
  const incoming = `${path}.${randomUUID()}.tmp`;
  try {
    await copyStore(original, incoming);
    await rename(path, kept);
    // SQLite would replay the log of the old store into the new one.
    if (existsSync(`${path}-wal`)) await rename(`${path}-wal`, `${kept}-wal`);
    await removeJournals(path);
    await rename(incoming, path);
  } finally {
    await removeStore(incoming);
  }
}

/**
 * Copies `original` to `target` unless that exists and is not empty. A lock, released even if its
 * holder dies, admits one process at a time. The copy is renamed into place, so that others never see a part.
 * Aborting `signal` ends the wait for the lock.
 */
export async function installFile(
  original: string,
  target: string,
  signal?: AbortSignal,
): Promise<void> {
  const isThere = () => (statSync(target, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (isThere()) return;
  await makeDirectory(dirname(target));
  const temporary = `${target}.new`;
  const install = async () => {
    if (isThere()) return;
    // Only the holder of the lock copies, so a leftover is from a process that died.
    await rm(temporary, { force: true });
    try {
      await copyFile(original, temporary, constants.COPYFILE_FICLONE);
      // copyFile preserves the mode, and package files may be read-only.
      await chmod(temporary, 0o600);
      await flushFile(temporary);
      // SQLite would replay the journals of a deleted store into the new one.
      await removeJournals(target);
      await rename(temporary, target);
    } finally {
      await rm(temporary, { force: true });
    }
  };
  await withProcessLock(`${target}.lock`, install, { signal });
}

async function copyInto(original: string, target: string): Promise<void> {
  const db = openReadOnly(original);
  try {
    await db.backup(target, { progress: () => ALL_PAGES });
  } finally {
    db.close();
  }
}

/** Leaves WAL mode, in which even a reader writes files beside the store. */
function detachFromJournals(path: string, check: Check = () => {}): void {
  const db = new Database(path);
  try {
    db.pragma('journal_mode = DELETE');
    check(db);
  } finally {
    db.close();
  }
}

/** Gives a complete copy its name, without replacing an existing file. */
async function publish(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if (existsSync(target)) throw error;
    // Not every file system has hard links.
    await rename(temporary, target);
  }
}

export async function removeJournals(path: string): Promise<void> {
  for (const suffix of ['-wal', '-shm', '-journal']) await rm(path + suffix, { force: true });
}

async function removeStore(path: string): Promise<void> {
  await rm(path, { force: true });
  await removeJournals(path);
}

/** A table whose rows each belong to one card; the column `key` has the card's row id. */
export interface OwnedTable {
  table: string;
  key: string;
}

/**
 * Called inside a transaction of `target`: replaces the rows of its card `to` with those of the card `from` in
 * `original`. Both stores must have the same schema, and each of `tables` must come after those that it
 * references.
 */
export function replaceRows(
  original: Database.Database,
  target: Database.Database,
  tables: readonly OwnedTable[],
  { from, to }: { from: number; to: number },
): void {
  for (const { table, key } of tables.toReversed()) {
    target.prepare(`DELETE FROM ${table} WHERE ${key} = @to`).run({ to });
  }
  for (const { table, key } of tables) {
    const columns = original
      .prepare<{ table: string }, string>('SELECT name FROM pragma_table_info(@table)')
      .pluck()
      .all({ table })
      .filter((column) => column !== key);
    const rows = original
      .prepare<{ from: number }, unknown[]>(
        `SELECT ${columns.join(', ')} FROM ${table} WHERE ${key} = @from`,
      )
      .raw()
      .all({ from });
    const places = columns.map(() => '?').join(', ');
    const insert = target.prepare(
      `INSERT INTO ${table} (${key}, ${columns.join(', ')}) VALUES (?, ${places})`,
    );
    for (const row of rows) insert.run(to, ...row);
  }
}
