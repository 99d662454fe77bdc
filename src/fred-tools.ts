import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { createFredSource, FredRequestError, type FredSource } from './areas/macro/source.ts';
import type { Config } from './config.ts';
import { createGate } from './store/gate.ts';
import { userAgent } from './upstream/http.ts';
import { createPoliteClient, type PoliteClientOptions } from './upstream/polite-client.ts';
import { VERSION } from './version.ts';

export type Patience = Pick<
  PoliteClientOptions,
  'longestWaitMs' | 'tries' | 'faultMs' | 'deadlineMs' | 'awayMs' | 'onPause'
>;

/** Someone waits for the answer: a fault is met with one more try, soon or not at all. */
export const OF_A_CALL: Patience = {
  longestWaitMs: 6_000,
  tries: 2,
  faultMs: 500,
  deadlineMs: 30_000,
  awayMs: 60_000,
};

export interface FredTools {
  source: FredSource;
  close(): Promise<void>;
}

/**
 * What asks FRED with the user's own key, or null where the key cannot be one. `db` is writable: it
 * keeps the pauses for all processes.
 */
export function openFred(config: Config, db: Database, patience: Patience): FredTools | null {
  const now = () => new Date();
  const client = createPoliteClient({
    userAgent: userAgent(VERSION),
    gate: createGate(db, 'fred', join(config.home, 'fred.lock'), now),
    now,
    paceMs: config.paceMs,
    proxy: config.proxy,
    ...patience,
  });
  try {
    const { fredUrl: baseUrl, fredKey: apiKey = '', paceMs } = config;
    return { source: createFredSource(client, { baseUrl, apiKey, paceMs }), close: client.close };
  } catch (error) {
    if (error instanceof FredRequestError) return null;
    throw error;
  }
}
