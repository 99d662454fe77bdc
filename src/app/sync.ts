import { availableParallelism } from 'node:os';
import type { Database } from 'better-sqlite3';
import type { VenueName } from '../areas/markets/sources/venues.ts';
import type { Config } from '../config.ts';
import type { Area } from '../core/area.ts';
import { goOnline } from '../core/context.ts';
import { messageOf } from '../core/errors.ts';
import { type Embedder, loadEmbedder } from '../embedding/embedder.ts';
import type { FetchOptions } from '../embedding/fetch.ts';
import { findEmbedder } from '../embedding/files.ts';
import { MODEL_STAMP, PLATFORM_FAULT } from '../embedding/pinned.ts';
import { claimModel } from '../store/state.ts';
import { createReachability } from '../store/upstreams.ts';
import { acceptsConnection } from '../upstream/dispatcher.ts';
import type { Upstream } from './clients.ts';
import { downloadModel } from './model-download.ts';

/** Loads the code that syncs an area and lists its upstreams. */
export const SYNCS = {
  papers: () => import('./papers-online.ts'),
  macro: () => import('./macro-online.ts'),
  markets: () => import('./markets-online.ts'),
} as const satisfies Record<Area, unknown>;

/** Loads the model, after downloading it if needed and recording it as the model of the store's vectors. */
export async function loadModel(
  { config, db, isOnline }: { config: Config; db: Database; isOnline: boolean },
  watch: Pick<FetchOptions, 'signal' | 'onProgress'>,
  log: (line: string) => void,
): Promise<Embedder> {
  if (PLATFORM_FAULT !== null) throw new Error(PLATFORM_FAULT);
  const obtain = async () => {
    const stored = await findEmbedder(config);
    if (stored !== null || isOnline) return stored ?? downloadModel(config, watch, log);
    throw new Error(
      `The embedding model or its runtime is missing: ${goOnline(config.offline) || 'go online and '}run \`quantshelf model\`, or point QUANTSHELF_MODEL_DIR at a copy of both.`,
    );
  };
  const files = await obtain().catch((cause: unknown) => {
    const effect =
      'What was stored is found only by its words until you sync or add again with the model.';
    throw new Error(`${messageOf(cause)} ${effect}`, { cause });
  });
  claimModel(db, MODEL_STAMP);
  return loadEmbedder(files, { threads: availableParallelism() });
}

/** The upstreams that a sync of `areas` queries; of the venues only `venue`, if given. */
export async function listUpstreams(
  config: Config,
  db: Database,
  areas: readonly Area[],
  venue?: VenueName,
): Promise<Upstream[]> {
  const loaded = await Promise.all(areas.map((area) => SYNCS[area]()));
  return loaded.flatMap((each) => each.listUpstreams(config, db, venue));
}

/**
 * Connects in parallel to the upstreams and the model's hosts, and records for all processes which upstreams
 * accept the connection. Returns whether any host does. If packets are dropped, this takes ten seconds.
 */
export async function probeUpstreams(
  config: Config,
  db: Database,
  upstreams: readonly Upstream[],
): Promise<boolean> {
  const { hubUrl, npmUrl, proxy } = config;
  const results = await Promise.all([
    ...[hubUrl, npmUrl ?? []].flat().map((address) => acceptsConnection(new URL(address), proxy)),
    ...upstreams.map(async ([name, address]) => {
      const url = new URL(address);
      const accepts = await acceptsConnection(url, proxy);
      const reachability = createReachability(db, name, () => new Date());
      if (accepts) reachability.markConnected(url.host);
      else reachability.markUnreachable(url.host);
      return accepts;
    }),
  ]);
  return results.includes(true);
}
