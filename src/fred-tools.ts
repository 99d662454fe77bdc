import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { createFredSource, FredRequestError, type FredSource } from './areas/macro/source.ts';
import type { Config } from './config.ts';
import { createGate } from './store/gate.ts';
import { createReachability, type Reachability } from './store/reachability.ts';
import { isUnsent } from './upstream/errors.ts';
import { userAgent } from './upstream/http.ts';
import { createPoliteClient, type PoliteClientOptions } from './upstream/polite-client.ts';
import { VERSION } from './version.ts';

export type Patience = Pick<
  PoliteClientOptions,
  | 'longestWaitMs'
  | 'tries'
  | 'faultMs'
  | 'deadlineMs'
  | 'connectMs'
  | 'reconnectMs'
  | 'failFast'
  | 'onPause'
>;

/** Someone waits for the answer: a fault is met with one more try, soon or not at all. */
export const OF_A_CALL: Patience = {
  longestWaitMs: 6_000,
  tries: 2,
  faultMs: 500,
  deadlineMs: 30_000,
  connectMs: 3_000,
  reconnectMs: 250,
  failFast: true,
};

export interface FredTools {
  source: FredSource;
  reachability: Reachability;
  close(): Promise<void>;
}

/**
 * What asks FRED with the user's own key, or null where the key cannot be one. `db` is writable: it
 * keeps the pauses for all processes.
 */
export function openFred(config: Config, db: Database, patience: Patience): FredTools | null {
  const now = () => new Date();
  const reachability = createReachability(db, 'fred', now);
  const client = createPoliteClient({
    userAgent: userAgent(VERSION),
    gate: createGate(db, 'fred', join(config.home, 'fred.lock'), now, isUnsent),
    reachability,
    now,
    paceMs: config.paceMs,
    proxy: config.proxy,
    ...patience,
  });
  try {
    const { fredUrl: baseUrl, fredKey: apiKey = '', paceMs } = config;
    const source = createFredSource(client, { baseUrl, apiKey, paceMs });
    return { source, reachability, close: client.close };
  } catch (error) {
    if (error instanceof FredRequestError) return null;
    throw error;
  }
}
