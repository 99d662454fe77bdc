import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { createPolymarketSource, type PolymarketSource } from './areas/markets/source.ts';
import type { Config } from './config.ts';
import { createGate } from './store/gate.ts';
import { userAgent } from './upstream/http.ts';
import { createPoliteClient, type PoliteClientOptions } from './upstream/polite-client.ts';
import { VERSION } from './version.ts';

/** What asks Polymarket. `db` is writable: it keeps the pauses for all processes. */
export function openPolymarket(
  config: Config,
  db: Database,
  patience: Pick<PoliteClientOptions, 'longestWaitMs' | 'tries' | 'faultMs' | 'onPause'>,
): { source: PolymarketSource; close(): Promise<void> } {
  const now = () => new Date();
  const client = createPoliteClient({
    userAgent: userAgent(VERSION),
    gate: createGate(db, 'polymarket', join(config.home, 'polymarket.lock'), now),
    now,
    paceMs: config.paceMs,
    proxy: config.proxy,
    ...patience,
  });
  const { polymarketUrl: baseUrl, paceMs } = config;
  return { source: createPolymarketSource(client, { baseUrl, paceMs }), close: client.close };
}
