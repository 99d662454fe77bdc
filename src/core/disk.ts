import { existsSync, fsync, mkdtempSync, rmdirSync, statfsSync, statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { codeOf, UsageError } from './errors.ts';

const NO_HOME = 'This user has no home directory.';

/** The user's home directory; null if there is none, as in a container that runs under an unknown uid. */
export function userHome(): string | null {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : null;
  } catch {
    return null;
  }
}

/**
 * Makes a path from the environment absolute and expands a leading "~", which hosts, unlike shells, leave
 * as it is. Throws a UsageError for "~" if the user has no home directory.
 */
export function readPath(path: string): string {
  if (!/^~(?=$|[/\\])/.test(path)) return resolve(path);
  const home = userHome();
  if (home === null) throw new UsageError(`${NO_HOME} Write ${path} without "~".`);
  return join(home, path.slice(1));
}

/**
 * The shelf's data directory: QUANTSHELF_HOME, else the platform's default. Rejects with a UsageError if the
 * path depends on a home directory and the user has none.
 */
export async function findHome(env: NodeJS.ProcessEnv): Promise<string> {
  // Many hosts pass an unset setting as an empty variable.
  if (env.QUANTSHELF_HOME) return readPath(env.QUANTSHELF_HOME);
  try {
    // The import itself looks up the home directory, and throws if there is none.
    const { default: envPaths } = await import('env-paths');
    const { data } = envPaths('quantshelf', { suffix: '' });
    // A relative path would mean a different shelf for every directory a host starts us in.
    if (isAbsolute(data)) return data;
  } catch {}
  throw new UsageError(`${NO_HOME} Set QUANTSHELF_HOME to a writable directory.`);
}

/** With fewer free bytes, a disk may lack room even for the 32 KiB file that SQLite adds beside a store. */
const NEARLY_NOTHING = 1_000_000;

/**
 * Whether `error` came from a full disk. SQLite reports SQLITE_FULL only for the database and its log: for the
 * log's index it reports an I/O error, and for a new file SQLITE_CANTOPEN. For these two, the free space of
 * `directory`, if given, decides. A read-only disk, such as an ISO image, has no free space, but is not full.
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

/** Faults that prevent reading or writing the shelf's files. */
type StoreFault = 'full' | 'busy' | 'unwritable' | 'file' | 'unreadable' | 'damaged';

/** What is wrong, and how the user can fix it. */
export const REMEDIES: Readonly<Record<StoreFault, string>> = {
  full: 'The disk is full. Free some space and try again.',
  busy: 'Another process is writing to the shelf. Try again in a moment.',
  unwritable:
    'The data directory is not writable. Make it writable, or copy it and set QUANTSHELF_HOME to the copy.',
  file: 'The data directory is a file, or is inside one. Set QUANTSHELF_HOME to a directory.',
  unreadable: 'The system could not read or write the shelf. Check the disk.',
  damaged: 'The shelf is damaged or is not an SQLite file. Run `quantshelf doctor` for details.',
};

/** Names the data directory in a message for its owner; other callers must not see its path. */
export function nameHome(message: string, home: string): string {
  return message.replace(/^The data directory/, () => home);
}

const FAULTS: readonly (readonly [StoreFault, codes: RegExp])[] = [
  ['busy', /^SQLITE_(BUSY|LOCKED)/],
  ['unwritable', /^SQLITE_(READONLY|CANTOPEN|PERM|AUTH)/],
  ['unwritable', /^(EACCES|EPERM|EROFS|ENOENT|ELOOP)$/],
  ['file', /^(ENOTDIR|EEXIST)$/],
  ['unreadable', /^(SQLITE_(IOERR|NOMEM)|EIO$)/],
  ['damaged', /^SQLITE_(CORRUPT|NOTADB)/],
];

/** The fault of the store in `home` that an SQLite or system error indicates; null if none. */
export function storeFaultOf(error: unknown, home: string | undefined): StoreFault | null {
  if (isDiskFull(error, home)) return 'full';
  return FAULTS.find(([, codes]) => codes.test(codeOf(error)))?.[0] ?? null;
}

/**
 * Why nothing can be created in `directory`, or in its nearest existing parent if it is missing; null if
 * something can. Creates a directory to find out, since access(2) reports /proc as writable to the superuser.
 */
export function creationFault(directory: string): 'full' | 'unwritable' | 'file' | null {
  try {
    rmdirSync(mkdtempSync(join(existingOf(directory), '.quantshelf-')));
    return null;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOTDIR') return 'file';
    return /^(ENOSPC|EDQUOT)/.test(code) ? 'full' : 'unwritable';
  }
}

/** Free bytes on the disk where `directory` is or would be created; 0 if no inode is free. */
export function bytesFree(directory: string): number {
  const { bavail, bsize, files, ffree } = statfsSync(existingOf(directory));
  // Some file systems report no inode counts.
  return files > 0 && ffree === 0 ? 0 : bavail * bsize;
}

function existingOf(directory: string): string {
  const parent = dirname(directory);
  return existsSync(directory) || parent === directory ? directory : existingOf(parent);
}

/**
 * Creates a directory and its missing parents, accessible only to the user; existing ones are left as they
 * are. Rejects with the file system's own error. Avoids Node's recursive `mkdir`, which loops forever if
 * creating a directory fails with ENOENT although its parent exists, as under /proc.
 */
export async function makeDirectory(path: string): Promise<void> {
  const above = dirname(path);
  if (above !== path && !existsSync(above)) await makeDirectory(above);
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  });
}

/** Flushes a file to disk, so that it is complete even if the power fails after a rename. */
export async function flushFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    // Not file.sync(): the file handles of Yarn's Plug'n'Play lack it.
    await promisify(fsync)(file.fd);
  } finally {
    await file.close();
  }
}
