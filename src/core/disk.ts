import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './errors.ts';

/** SQLite's smallest files beside a store take 32 KiB; with less than this they may not fit. */
const NEARLY_NOTHING = 1_000_000;

/**
 * Whether `error` came from a full disk, where `directory` lies or was to be made. SQLite calls it so
 * for the database and its log alone: where the index of the log does not fit, an I/O error, and where
 * no file can be created, one that cannot be opened. So the disk itself is asked, too, where
 * `directory` is known.
 */
export function isDiskFull(
  error: unknown,
  directory: string | undefined,
  free = bytesFree,
): boolean {
  const code = codeOf(error);
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return true;
  if (directory === undefined || !/^SQLITE_(IOERR|CANTOPEN)/.test(code)) return false;
  return free(directory) < NEARLY_NOTHING;
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
