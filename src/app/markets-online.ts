import type { Database } from 'better-sqlite3';
import { createPolymarket } from '../areas/markets/sources/polymarket.ts';
import type { Venue } from '../areas/markets/sources/venue.ts';
import type { Config } from '../config.ts';
import { type Client, connect, type Patience } from './clients.ts';

export function openPolymarket(config: Config, db: Database, patience: Patience): Client<Venue> {
  const { client, reachability } = connect('polymarket', config, db, patience);
  const { polymarketUrl: baseUrl, paceMs } = config;
  const source = createPolymarket(client, { baseUrl, paceMs });
  return { source, reachability, close: client.close };
}
