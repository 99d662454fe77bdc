import type { Database } from 'better-sqlite3';
import type { OpenVenue } from '../areas/markets/sources/venue.ts';
import { VENUES, type VenueName } from '../areas/markets/sources/venues.ts';
import type { Config } from '../config.ts';
import { type Client, connect, type Patience } from './clients.ts';

export function openVenues(
  names: readonly VenueName[],
  config: Config,
  db: Database,
  patience: Patience,
): Client<OpenVenue>[] {
  return VENUES.filter(({ name }) => names.includes(name)).map(({ name, title, ...venue }) => {
    const { client, reachability } = connect(name, config, db, patience);
    const options = { baseUrl: config.venues[name], paceMs: config.paceMs };
    const source = { name, title, ...venue.connect(client, options) };
    return { source, reachability, close: client.close };
  });
}
