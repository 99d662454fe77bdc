import { closeSync, openSync } from 'node:fs';
import { codeOf } from '../core/errors.ts';
import { pause } from '../core/time.ts';
import { isBusy } from './connection.ts';
import { Database } from './sqlite.ts';

/** Pauses between attempts to take the lock, in milliseconds. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
/** Maximum wait of a caller with a `heldMessage`. */
const LIMIT_MS = 1_000;

interface LockOptions {
  /** Aborting it ends the wait with its reason, but does not interrupt running work. */
  signal?: AbortSignal | undefined;
  /** Called once if the caller has to wait. */
  onWait?: (() => void) | undefined;
  /** Message of the LockHeldError that ends the wait after a second; if omitted, the wait is unlimited. */
  heldMessage?: string;
}

/**
 * Runs `work` while no other process, and no other call in this one, runs work under the same `path`. The
 * lock is SQLite's, on an empty file at `path`; the operating system releases it when its holder dies. The
 * file is never removed, or two callers could lock two different files at the same path. Its directory must
 * exist.
 *
 * Waits without blocking the event loop. Rejects like `work`, or if the file cannot be created.
 */
export async function withProcessLock<T>(
  path: string,
  work: () => Promise<T>,
  options: LockOptions = {},
): Promise<T> {
  options.signal?.throwIfAborted();
  const lock = openLock(path);
  try {
    await acquire(lock, options);
    return await work();
  } finally {
    // Closing rolls back the empty transaction and releases the lock.
    lock.close();
  }
}

/** Whether any process, this one included, holds the lock at `path`. */
export function isLocked(path: string): boolean {
  const lock = openLock(path);
  try {
    return !tryToLock(lock);
  } finally {
    lock.close();
  }
}

/**
 * Opens the lock file. A missing one is created for the user alone, since anyone who can read it can block the
 * lock. Never opens an existing one outside SQLite: closing it would release this process's lock (POSIX).
 */
function openLock(path: string): Database.Database {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return new Database(path, { timeout: 0 });
}

async function acquire(
  lock: Database.Database,
  { signal, onWait, heldMessage }: LockOptions,
): Promise<void> {
  let waited = 0;
  let wait = FIRST_PAUSE_MS;
  while (!tryToLock(lock)) {
    if (waited === 0) onWait?.();
    if (heldMessage !== undefined && waited >= LIMIT_MS) throw new LockHeldError(heldMessage);
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
    if (isBusy(error)) return false;
    throw error;
  }
}

/** A lock was held for longer than the caller was prepared to wait. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';
}
