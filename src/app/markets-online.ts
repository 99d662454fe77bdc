import type { Database } from 'better-sqlite3';
import { createKalshi } from '../areas/markets/sources/kalshi.ts';
import { createPolymarket } from '../areas/markets/sources/polymarket.ts';
import type { Venue, VenueName } from '../areas/markets/sources/venue.ts';
import type { Config } from '../config.ts';
import { type Client, connect, type Patience } from './clients.ts';

export function openVenue(
  name: VenueName,
  config: Config,
  db: Database,
  patience: Patience,
): Client<Venue> {
  const { client, reachability } = connect(name, config, db, patience);
  const { polymarketUrl, kalshiUrl, paceMs } = config;
  const source =
    name === 'kalshi'
      ? createKalshi(client, { baseUrl: kalshiUrl, paceMs })
      : createPolymarket(client, { baseUrl: polymarketUrl, paceMs });
  return { source, reachability, close: client.close };
}
