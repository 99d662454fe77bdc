import type { Database } from 'better-sqlite3';
import { pause } from '../core/time.ts';
import { withProcessLock } from './lock.ts';
import type { Migration } from './migrations.ts';

/** When each upstream last got a request, and until when it wants none. */
export const rateLimiterMigrations: readonly Migration[] = [
  {
    name: 'store-2-rate-limits',
    sql: `
      CREATE TABLE rate_limit (
        upstream TEXT PRIMARY KEY,
        last_start INTEGER NOT NULL,     -- milliseconds since 1970; 0 for never
        blocked_since INTEGER NOT NULL,  -- likewise
        blocked_until INTEGER NOT NULL   -- likewise
      ) STRICT`,
  },
];

/** Longest block, whatever the upstream asks for. */
const LONGEST_BLOCK_MS = 24 * 60 * 60_000;

interface Limits {
  lastStart: number;
  blockedSince: number;
  blockedUntil: number;
}

/**
 * A rate limiter (see `upstream/rate-limiter.ts`) for all processes that share the store. Its state
 * is in `db` (writable); the lock file at `lockPath` keeps requests from overlapping. A start is
 * recorded before the work, so that the interval is kept even if the process dies. `isUnsent` tells
 * which errors prove that nothing reached the upstream; after these the start is undone.
 */
export function createRateLimiter(
  db: Database,
  upstream: string,
  lockPath: string,
  now: () => Date,
  isUnsent: (error: unknown) => boolean = () => false,
) {
  const time = () => now().getTime();

  function readLimits(): Limits {
    const limits = db
      .prepare<{ upstream: string }, Limits>(`
        SELECT last_start AS lastStart, blocked_since AS blockedSince, blocked_until AS blockedUntil
        FROM rate_limit WHERE upstream = @upstream`)
      .get({ upstream });
    return limits ?? { lastStart: 0, blockedSince: 0, blockedUntil: 0 };
  }

  function recordStart(at: number): void {
    db.prepare(`
      INSERT INTO rate_limit (upstream, last_start, blocked_since, blocked_until)
      VALUES (@upstream, @at, 0, 0)
      ON CONFLICT (upstream) DO UPDATE SET last_start = excluded.last_start`).run({ upstream, at });
  }

  function retryAfter(): number {
    const { blockedSince, blockedUntil } = readLimits();
    const left = blockedUntil - time();
    // Ignore a block that starts in the future: it came from a clock that was ahead.
    return blockedSince <= time() && left > 0 && left <= LONGEST_BLOCK_MS ? left : 0;
  }

  function waitLeft(intervalMs: number): number {
    const { lastStart } = readLimits();
    // The clock was set back: wait one whole interval from now on.
    if (lastStart > time()) recordStart(time());
    return Math.max(Math.min(lastStart, time()) + intervalMs - time(), retryAfter());
  }

  return {
    retryAfter,

    blockFor(ms: number): void {
      const at = time();
      db.prepare(`
        INSERT INTO rate_limit (upstream, last_start, blocked_since, blocked_until)
        VALUES (@upstream, 0, @at, @until)
        ON CONFLICT (upstream) DO UPDATE SET
          blocked_since = excluded.blocked_since, blocked_until = excluded.blocked_until
        WHERE NOT (blocked_since <= @at AND blocked_until BETWEEN @until AND @longest)`).run({
        upstream,
        at,
        until: at + Math.min(ms, LONGEST_BLOCK_MS),
        longest: at + LONGEST_BLOCK_MS,
      });
    },

    async run<T>(intervalMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      const startIfFree = async () => {
        if (waitLeft(intervalMs) > 0) return undefined;
        const { lastStart } = readLimits();
        recordStart(time());
        try {
          return { result: await work() };
        } catch (error) {
          if (isUnsent(error)) recordStart(lastStart);
          throw error;
        }
      };
      for (;;) {
        // Wait outside the lock, so that a caller with a shorter interval can go first.
        await pause(waitLeft(intervalMs), signal);
        const done = await withProcessLock(lockPath, startIfFree, { signal });
        if (done !== undefined) return done.result;
      }
    },
  };
}
