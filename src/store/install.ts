import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeDirectory } from '../core/directory.ts';
import { withProcessLock } from './lock.ts';

/**
 * Puts a copy of `source` at `target` unless something is there already.
 * Other processes see no file or the whole file: one of them copies, under a lock that dies with
 * it, to a temporary name that becomes the final one in a single step. `signal` ends the waiting.
 */
export async function installFile(
  source: string,
  target: string,
  signal?: AbortSignal,
): Promise<void> {
  if (await exists(target)) return;
  const directory = dirname(target);
  await makeDirectory(directory);
  await withProcessLock(
    `${target}.lock`,
    async () => {
      if (await exists(target)) return;
      await removeLeftovers(directory, basename(target));
      const temporary = join(directory, `${basename(target)}.${randomUUID()}.tmp`);
      try {
        await copyFile(source, temporary, constants.COPYFILE_FICLONE);
        // A package may lie there read-only, and its mode comes along with the copy.
        await chmod(temporary, 0o600);
        await flush(temporary);
        await removeJournals(target);
        await rename(temporary, target);
      } finally {
        await rm(temporary, { force: true });
      }
    },
    { signal },
  );
}

/** Journals of a store that is gone: SQLite would play them into the new one. */
async function removeJournals(target: string): Promise<void> {
  for (const suffix of ['-wal', '-shm', '-journal']) await rm(target + suffix, { force: true });
}

/** Copies that a dead process left behind; whoever holds the lock is the only one who copies. */
async function removeLeftovers(directory: string, name: string): Promise<void> {
  for (const entry of await readdir(directory)) {
    if (entry.startsWith(`${name}.`) && entry.endsWith('.tmp')) {
      await rm(join(directory, entry), { force: true });
    }
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** An empty file counts as none: nothing of the user's is in it. */
async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).size > 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
