import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { AGENCY_NAMES } from '../areas/macro/facts/agencies.ts';
import { chooseVenues } from '../areas/markets/pulls.ts';
import { listPulls } from '../areas/markets/queries.ts';
import { VENUES, type Venue, type VenueName, venuesOf } from '../areas/markets/sources/venues.ts';
import type { PapersSync } from '../areas/papers/sync.ts';
import type { Config } from '../config.ts';
import type { Area, SyncReport, SyncTools } from '../core/area.ts';
import { REMEDIES, storeFaultOf } from '../core/disk.ts';
import { codeOf, messageOf } from '../core/errors.ts';
import { type Embedder, loadEmbedder } from '../embedding/embedder.ts';
import type { FetchOptions } from '../embedding/fetch.ts';
import { findEmbedder } from '../embedding/files.ts';
import { MODEL_STAMP } from '../embedding/pinned.ts';
import { withProcessLock } from '../store/lock.ts';
import { claimModel } from '../store/state.ts';
import { createReachability, liftBlock } from '../store/upstreams.ts';
import { acceptsConnection } from '../upstream/dispatcher.ts';
import { HttpError } from '../upstream/failures.ts';
import { PAPER_PARSER } from './built.ts';
import type { Patience, UpstreamName } from './clients.ts';
import { downloadModel } from './model-download.ts';

export interface SyncOptions {
  papers: Pick<PapersSync, 'set' | 'since' | 'limit' | 'fullText'>;
  markets: {
    /** The only venue to query; undefined for all that are on. */
    venue: VenueName | undefined;
    /**
     * Set when a server refreshes its odds: all events, or only these ids. When unset, `venue` also turns
     * that venue on, or turns the optional ones off.
     */
    refresh: 'full' | readonly number[] | undefined;
  };
  /** Ignore the pauses that upstreams asked for. */
  force: boolean;
}

export interface SyncRun {
  config: Config;
  options: SyncOptions;
  tools: SyncTools;
  /** Called for each pause, with its reason and its length in milliseconds. */
  onPause(reason: string, ms: number): void;
}

/** Unlike a sync of papers, one of markets has no checkpoint to resume from. */
const STOPPED = 'Stopped. Fetched data is kept; the next sync of markets starts over.';

/** The sync of each area, which loads the area's code on demand. */
export const SYNCS = {
  async papers({ config, options, tools, onPause }: SyncRun) {
    const [{ openArxiv }, { createParser }, { syncPapers }] = await Promise.all([
      import('./papers-online.ts'),
      import('../areas/papers/full-text/parser.ts'),
      import('../areas/papers/sync.ts'),
    ]);
    return withClients((closing) =>
      syncPapers({
        ...tools,
        ...options.papers,
        source: closing(openArxiv(config, tools.db, patience(onPause))).source,
        parse: createParser(PAPER_PARSER),
        describeFault: (error) => describeFailure(error, config.home),
      }),
    );
  },

  async macro({ config, tools, onPause }: SyncRun) {
    const [{ openAgencies, openFred }, { syncMacro }] = await Promise.all([
      import('./macro-online.ts'),
      import('../areas/macro/sync.ts'),
    ]);
    const { db, signal } = tools;
    return withClients((closing) => {
      const askFred = () =>
        closing(openFred(config, db, { ...patience(onPause), tries: 3 })).source;
      return syncMacro({
        ...tools,
        alone: (name, work) => withProcessLock(join(config.home, `${name}.lock`), work, { signal }),
        openFred: config.fredKey === undefined ? null : askFred,
        openFeeds: () =>
          closing(openAgencies(config, db, { patience: AGENCIES, isSync: true })).feeds,
      });
    });
  },

  async markets({ config, options, tools, onPause }: SyncRun) {
    const { venue, refresh } = options.markets;
    const [{ syncMarkets }, { openVenue }] = await Promise.all([
      import('../areas/markets/sync.ts'),
      import('./markets-online.ts'),
    ]);
    const names = venue && refresh ? [venue] : chooseVenues(tools.db, venue);
    return withClients(async (closing) => {
      const open = async (each: Venue) =>
        closing(await openVenue(each, config, tools.db, patience(onPause))).source;
      const venues = await Promise.all(VENUES.filter(({ name }) => names.includes(name)).map(open));
      const served = typeof refresh === 'object' ? refresh : null;
      const report = await syncMarkets({ ...tools, venues, served });
      if (tools.signal.aborted && report.error !== null) report.error = STOPPED;
      return report;
    });
  },
};

/** Runs `work`, then closes the clients that it opened. */
async function withClients<T>(
  work: (closing: <C extends { close(): Promise<void> }>(client: C) => C) => Promise<T>,
): Promise<T> {
  const opened: { close(): Promise<void> }[] = [];
  try {
    return await work((client) => {
      opened.push(client);
      return client;
    });
  } finally {
    for (const each of opened) await each.close();
  }
}

/** A sync waits long for an upstream, but not for a host that accepts no connections. */
function patience(onPause: SyncRun['onPause']): Patience {
  return {
    failFast: 'until_connected',
    longestWaitMs: 10 * 60_000,
    // A host that accepts a connection and stays silent for this long is down.
    firstResponseMs: 15_000,
    onPause,
  };
}

/** One retry per agency; an agency that asks for a longer pause waits for the next sync. */
const AGENCIES = {
  longestWaitMs: 10_000,
  tries: 2,
  faultMs: 2_000,
  // An agency publishes several files; the first shows whether its host can be reached.
  failFast: 'always',
} as const;

/**
 * Loads the model on all cores, downloading it first if needed, and records it as the model of the store's
 * vectors.
 */
export async function loadModel(
  { config, db, isOnline }: { config: Config; db: Database; isOnline: boolean },
  watch: Pick<FetchOptions, 'signal' | 'onProgress'>,
  log: (line: string) => void,
): Promise<Embedder> {
  const stored = await findEmbedder(config);
  if (stored === null && !isOnline) {
    throw new Error(
      'The embedding model or ONNX Runtime is missing, and there is no network to download it.',
    );
  }
  const files = stored ?? (await downloadModel(config, watch, log));
  claimModel(db, MODEL_STAMP);
  return loadEmbedder(files, { threads: availableParallelism() });
}

/**
 * Runs one part of a sync unless the user has stopped the sync. The first failure goes into the report, which
 * is printed last; later ones are logged.
 */
export async function attempt(
  { home, signal, log }: { home: string; signal: AbortSignal; log(line: string): void },
  report: SyncReport,
  work: () => Promise<void>,
): Promise<void> {
  if (signal.aborted) return;
  try {
    await work();
  } catch (error) {
    const fault = describeFailure(signal.aborted ? signal.reason : error, home);
    if (report.error === null) report.error = fault;
    else log(fault);
  }
}

/** Describes a failure in our words, never SQLite's, for the terminal and for `status`. */
export function describeFailure(error: unknown, home: string): string {
  const fault = storeFaultOf(error, home);
  if (fault !== null) return REMEDIES[fault];
  const code = codeOf(error);
  if (code.startsWith('SQLITE_')) {
    return `The shelf could not be written (${code}). Run \`quantshelf doctor\` for details.`;
  }
  if (!(error instanceof HttpError)) return messageOf(error);
  const isWaiting = error.fault === 'rate_limited';
  return `${error.message}.${isWaiting ? ' `quantshelf sync --force` asks at once.' : ''}`;
}

/**
 * Connects in parallel to the hosts that a sync of `areas` asks first and to those of the model, and records
 * for all processes which of them accept. Returns whether any does. Where packets are dropped this takes ten
 * seconds in total, not per request.
 */
export async function probeUpstreams(
  config: Config,
  db: Database,
  areas: readonly Area[],
): Promise<boolean> {
  const now = () => new Date();
  const { hubUrl, npmUrl, proxy } = config;
  const upstreams = areas.flatMap((area) => upstreamsOf(config, db)[area]);
  const results = await Promise.all([
    ...[hubUrl, npmUrl ?? []].flat().map((address) => acceptsConnection(new URL(address), proxy)),
    ...upstreams.map(async ([name, address]) => {
      const url = new URL(address);
      const accepts = await acceptsConnection(url, proxy);
      const reachability = createReachability(db, name, now);
      if (accepts) reachability.markConnected(url.host);
      else reachability.markUnreachable(url.host);
      return accepts;
    }),
  ]);
  return results.includes(true);
}

/** Ends the pauses that the upstreams of `areas` asked for. */
export function liftBlocks(db: Database, areas: readonly Area[], config: Config): void {
  for (const area of areas) {
    for (const [name] of upstreamsOf(config, db)[area]) liftBlock(db, name);
  }
}

function upstreamsOf(
  { arxiv, fredKey, fredUrl, agencies, venues }: Config,
  db: Database,
): Record<Area, readonly (readonly [UpstreamName, string])[]> {
  return {
    papers: [['arxiv', arxiv.oaiUrl]],
    macro: [
      ...(fredKey === undefined ? [] : [['fred', fredUrl] as const]),
      ...AGENCY_NAMES.map((name) => [name, agencies[name]] as const),
    ],
    markets: venuesOf(listPulls(db)).map((name) => [name, venues[name]] as const),
  };
}
