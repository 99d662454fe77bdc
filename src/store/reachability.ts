import type { Database } from 'better-sqlite3';
import type { Migration } from './migrations.ts';

/** When connecting to each host of an upstream last failed and last succeeded. */
export const reachabilityMigrations: readonly Migration[] = [
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

/** How long a failure to connect counts. */
const UNREACHABLE_MS = 60_000;

export type Reachability = ReturnType<typeof createReachability>;

/** What every process on the store knows about the hosts of one upstream; `db` is writable. */
export function createReachability(db: Database, upstream: string, now: () => Date) {
  const time = () => now().getTime();

  /** Times in the future do not count: they came from a clock that was ahead. */
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
    db.prepare(`
      INSERT INTO host_reachability (upstream, host, ${column}) VALUES (@upstream, @host, @at)
      ON CONFLICT (upstream, host) DO UPDATE SET ${column} = excluded.${column}`).run({
      upstream,
      host,
      at: time(),
    });
  }

  function attempt(work: () => void): void {
    try {
      work();
    } catch {
      // Only a hint is lost when the store is busy, full or damaged; the request matters more.
    }
  }

  return {
    /** Whether connecting to `host` failed within the last minute and has not succeeded since. */
    isUnreachable: (host: string) => isDown(host),
    /**
     * The same for all hosts of the upstream together: one failure counts, since the network is more
     * likely down than a host, and so does one later success.
     */
    isUpstreamUnreachable: () => isDown(null),
    markUnreachable: (host: string) => attempt(() => record('failed_at', host)),
    markConnected(host: string): void {
      // Most requests follow others that succeeded and need no write.
      attempt(() => {
        if (isDown(host) || isDown(null)) record('connected_at', host);
      });
    },
  };
}
