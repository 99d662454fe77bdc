import Database from 'better-sqlite3';
import { pause } from '../core/time.ts';

/** Pauses between two tries for a lock that another holds, in milliseconds. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;

/**
 * Runs `work` while no other process, and no other call in this one, runs work under the same
 * `path`. The lock is SQLite's own on an empty file at `path`: the operating system lifts it when
 * its holder dies, so a killed process blocks nobody. The file stays behind; removing it would let
 * two callers hold two files of one name. Its directory must exist.
 *
 * Waits without blocking the event loop and without limit; `onWait` is called once when there is
 * something to wait for, and an aborted `signal` ends the waiting with its reason (work that has
 * begun is not interrupted). Rejects with what `work` rejects with, or with an SqliteError when the
 * file cannot be made.
 */
export async function withProcessLock<T>(
  path: string,
  work: () => Promise<T>,
  options: { signal?: AbortSignal | undefined; onWait?: (() => void) | undefined } = {},
): Promise<T> {
  options.signal?.throwIfAborted();
  const lock = new Database(path, { timeout: 0 });
  try {
    await acquire(lock, options);
    return await work();
  } finally {
    // Closing rolls the empty transaction back and with it lifts the lock.
    lock.close();
  }
}

/** True while somebody runs work under `path`. */
export function isLocked(path: string): boolean {
  const lock = new Database(path, { timeout: 0 });
  try {
    return !tryToLock(lock);
  } finally {
    lock.close();
  }
}

async function acquire(
  lock: Database.Database,
  { signal, onWait }: { signal?: AbortSignal | undefined; onWait?: (() => void) | undefined },
): Promise<void> {
  let wait = FIRST_PAUSE_MS;
  while (!tryToLock(lock)) {
    if (wait === FIRST_PAUSE_MS) onWait?.();
    // A part of chance keeps two waiters from failing each other in step.
    await pause(wait * (0.5 + Math.random()), signal);
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
