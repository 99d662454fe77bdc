import type { Database } from 'better-sqlite3';
import {
  createPolymarketSource,
  type PolymarketSource,
} from '../areas/markets/sources/polymarket.ts';
import type { Config } from '../config.ts';
import { type Client, connect, type Patience } from './clients.ts';

export function openPolymarket(
  config: Config,
  db: Database,
  patience: Patience,
): Client<PolymarketSource> {
  const { client, reachability } = connect('polymarket', config, db, patience);
  const { polymarketUrl: baseUrl, paceMs } = config;
  const source = createPolymarketSource(client, { baseUrl, paceMs });
  return { source, reachability, close: client.close };
}
