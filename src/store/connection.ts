import type { Database } from 'better-sqlite3';
import { codeOf } from '../core/errors.ts';
import { pause } from '../core/time.ts';

/** Pause between attempts, in milliseconds; most writes of other processes take less. */
const PAUSE_MS = 4;
/** How long a write is retried before it fails. */
const TIMEOUT_MS = 5_000;

/**
 * Makes writes through a connection fail at once while another process is writing, because SQLite's
 * own wait would block the event loop. `whenFree` retries them.
 */
export function neverBlock(db: Database): void {
  db.pragma('busy_timeout = 0');
}

/** Runs `work` without waiting for other processes' writes: throws SQLITE_BUSY at once. */
export function withoutWaiting<T>(db: Database, work: () => T): T {
  const before = db.pragma('busy_timeout', { simple: true });
  neverBlock(db);
  try {
    return work();
  } finally {
    db.pragma(`busy_timeout = ${Number(before)}`);
  }
}

/**
 * Runs `work`, a single transaction, and retries it while another process is writing, without
 * blocking the event loop. Rejects with SQLITE_BUSY after five seconds. Aborting `signal` before the
 * transaction is committed rejects with its reason.
 */
export async function whenFree<T>(work: () => T, signal?: AbortSignal): Promise<T> {
  const begun = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    try {
      return work();
    } catch (error) {
      const isBusy = codeOf(error).startsWith('SQLITE_BUSY');
      if (!isBusy || performance.now() - begun > TIMEOUT_MS) throw error;
    }
    // Jitter keeps two waiters from colliding in step.
    await pause(PAUSE_MS * (0.5 + Math.random()), signal);
  }
}

/** Whether the store failed, as on a full or broken disk; not where another process was writing. */
export function isStoreFault(error: unknown): boolean {
  return /^SQLITE_(?!BUSY|LOCKED)/.test(codeOf(error));
}

/** What a connection has computed, and the version of the store that it was computed from. */
class Cache {
  readonly values = new Map<string, object>();
  version: unknown;
}

interface Recalled<T extends object> {
  /** The class of the value. */
  type: abstract new (
    ...values: never[]
  ) => T;
  compute(): T;
}

/** Gives a connection that reads a cache for `recall`. */
export function cacheReads<T extends Database>(db: T): T {
  return Object.defineProperty(db, 'cache', { value: new Cache() });
}

/**
 * A value computed from the rows of the store; the one computed before, if the connection has a cache and
 * no other connection has written since: SQLite does not count a connection's own writes. A key always has
 * the same type, and there are few of them.
 */
export function recall<T extends object>(db: Database, key: string, recalled: Recalled<T>): T {
  const cache = 'cache' in db ? db.cache : null;
  if (!(cache instanceof Cache)) return recalled.compute();
  const version = db.prepare('PRAGMA data_version').pluck().get();
  if (version !== cache.version) cache.values.clear();
  cache.version = version;
  const stored = cache.values.get(key);
  if (stored instanceof recalled.type) return stored;
  const value = recalled.compute();
  cache.values.set(key, value);
  return value;
}
