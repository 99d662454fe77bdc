import type { Database } from 'better-sqlite3';
import { createEventRefresher, type EventRefresher } from '../areas/markets/event-refresh.ts';
import { listPulls } from '../areas/markets/queries.ts';
import type { OpenVenue } from '../areas/markets/sources/venue-client.ts';
import { type Venue, type VenueName, venuesOf } from '../areas/markets/sources/venues.ts';
import type { MarketsOptions } from '../areas/markets/sync.ts';
import type { Config } from '../config.ts';
import {
  CALL_PATIENCE,
  type Client,
  connect,
  type Online,
  type Patience,
  type RefresherOptions,
  type SyncRun,
  syncPatience,
  type Upstream,
  withClients,
} from './clients.ts';

async function openVenue(
  { name, title, load }: Venue,
  config: Config,
  db: Database,
  patience: Patience,
): Promise<Client<OpenVenue>> {
  const venue = await load();
  const { client, reachability } = connect(name, config, db, patience);
  const source = { name, title, ...venue.connect(client, { baseUrl: config.venues[name] }) };
  return { source, reachability, close: client.close };
}

/** Each venue is opened when one of its events is first read. */
export function openEvents({ config, db, now, log }: RefresherOptions): Online<EventRefresher> {
  const clients = new Map<VenueName, Promise<Client<OpenVenue>>>();
  const open = (venue: Venue) => {
    const client = clients.get(venue.name) ?? openVenue(venue, config, db, CALL_PATIENCE);
    clients.set(venue.name, client);
    return client;
  };
  const refresher = createEventRefresher({ db, open, now, log });
  return {
    refresher,
    async close() {
      await refresher.close();
      // A client that failed to open needs no closing, and its error has reached the caller.
      for (const client of clients.values()) await (await client.catch(() => null))?.close();
    },
  };
}

/** `chosen` is the only venue to query; undefined for all enabled ones. */
export function listUpstreams({ venues }: Config, db: Database, chosen?: VenueName): Upstream[] {
  const names = chosen === undefined ? venuesOf(listPulls(db)) : [chosen];
  return names.map((name) => [name, venues[name]]);
}

export async function sync({ config, tools, onPause }: SyncRun, options: MarketsOptions) {
  const { syncMarkets } = await import('../areas/markets/sync.ts');
  return withClients((closing) => {
    const open = async (venue: Venue) =>
      closing(await openVenue(venue, config, tools.db, syncPatience(onPause))).source;
    return syncMarkets({ ...tools, ...options, open });
  });
}
