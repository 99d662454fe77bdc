import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { flushFile, makeDirectory } from '../core/disk.ts';
import { codeOf } from '../core/errors.ts';
import { removeJournals } from './copy.ts';
import { withProcessLock } from './lock.ts';

/**
 * Copies `source` to `target` unless `target` exists. One process copies, under a lock that the
 * operating system releases if it dies, to a temporary name that is then renamed: other processes see
 * either no file or all of it. `signal` aborts the wait for the lock.
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
        // copyFile keeps the mode, and package files may be read-only.
        await chmod(temporary, 0o600);
        await flushFile(temporary);
        // SQLite would replay the journals of a deleted store into the new one.
        await removeJournals(target);
        await rename(temporary, target);
      } finally {
        await rm(temporary, { force: true });
      }
    },
    { signal },
  );
}

/** Removes temporary copies of dead processes: only the holder of the lock copies. */
async function removeLeftovers(directory: string, name: string): Promise<void> {
  for (const entry of await readdir(directory)) {
    if (entry.startsWith(`${name}.`) && entry.endsWith('.tmp')) {
      await rm(join(directory, entry), { force: true });
    }
  }
}

/** An empty file counts as missing: it contains no user data. */
async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).size > 0;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
