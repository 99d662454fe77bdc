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
        failed_at INTEGER NOT NULL,     -- milliseconds since 1970; 0 for never
        connected_at INTEGER NOT NULL,  -- likewise
        PRIMARY KEY (upstream, host)
      ) STRICT, WITHOUT ROWID`,
  },
];

/** How long a failure to connect counts. */
const UNREACHABLE_MS = 60_000;

interface Contacts {
  failedAt: number | null;
  connectedAt: number | null;
}

export type Reachability = ReturnType<typeof createReachability>;

/** What every process on the store knows about the hosts of one upstream; `db` is writable. */
export function createReachability(db: Database, upstream: string, now: () => Date) {
  const time = () => now().getTime();

  /** Ignores times in the future: they came from a clock that was ahead. */
  function readContacts(host: string | null): Contacts | undefined {
    return db
      .prepare<{ upstream: string; host: string | null; at: number }, Contacts>(`
        SELECT max(failed_at) AS failedAt, max(connected_at) AS connectedAt
        FROM host_reachability
        WHERE upstream = @upstream AND (@host IS NULL OR host = @host)
          AND failed_at <= @at AND connected_at <= @at`)
      .get({ upstream, host, at: time() });
  }

  function isDown(host: string | null): boolean {
    const { failedAt, connectedAt } = readContacts(host) ?? {};
    const failed = failedAt ?? 0;
    return failed > (connectedAt ?? 0) && time() - failed < UNREACHABLE_MS;
  }

  function attempt(work: () => void): void {
    try {
      work();
    } catch {
      // Only a hint is lost when the store is busy, full or damaged; the request matters more.
    }
  }

  function write(host: string, { failedAt, connectedAt }: Contacts): void {
    db.prepare(`
        INSERT INTO host_reachability (upstream, host, failed_at, connected_at)
        VALUES (@upstream, @host, coalesce(@failedAt, 0), coalesce(@connectedAt, 0))
        ON CONFLICT (upstream, host) DO UPDATE SET
          failed_at = coalesce(@failedAt, failed_at),
          connected_at = coalesce(@connectedAt, connected_at)`).run({
      upstream,
      host,
      failedAt,
      connectedAt,
    });
  }

  return {
    /** Whether connecting to `host` failed within the last minute and has not succeeded since. */
    isUnreachable: (host: string) => isDown(host),
    /**
     * The same for all hosts of the upstream together: one failure counts, since the network is more
     * likely down than a host, and so does one later success.
     */
    isUpstreamUnreachable: () => isDown(null),
    markUnreachable(host: string): void {
      attempt(() => write(host, { failedAt: time(), connectedAt: null }));
    },
    markConnected(host: string): void {
      // Most requests follow others that succeeded and need no write.
      attempt(() => {
        if (isDown(host) || isDown(null)) write(host, { failedAt: null, connectedAt: time() });
      });
    },
  };
}
