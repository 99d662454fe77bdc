import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { codeOf } from '../core/errors.ts';
import { pause } from '../core/time.ts';
import { Database } from './sqlite.ts';

/** Pauses between attempts to take the lock, in milliseconds. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

export interface LockOptions {
  /** Aborting it ends the wait with its reason, but does not interrupt the work. */
  signal?: AbortSignal | undefined;
  /** Called once if the caller has to wait. */
  onWait?: (() => void) | undefined;
  /** Longest wait in milliseconds, after which a LockHeldError is thrown; no limit by default. */
  longestMs?: number;
}

/**
 * Runs `work` while no other process, and no other call in this one, runs work under the same `path`.
 * The lock is SQLite's, on an empty file at `path`; the operating system releases it when its holder
 * dies. The file is never removed: two callers could then lock two different files at the same path.
 * Its directory must exist.
 *
 * Waits without blocking the event loop. While the work runs, a file beside the lock says which process
 * holds it. Rejects like `work`, or when the file cannot be created.
 */
export async function withProcessLock<T>(
  path: string,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  options.signal?.throwIfAborted();
  createLockFile(path);
  const lock = new Database(path, { timeout: 0 });
  let removeRecord = () => {};
  try {
    await acquire(lock, path, options);
    removeRecord = recordHolder(path);
    return await work();
  } finally {
    removeRecord();
    // Closing rolls back the empty transaction and releases the lock.
    lock.close();
  }
}

/** Whether work is running under `path`. */
export function isLocked(path: string): boolean {
  createLockFile(path);
  const lock = new Database(path, { timeout: 0 });
  try {
    return !tryToLock(lock);
  } finally {
    lock.close();
  }
}

/**
 * Creates the file for the user alone: whoever can read it can hold the lock. An existing file must
 * not be opened here, because closing it would release this process's lock on it (POSIX).
 */
function createLockFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

async function acquire(
  lock: Database.Database,
  path: string,
  { signal, onWait, longestMs = Number.POSITIVE_INFINITY }: LockOptions,
): Promise<void> {
  let waited = 0;
  let wait = FIRST_PAUSE_MS;
  while (!tryToLock(lock)) {
    if (waited === 0) onWait?.();
    if (waited >= longestMs) throw new LockHeldError(path);
    // Jitter keeps two waiters from retrying in step.
    await pause(wait * (0.5 + Math.random()), signal);
    waited += wait;
    wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
  }
}

function tryToLock(lock: Database.Database): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return false;
    throw error;
  }
}

/** A process that took a lock, as it wrote beside it. */
interface Holder {
  pid: number;
  user: string;
}

/** Someone has held a lock for longer than the caller could wait. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';
  readonly path: string;

  constructor(path: string) {
    super(
      `${basename(path)} has been held for too long by ${describeHolder(path)}. End that process, or pass a ` +
        'lock that no process of yours holds with `quantshelf sync --force`.',
    );
    this.path = path;
  }
}

/** Who holds the lock at `path`, for a message. */
export function describeHolder(path: string): string {
  const holder = readHolder(path);
  return holder === null
    ? 'a process that is not known'
    : `process ${holder.pid} of user ${holder.user}`;
}

/**
 * Puts a new file in the place of a lock that is held, unless a living process of this user wrote that
 * it holds it. Whoever holds the old file keeps nobody out any more. Throws where the directory
 * cannot be written.
 */
export function replaceForeignLock(path: string): void {
  const holder = readHolder(path);
  if (holder?.user === currentUser() || !isHeld(path)) return;
  const fresh = `${path}.${randomUUID()}`;
  closeSync(openSync(fresh, 'wx', 0o600));
  renameSync(fresh, path);
}

/** A file that cannot be opened keeps others out as well. */
function isHeld(path: string): boolean {
  try {
    return isLocked(path);
  } catch {
    return true;
  }
}

function holderPath(path: string): string {
  return `${path}.holder`;
}

/** Null where nothing is written, or where who wrote it has died. */
function readHolder(path: string): Holder | null {
  try {
    const [, pid = '', user = ''] =
      /^(\d{1,10}) ([^\p{C}]{1,100})$/u.exec(readFileSync(holderPath(path), 'utf8')) ?? [];
    return pid !== '' && isAlive(Number(pid)) ? { pid: Number(pid), user } : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user cannot be signalled.
    return codeOf(error) === 'EPERM';
  }
}

/** For people alone, so a failure does no harm. */
function recordHolder(path: string): () => void {
  const written = holderPath(path);
  try {
    rmSync(written, { force: true });
    writeFileSync(written, `${process.pid} ${currentUser()}`, { mode: 0o600, flag: 'wx' });
    return () => rmSync(written, { force: true });
  } catch {
    return () => {};
  }
}

/** A name, or a number where the system knows none, as in some containers. */
function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `${process.getuid?.() ?? 'unknown'}`;
  }
}
