import type { Database } from 'better-sqlite3';
import { pause } from '../core/time.ts';
import { withProcessLock } from './lock.ts';
import type { Migration } from './migrations.ts';

/** When each upstream last got a request, and until when it wants none. */
export const rateLimiterMigrations: readonly Migration[] = [
  {
    name: 'rate-limits-1',
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
const LONGEST_BLOCK_MS = 60 * 60_000;
/** No request lasts as long, so whoever holds the lock longer is none of our processes. */
const LONGEST_LOCK_MS = 10 * 60_000;

interface Limits {
  lastStart: number;
  blockedSince: number;
  blockedUntil: number;
}

/**
 * A rate limiter (see `upstream/http.ts`) for all processes that share the store. Its state
 * is in `db` (writable); the lock file at `lockPath` keeps requests from overlapping. A start is
 * recorded before the work, so that the interval is kept even if the process dies; it is undone after
 * an error that `isUnsent` says never reached the upstream.
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
    // Ignore a block that starts in the future: it came from a clock that was ahead.
    if (blockedSince > time()) return 0;
    return Math.max(0, Math.min(blockedUntil, blockedSince + LONGEST_BLOCK_MS) - time());
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
        const patience = { signal, longestMs: LONGEST_LOCK_MS };
        const done = await withProcessLock(lockPath, startIfFree, patience);
        if (done !== undefined) return done.result;
      }
    },
  };
}

/** An upstream that asked for a pause, or that failed and is left alone for a while. */
export interface Block {
  upstream: string;
  /** ISO 8601. */
  until: string;
}

/** The blocks in force, by upstream. */
export function listBlocks(db: Database, now: Date): Block[] {
  const rows = db
    .prepare<{ at: number; longest: number }, { upstream: string; until: number }>(`
      SELECT upstream, min(blocked_until, blocked_since + @longest) AS until
      FROM rate_limit
      WHERE blocked_since <= @at AND min(blocked_until, blocked_since + @longest) > @at
      ORDER BY upstream`)
    .all({ at: now.getTime(), longest: LONGEST_BLOCK_MS });
  return rows.map(({ upstream, until }) => ({ upstream, until: new Date(until).toISOString() }));
}

/** Ends the block of an upstream; the interval between requests still holds. */
export function liftBlock(db: Database, upstream: string): void {
  db.prepare('UPDATE rate_limit SET blocked_until = 0 WHERE upstream = @upstream').run({
    upstream,
  });
}
