import type { Database } from 'better-sqlite3';
import { pause } from '../core/time.ts';

/** Between two tries, in milliseconds; other processes' writes mostly take less. */
const PAUSE_MS = 4;
/** How long a write is tried before it counts as failed. */
const PATIENCE_MS = 5_000;

/**
 * Makes a connection give up at once on a store that is being written, for `whenFree`: many callers
 * that each block the process for a moment would stop it.
 */
export function neverBlock(db: Database): void {
  db.pragma('busy_timeout = 0');
}

/**
 * Does `work` on a connection that usually waits for other processes' writes, without waiting now:
 * throws SQLITE_BUSY at once. For what may as well be left undone.
 */
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
 * Does `work`, and again while another process is writing, without keeping this one from its other
 * work meanwhile. `work` must be a single transaction. Rejects with SQLITE_BUSY in the end.
 */
export async function whenFree<T>(work: () => T): Promise<T> {
  const begun = performance.now();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() - begun > PATIENCE_MS) throw error;
    }
    // A part of chance keeps two waiters from failing each other in step.
    await pause(PAUSE_MS * (0.5 + Math.random()));
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
