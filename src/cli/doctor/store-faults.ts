import { dirname } from 'node:path';
import { isDiskFull } from '../../core/disk.ts';
import { codeOf, ServiceError } from '../../core/errors.ts';
import { type Check, firstLine } from './check.ts';

export const DISK_FULL =
  'Free some space on this disk. A full disk does a store no harm: leave it where it is.';
export const NO_PERMISSION =
  'Let your user read and write the data directory and what is in it, or set QUANTSHELF_HOME to another directory. The store is sound: leave it where it is.';
const DISK_FAULT = 'Check the disk: reading the store failed below SQLite.';
const BUSY = 'Another process is writing to the store. Try again in a moment.';

/** Causes that say nothing against the store, by SQLite's code or the system's. */
const HARMLESS: readonly (readonly [codes: RegExp, fix: string])[] = [
  [/^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS)/, NO_PERMISSION],
  [/^SQLITE_(BUSY|LOCKED)/, BUSY],
  [/^(SQLITE_IOERR|EIO)/, DISK_FAULT],
];

/** What is wrong with the store at `path`, from the error that opening or checking it threw. */
export function explainFault(error: unknown, path: string): Pick<Check, 'detail' | 'fix'> {
  const detail = firstLine(error);
  // A newer version wrote it, or it is no store of ours: the message says what to do.
  if (error instanceof ServiceError) return { detail, fix: error.message };
  if (isDiskFull(error, dirname(path))) {
    return {
      detail: `the disk is full, so the store cannot be opened (${detail})`,
      fix: DISK_FULL,
    };
  }
  const code = codeOf(error);
  const fix = HARMLESS.find(([codes]) => codes.test(code))?.[1];
  return { detail, fix: fix ?? giveUp(code, path) };
}

/** For a damaged store alone: what a new one lacks, and how to save the old one first. */
function giveUp(code: string, path: string): string {
  const save = code.startsWith('SQLITE_NOTADB')
    ? ''
    : 'Save what can be read with `quantshelf backup FILE`. ';
  return (
    `${save}If you have a backup, \`quantshelf restore FILE\` brings it back. Else move ${path} away, ` +
    'with the files beside it that end in -wal and -shm; the next start creates a new store from the starter ' +
    'shelf. Keys, credits and what was synced stay behind in the old one.'
  );
}
