import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { openForReading, openForWriting } from './open.ts';

/** Pages per step: all at once, since a step that other writes interrupt begins again. */
const ALL_PAGES = 0x7f_ff_ff_ff;

/**
 * Copies a store to a new file while others read and write it: what is committed when the copy begins
 * is in it. Returns its size in bytes. Throws when `target` exists, and leaves nothing half-written.
 */
export async function copyStore(path: string, target: string): Promise<number> {
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    // Created first, so that nobody else can ever read the accounts in it.
    await (await open(temporary, 'wx', 0o600)).close();
    const db = openForReading(path);
    try {
      await db.backup(temporary, { progress: () => ALL_PAGES });
    } finally {
      db.close();
    }
    const size = await flush(temporary);
    // Unlike a rename, a link never replaces a file.
    await link(temporary, target);
    return size;
  } finally {
    await removeStore(temporary);
  }
}

/**
 * Puts a copy of the store at `source` in the place of the one at `path`, which is kept under the name
 * `kept`. Other processes see either the old store or the new one. Call it under the lock of `path`.
 */
export async function replaceStore(source: string, path: string, kept: string): Promise<void> {
  const incoming = `${path}.${randomUUID()}.tmp`;
  try {
    await copyStore(source, incoming);
    if (existsSync(path)) await keep(path, kept);
    // SQLite would replay the journals of the old store into the new one.
    await removeJournals(path);
    await rename(incoming, path);
  } finally {
    await removeStore(incoming);
  }
}

/** Copies the store to `kept`; one that is too damaged for that is kept file by file. */
async function keep(path: string, kept: string): Promise<void> {
  try {
    await copyStore(path, kept);
    emptyJournal(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    await link(path, kept);
    if (existsSync(`${path}-wal`)) await link(`${path}-wal`, `${kept}-wal`);
  }
}

/** Moves what the write-ahead log holds into the store, as far as others let it. */
function emptyJournal(path: string): void {
  const db = openForWriting(path);
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

/** Whether SQLite found that a file is not a sound database. */
export function isDamage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^SQLITE_(CORRUPT|NOTADB)/.test(code);
}

async function flush(path: string): Promise<number> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** Removes the journals of the store at `path`. */
export async function removeJournals(path: string): Promise<void> {
  for (const suffix of ['-wal', '-shm', '-journal']) await rm(path + suffix, { force: true });
}

async function removeStore(path: string): Promise<void> {
  await rm(path, { force: true });
  await removeJournals(path);
}
