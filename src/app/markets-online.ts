import type { Database } from 'better-sqlite3';
import type { OpenVenue } from '../areas/markets/sources/venue-client.ts';
import { VENUES, type VenueName } from '../areas/markets/sources/venues.ts';
import type { Config } from '../config.ts';
import { type Client, connect, type Patience } from './clients.ts';

/** Opens the venues with these names, whose clients are loaded only now. */
export async function openVenues(
  names: readonly VenueName[],
  config: Config,
  db: Database,
  patience: Patience,
): Promise<Client<OpenVenue>[]> {
  const chosen = VENUES.filter(({ name }) => names.includes(name));
  const venues = await Promise.all(
    chosen.map(async ({ name, title, load }) => ({ name, title, open: (await load()).connect })),
  );
  return venues.map(({ name, title, open }) => {
    const { client, reachability } = connect(name, config, db, patience);
    const venue = open(client, { baseUrl: config.venues[name], paceMs: config.paceMs });
    return { source: { name, title, ...venue }, reachability, close: client.close };
  });
}
