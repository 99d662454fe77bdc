import type { Database } from 'better-sqlite3';
import { codeOf } from '../core/errors.ts';
import type { Reader } from '../core/reader.ts';
import { pause } from '../core/time.ts';

/** Pause between attempts, in milliseconds; most writes of other processes take less. */
const PAUSE_MS = 4;
/** How long a write is retried before it fails. */
const TIMEOUT_MS = 5_000;

/**
 * Runs `work` in a transaction, or as part of an enclosing one. Write through nothing else: if a statement run
 * with `get` outside a transaction fails to commit, as on a full disk, better-sqlite3 ignores the failure.
 */
export function write<T>(db: Database, work: () => T): T {
  return db.transaction(work).immediate();
}

/**
 * Runs `work`; throws SQLITE_BUSY at once while another process is writing, since SQLite's own wait would block
 * the event loop. `whenFree` can retry the call.
 */
export function withoutWaiting<T>(db: Database, work: () => T): T {
  const before = db.pragma('busy_timeout', { simple: true });
  db.pragma('busy_timeout = 0');
  try {
    return work();
  } finally {
    db.pragma(`busy_timeout = ${Number(before)}`);
  }
}

/** Lets `work`, such as a charge, write on a connection from `openForCalls`. Throws like `withoutWaiting`. */
export function writeForCall<T>(db: Database, work: () => T): T {
  db.pragma('query_only = OFF');
  try {
    return withoutWaiting(db, work);
  } finally {
    db.pragma('query_only = ON');
  }
}

/**
 * Runs `work`, a single `write`, and retries it while another process is writing, without blocking the event
 * loop. Rejects with SQLITE_BUSY after five seconds. Aborting `signal` before the commit rejects with its reason.
 */
export async function whenFree<T>(work: () => T, signal?: AbortSignal): Promise<T> {
  const begun = performance.now();
  for (;;) {
    signal?.throwIfAborted();
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() - begun > TIMEOUT_MS) throw error;
    }
    // Jitter keeps two waiters from retrying in step.
    await pause(PAUSE_MS * (0.5 + Math.random()), signal);
  }
}

/** Whether a write failed because another process was writing. */
export function isBusy(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_BUSY');
}

/** Whether the store failed, as on a full or broken disk; false if another process was merely writing. */
export function isStoreFault(error: unknown): boolean {
  return /^SQLITE_(?!BUSY|LOCKED)/.test(codeOf(error));
}

/** Counts and tables cached for one version of the store's data. */
class Counts {
  readonly byName = new Map<string, Map<string, number>>();
  readonly tables = new Map<string, Int32Array>();
  version: unknown;
}
const caches = new WeakMap<Reader, Counts>();

/** Caches the results of `countsOf` and `keptTable` for a connection that writes nothing but charges. */
export function keepCounts(db: Database): Database {
  caches.set(db, new Counts());
  return db;
}

/**
 * The counts cached for a connection under a name, to which callers add. They are dropped once another
 * connection has written. A connection for writing caches none, because SQLite reports only others' writes.
 */
export function countsOf(db: Reader, name: string): Map<string, number> {
  const { byName } = currentCounts(db);
  const stored = byName.get(name) ?? new Map<string, number>();
  byName.set(name, stored);
  return stored;
}

/** The result of `read`, cached for a connection under a name, as `countsOf` caches counts. */
export function keptTable(db: Reader, name: string, read: () => Int32Array): Int32Array {
  const { tables } = currentCounts(db);
  const table = tables.get(name) ?? read();
  tables.set(name, table);
  return table;
}

function currentCounts(db: Reader): Counts {
  const counts = caches.get(db);
  if (counts === undefined) return new Counts();
  const version = db.prepare('PRAGMA data_version').pluck().get();
  if (version !== counts.version) {
    counts.byName.clear();
    counts.tables.clear();
  }
  counts.version = version;
  return counts;
}
