import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { AgencyName } from '../areas/macro/facts/agencies.ts';
import type { VenueName } from '../areas/markets/sources/venues.ts';
import type { Config } from '../config.ts';
import type { VectorTools } from '../core/area.ts';
import { createRateLimiter, createReachability, type Reachability } from '../store/upstreams.ts';
import { createHttpClient, type HttpClientOptions, userAgent } from '../upstream/client.ts';
import { VERSION } from './built.ts';

/** How long to wait and how often to retry. */
export type Patience = Omit<
  HttpClientOptions,
  'userAgent' | 'rateLimiter' | 'reachability' | 'now' | 'paceMs' | 'proxy'
>;

/** For a call that the user waits for: one quick retry. */
export const CALL_PATIENCE = {
  longestWaitMs: 6_000,
  tries: 2,
  faultMs: 500,
  deadlineMs: 30_000,
  connectMs: 3_000,
  failFast: 'always',
} as const satisfies Patience;

/** For a sync: patient with a slow upstream, but not with a host that accepts no connections. */
export function syncPatience(onPause: SyncRun['onPause']): Patience {
  return {
    failFast: 'until_connected',
    longestWaitMs: 10 * 60_000,
    // A host that accepts a connection and stays silent for this long counts as down.
    firstResponseMs: 15_000,
    onPause,
  };
}

/** The name under which the store keeps an upstream's rate limit and reachability. */
type UpstreamName = 'arxiv' | 'fred' | VenueName | AgencyName;

/** An upstream, with the base URL of a sync's first request. */
export type Upstream = readonly [name: UpstreamName, address: string];

export interface Client<Source> {
  source: Source;
  reachability: Reachability;
  /** Closes the connections; requests in flight fail. */
  close(): Promise<void>;
}

/** Input of each area's sync. */
export interface SyncRun {
  config: Config;
  tools: VectorTools;
  /** Called for each pause, with its reason and its length in milliseconds. */
  onPause(reason: string, ms: number): void;
}

export interface RefresherOptions {
  config: Config;
  /** Only a server works in the background. */
  mode: 'server' | 'one-shot';
  /** A writable connection. */
  db: Database;
  /** Embeds new papers in the background. */
  embedLater(): void;
  now(): Date;
  log(line: string): void;
}

export interface Online<Refresher> {
  refresher: Refresher;
  /** Aborts running refreshes, then closes the connections. */
  close(): Promise<void>;
}

/** A client for one upstream, whose rate limit all processes on the store share. */
export function connect(
  name: UpstreamName,
  config: Config,
  db: Database,
  patience: Patience,
  contact?: string,
) {
  const now = () => new Date();
  const reachability = createReachability(db, name, now);
  const lockPath = join(config.home, `${name}.lock`);
  const rateLimiter = createRateLimiter(db, name, lockPath, now);
  const client = createHttpClient({
    userAgent: userAgent(VERSION, contact),
    rateLimiter,
    reachability,
    now,
    paceMs: config.paceMs,
    proxy: config.proxy,
    ...patience,
  });
  return { client, rateLimiter, reachability };
}

/** Runs `work`, then closes the clients that it passed to `closing`. */
export async function withClients<T>(
  work: (closing: <C extends { close(): Promise<void> }>(client: C) => C) => Promise<T>,
): Promise<T> {
  const opened: { close(): Promise<void> }[] = [];
  try {
    return await work((client) => {
      opened.push(client);
      return client;
    });
  } finally {
    for (const each of opened) await each.close();
  }
}
