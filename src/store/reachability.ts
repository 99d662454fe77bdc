import type { Database } from 'better-sqlite3';
import type { Migration } from './migrations.ts';

/** When hosts of the upstreams could not be connected to, and when they could again. */
export const reachabilityMigrations: readonly Migration[] = [
  {
    name: 'store-5-reachability',
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

/** How long a failure to connect is taken for lasting. */
const UNREACHABLE_MS = 60_000;

/** What is known about the hosts of one upstream, in every process that shares the store. */
export interface Reachability {
  /** True for a minute after connecting to `host` failed, unless it has succeeded since. */
  isUnreachable(host: string): boolean;
  /**
   * True for a minute after connecting to any host of the upstream failed, unless connecting to
   * one of them has succeeded since: what is down then is more likely the network than a host.
   */
  isUpstreamUnreachable(): boolean;
  /** Never throws, nor does `markConnected`. */
  markUnreachable(host: string): void;
  markConnected(host: string): void;
}

interface Contacts {
  failedAt: number | null;
  connectedAt: number | null;
}

/** `db` is writable. */
export function createReachability(db: Database, upstream: string, now: () => Date): Reachability {
  const time = () => now().getTime();

  /** The last failure and the last success; a time in the future is a clock's that was set back. */
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

  function write(host: string, { failedAt, connectedAt }: Contacts): void {
    try {
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
    } catch {
      // The store is busy or full. What is lost is a hint, and the request matters more.
    }
  }

  return {
    isUnreachable: isDown,
    isUpstreamUnreachable: () => isDown(null),
    markUnreachable(host) {
      write(host, { failedAt: time(), connectedAt: null });
    },
    markConnected(host) {
      // Most requests succeed after others that did: those need no write.
      if (isDown(host) || isDown(null)) write(host, { failedAt: null, connectedAt: time() });
    },
  };
}
