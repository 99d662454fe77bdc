import { existsSync, fsync, mkdtempSync, rmdirSync, statfsSync, statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from './errors.ts';

/** SQLite's smallest files beside a store take 32 KiB; with less than this they may not fit. */
const NEARLY_NOTHING = 1_000_000;

/**
 * Whether `error` came from a full disk, where `directory` lies or was to be made. SQLite calls it so
 * for the database and its log alone: where the index of the log does not fit, an I/O error, and where
 * no file can be created, one that cannot be opened. So the disk itself is asked, too, where
 * `directory` is known. A read-only one, such as an ISO image, has no room either and yet is not full.
 */
export function isDiskFull(
  error: unknown,
  directory: string | undefined,
  free = bytesFree,
): boolean {
  const code = codeOf(error);
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return true;
  if (directory === undefined || !/^SQLITE_(IOERR|CANTOPEN)/.test(code)) return false;
  return free(directory) < NEARLY_NOTHING && creationFault(directory) !== 'unwritable';
}

/**
 * Why nothing can be created in `directory`, or in its nearest existing parent; null where it can.
 * Tried for real: access(2) tells the superuser that /proc and read-only mounts are writable.
 */
export function creationFault(directory: string): 'full' | 'unwritable' | null {
  if (!existsSync(directory) && dirname(directory) !== directory) {
    return creationFault(dirname(directory));
  }
  try {
    rmdirSync(mkdtempSync(join(directory, '.quantshelf-')));
    return null;
  } catch (error) {
    return /^(ENOSPC|EDQUOT)/.test(codeOf(error)) ? 'full' : 'unwritable';
  }
}

/** Bytes that can be written where `directory` lies, or where it would be made; 0 when no file can be. */
export function bytesFree(directory: string): number {
  if (!existsSync(directory) && dirname(directory) !== directory) {
    return bytesFree(dirname(directory));
  }
  const { bavail, bsize, files, ffree } = statfsSync(directory);
  // Some file systems count no files.
  return files > 0 && ffree === 0 ? 0 : bavail * bsize;
}

/**
 * Creates a directory and its missing parents for the user alone; an existing one is fine. Rejects
 * with the file system's own error. Node's recursive `mkdir` never ends where creating a directory
 * fails with ENOENT although its parent exists, as under /proc.
 */
export async function makeDirectory(path: string): Promise<void> {
  const above = dirname(path);
  if (above !== path && !existsSync(above)) await makeDirectory(above);
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  });
}

/** Flushes a file to disk, so that it is complete even if the power fails after a rename. */
export async function flushFile(path: string, flags: 'r' | 'r+' = 'r+'): Promise<void> {
  const file = await open(path, flags);
  try {
    // Not file.sync(): Yarn's Plug'n'Play replaces file handles by some that lack it.
    await promisify(fsync)(file.fd);
  } finally {
    await file.close();
  }
}
