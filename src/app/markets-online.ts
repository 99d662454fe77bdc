import type { Database } from 'better-sqlite3';
import { createKalshi } from '../areas/markets/sources/kalshi.ts';
import { createPolymarket } from '../areas/markets/sources/polymarket.ts';
import type { VenueName } from '../areas/markets/sources/venue.ts';
import type { Venue, VenueOptions } from '../areas/markets/sources/venue-lists.ts';
import type { Config } from '../config.ts';
import type { HttpClient } from '../upstream/http.ts';
import { type Client, connect, type Patience } from './clients.ts';

const VENUES: Readonly<Record<VenueName, (client: HttpClient, options: VenueOptions) => Venue>> = {
  polymarket: createPolymarket,
  kalshi: createKalshi,
};

export function openVenue(
  name: VenueName,
  config: Config,
  db: Database,
  patience: Patience,
): Client<Venue> {
  const { client, reachability } = connect(name, config, db, patience);
  const source = VENUES[name](client, { baseUrl: config.venues[name], paceMs: config.paceMs });
  return { source, reachability, close: client.close };
}
