import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { AGENCIES, AGENCY_NAMES, type AgencyName } from '../areas/macro/facts/agencies.ts';
import { createMacroRefresher, type MacroRefresher, type Origin } from '../areas/macro/refresh.ts';
import { createBlsFeed } from '../areas/macro/sources/bls.ts';
import { createFedBoardFeeds } from '../areas/macro/sources/fed-board.ts';
import type { Feed } from '../areas/macro/sources/feed.ts';
import { createTableFeeds } from '../areas/macro/sources/file-feeds.ts';
import {
  createFredSource,
  FredRequestError,
  type FredSource,
} from '../areas/macro/sources/fred.ts';
import { createNewYorkFedFeeds } from '../areas/macro/sources/new-york-fed.ts';
import { createTreasuryFeed } from '../areas/macro/sources/treasury.ts';
import { agencySource, fredSource } from '../areas/macro/visit.ts';
import type { Config } from '../config.ts';
import { HOUR_MS } from '../core/time.ts';
import { withProcessLock } from '../store/lock.ts';
import type { HttpClient } from '../upstream/client.ts';
import { isUnsent } from '../upstream/failures.ts';
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

/** Pause after a failed query: the BLS allows 25 queries a day, including failed ones. */
const BLS_PAUSE_MS = HOUR_MS;

type CreateFeeds = (client: HttpClient, options: { baseUrl: string }) => Feed[];

const FEEDS_OF: Record<AgencyName, CreateFeeds> = {
  bls: (client, options) => [createBlsFeed(client, options)],
  treasury: (client, options) => [createTreasuryFeed(client, options)],
  new_york_fed: createNewYorkFedFeeds,
  fed_board: createFedBoardFeeds,
  bea: (client, options) => createTableFeeds(client, 'bea', options),
  census: (client, options) => createTableFeeds(client, 'census', options),
  fhfa: (client, options) => createTableFeeds(client, 'fhfa', options),
};

/** Opens the agencies' clients: for a sync all of them, for a call only those with small responses. */
export function openAgencies(
  config: Config,
  db: Database,
  { patience, isSync }: { patience: Patience; isSync: boolean },
) {
  const names = AGENCY_NAMES.filter((name) => isSync || !AGENCIES[name].synced);
  const opened = names.map((name) => {
    const { client, rateLimiter, reachability } = connect(name, config, db, patience);
    const feeds = FEEDS_OF[name](client, { baseUrl: config.agencies[name] });
    const pause = () => rateLimiter.blockFor(BLS_PAUSE_MS);
    return {
      name,
      feeds: name === 'bls' ? feeds.map((feed) => pauseAfterFailure(feed, pause)) : feeds,
      isUnreachable: reachability.isUpstreamUnreachable,
      close: client.close,
    };
  });
  return {
    feeds: opened.flatMap(({ feeds }) => feeds),
    isUnreachable: (agency: AgencyName) =>
      opened.some((one) => one.name === agency && one.isUnreachable()),
    async close() {
      await Promise.all(opened.map(({ close }) => close()));
    },
  };
}

function pauseAfterFailure(feed: Feed, pause: () => void): Feed {
  return {
    ...feed,
    async fetch(stored, today, signal) {
      try {
        return await feed.fetch(stored, today, signal);
      } catch (error) {
        if (!signal.aborted && !isUnsent(error)) pause();
        throw error;
      }
    },
  };
}

/** Throws a FredRequestError when the user's key is malformed. */
export function openFred(config: Config, db: Database, patience: Patience): Client<FredSource> {
  const { client, reachability } = connect('fred', config, db, patience);
  const { fredUrl: baseUrl, fredKey: apiKey = '' } = config;
  const source = createFredSource(client, { baseUrl, apiKey });
  return { source, reachability, close: client.close };
}

/** FRED if there is a key, else the agencies. */
function openOrigin(
  config: Config,
  db: Database,
): { origin: Origin | 'bad_key'; close(): Promise<void> } {
  if (config.fredKey === undefined) {
    const options = { patience: CALL_PATIENCE, isSync: false };
    const { feeds, isUnreachable, close } = openAgencies(config, db, options);
    const sources = feeds.map(agencySource);
    const origin: Origin = {
      sourceOf: (seriesId) => sources.find(({ seriesIds }) => seriesIds.includes(seriesId)),
      isUnreachable: ({ feed }) => feed !== undefined && isUnreachable(feed.agency),
    };
    return { origin, close };
  }
  try {
    const { source: fred, reachability, close } = openFred(config, db, CALL_PATIENCE);
    const sourceOf = (seriesId: string) => fredSource(fred, seriesId);
    return { origin: { sourceOf, isUnreachable: reachability.isUpstreamUnreachable }, close };
  } catch (error) {
    if (!(error instanceof FredRequestError)) throw error;
    return { origin: 'bad_key', close: async () => {} };
  }
}

export function openMacro(options: RefresherOptions): Online<MacroRefresher> {
  const { config, db } = options;
  const { origin, close } = openOrigin(config, db);
  const refresher = createMacroRefresher({
    ...options,
    origin,
    alone: (name, work, signal) =>
      withProcessLock(join(config.home, `${name}.lock`), work, { signal }),
  });
  return { refresher, close: () => refresher.close().then(close) };
}

export function listUpstreams({ fredKey, fredUrl, agencies }: Config): Upstream[] {
  const ofAgencies = AGENCY_NAMES.map((name) => [name, agencies[name]] as const);
  return fredKey === undefined ? ofAgencies : [['fred', fredUrl], ...ofAgencies];
}

/** One retry; an agency that asks for a pause of more than 10 s is left to the next sync. */
const AGENCY_PATIENCE = {
  longestWaitMs: 10_000,
  tries: 2,
  faultMs: 2_000,
  // An agency publishes several files: if its host is unreachable, skip the rest.
  failFast: 'always',
} as const satisfies Patience;

export async function sync({ config, tools, onPause }: SyncRun) {
  const { syncMacro } = await import('../areas/macro/sync.ts');
  const { db, signal } = tools;
  return withClients((closing) => {
    const askFred = () =>
      closing(openFred(config, db, { ...syncPatience(onPause), tries: 3 })).source;
    return syncMacro({
      ...tools,
      alone: (name, work) => withProcessLock(join(config.home, `${name}.lock`), work, { signal }),
      openFred: config.fredKey === undefined ? null : askFred,
      openFeeds: () =>
        closing(openAgencies(config, db, { patience: AGENCY_PATIENCE, isSync: true })).feeds,
    });
  });
}
