import type { Database } from 'better-sqlite3';
import { HOUR_MS, pause } from '../core/time.ts';
import { write } from './connection.ts';
import { withProcessLock } from './lock.ts';
import type { Migration } from './migrations.ts';

/** The state of the upstreams, shared by all processes on the store. Frozen. */
export const upstreamMigrations: readonly Migration[] = [
  {
    name: 'rate-limits-1',
    sql: `
      CREATE TABLE rate_limit (
        upstream TEXT PRIMARY KEY,
        last_start INTEGER NOT NULL DEFAULT 0,    -- milliseconds since 1970; 0 for never
        blocked_until INTEGER NOT NULL DEFAULT 0  -- likewise
      ) STRICT`,
  },
  {
    name: 'reachability-1',
    sql: `
      CREATE TABLE host_reachability (
        upstream TEXT NOT NULL,
        host TEXT NOT NULL,             -- with its port, where it has one
        failed_at INTEGER NOT NULL DEFAULT 0,     -- milliseconds since 1970; 0 for never
        connected_at INTEGER NOT NULL DEFAULT 0,  -- likewise
        PRIMARY KEY (upstream, host)
      ) STRICT, WITHOUT ROWID`,
  },
];

/** Maximum length of a block, whatever the upstream asks for. */
const LONGEST_BLOCK_MS = HOUR_MS;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Creates a limiter that paces the requests of all processes on the store to an upstream. Its state is in `db`
 * (writable); the lock file at `lockPath` keeps requests from overlapping.
 */
export function createRateLimiter(
  db: Database,
  upstream: string,
  lockPath: string,
  now: () => Date,
) {
  const time = () => now().getTime();

  function readLimits(): { lastStart: number; blockedUntil: number } {
    const limits = db
      .prepare<{ upstream: string }, { lastStart: number; blockedUntil: number }>(`
        SELECT last_start AS lastStart, blocked_until AS blockedUntil
        FROM rate_limit WHERE upstream = @upstream`)
      .get({ upstream });
    return limits ?? { lastStart: 0, blockedUntil: 0 };
  }

  function recordStart(at: number): void {
    const save = db.prepare(`
      INSERT INTO rate_limit (upstream, last_start) VALUES (@upstream, @at)
      ON CONFLICT (upstream) DO UPDATE SET last_start = excluded.last_start`);
    write(db, () => save.run({ upstream, at }));
  }

  function retryAfter(): number {
    const remaining = readLimits().blockedUntil - time();
    // A longer block was written by a fast clock; ignore it.
    return remaining > LONGEST_BLOCK_MS ? 0 : Math.max(0, remaining);
  }

  function waitLeft(intervalMs: number): number {
    const passed = time() - readLimits().lastStart;
    // A start in the future was also written by a fast clock.
    return Math.max(passed < 0 ? 0 : intervalMs - passed, retryAfter());
  }

  return {
    /** Milliseconds until the block ends; 0 if there is none. */
    retryAfter,

    /** Blocks all requests for `ms` milliseconds, an hour at most, unless a longer block is in force. */
    blockFor(ms: number): void {
      const at = time();
      const save = db.prepare(`
        INSERT INTO rate_limit (upstream, blocked_until) VALUES (@upstream, @until)
        ON CONFLICT (upstream) DO UPDATE SET blocked_until = excluded.blocked_until
        WHERE blocked_until NOT BETWEEN @until AND @longest`);
      const until = at + Math.min(ms, LONGEST_BLOCK_MS);
      write(db, () => save.run({ upstream, until, longest: at + LONGEST_BLOCK_MS }));
    },

    /**
     * Runs `work`, such as a request, while no other runs, at least `intervalMs` milliseconds after the previous
     * one began, and after any block has ended. Aborting `signal` ends the wait, but does not interrupt `work`.
     */
    async run<T>(intervalMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      const startIfFree = async () => {
        if (waitLeft(intervalMs) > 0) return undefined;
        // Recorded first, so that the interval is kept even if the process dies.
        recordStart(time());
        return { result: await work() };
      };
      for (;;) {
        // Wait outside the lock, so that a caller with a shorter interval can go first.
        await pause(waitLeft(intervalMs), signal);
        const turn = await withProcessLock(lockPath, startIfFree, { signal });
        if (turn !== undefined) return turn.result;
      }
    },
  };
}

/** A pause that an upstream asked for, or that gives a failing upstream time to recover. */
export interface Block {
  upstream: string;
  /** ISO 8601. */
  until: string;
}

/** The blocks in force, by upstream. */
export function listBlocks(db: Database, now: Date): Block[] {
  const at = now.getTime();
  const rows = db
    .prepare<object, { upstream: string; until: number }>(`
      SELECT upstream, blocked_until AS until FROM rate_limit
      WHERE blocked_until > @at AND blocked_until <= @longest ORDER BY upstream`)
    .all({ at, longest: at + LONGEST_BLOCK_MS });
  return rows.map(({ upstream, until }) => ({ upstream, until: new Date(until).toISOString() }));
}

/** Lifts an upstream's block; the interval between requests still applies. */
export function liftBlock(db: Database, upstream: string): void {
  const lift = db.prepare('UPDATE rate_limit SET blocked_until = 0 WHERE upstream = @upstream');
  write(db, () => lift.run({ upstream }));
}

/** How long a failure to connect marks a host as unreachable. */
const UNREACHABLE_MS = 60_000;

export type Reachability = ReturnType<typeof createReachability>;

/** Creates a record of an upstream's reachable hosts, for all processes on the store; `db` is writable. */
export function createReachability(db: Database, upstream: string, now: () => Date) {
  const time = () => now().getTime();

  /** Whether `host`, or if null the upstream, is unreachable. Ignores future times, which a fast clock wrote. */
  function isDown(host: string | null): boolean {
    const at = time();
    const down = db
      .prepare<object, number | null>(`
        SELECT max(failed_at) > max(max(connected_at), @since) FROM host_reachability
        WHERE upstream = @upstream AND (@host IS NULL OR host = @host)
          AND failed_at <= @at AND connected_at <= @at`)
      .pluck()
      .get({ upstream, host, at, since: at - UNREACHABLE_MS });
    return down === 1;
  }

  function record(column: 'failed_at' | 'connected_at', host: string): void {
    const save = db.prepare(`
      INSERT INTO host_reachability (upstream, host, ${column}) VALUES (@upstream, @host, @at)
      ON CONFLICT (upstream, host) DO UPDATE SET ${column} = excluded.${column}`);
    write(db, () => save.run({ upstream, host, at: time() }));
  }

  function attempt(work: () => void): void {
    try {
      work();
    } catch {
      // If the store is busy, full or damaged, only a hint is lost; the request matters more.
    }
  }

  return {
    /** Whether connecting to `host` failed within the last minute and has not succeeded since. */
    isUnreachable: (host: string) => isDown(host),
    /**
     * Like `isUnreachable`, for the whole upstream: a host's failure, or a later success, counts for all hosts,
     * because the network is more likely to be down than a single host.
     */
    isUpstreamUnreachable: () => isDown(null),
    markUnreachable: (host: string) => attempt(() => record('failed_at', host)),
    markConnected(host: string): void {
      // Most requests follow a successful one and need no write.
      attempt(() => {
        if (isDown(host) || isDown(null)) record('connected_at', host);
      });
    },
  };
}
