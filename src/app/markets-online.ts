import type { Database } from 'better-sqlite3';
import type { OpenVenue } from '../areas/markets/sources/venue.ts';
import { VENUES, type VenueName } from '../areas/markets/sources/venues.ts';
import type { Config } from '../config.ts';
import { type Client, connect, type Patience } from './clients.ts';

/** Opens the venues with these names, whose clients are loaded only now. */
export function openVenues(
  names: readonly VenueName[],
  config: Config,
  db: Database,
  patience: Patience,
): Promise<Client<OpenVenue>[]> {
  const venues = VENUES.filter(({ name }) => names.includes(name));
  return Promise.all(
    venues.map(async ({ name, title, load }) => {
      const venue = await load();
      const { client, reachability } = connect(name, config, db, patience);
      const options = { baseUrl: config.venues[name], paceMs: config.paceMs };
      const source = { name, title, ...venue.connect(client, options) };
      return { source, reachability, close: client.close };
    }),
  );
}
