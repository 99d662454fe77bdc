import { availableParallelism } from 'node:os';
import type { Database } from 'better-sqlite3';
import type { Config } from '../config.ts';
import type { Area } from '../core/area.ts';
import { type Embedder, loadEmbedder } from '../embedding/embedder.ts';
import type { FetchOptions } from '../embedding/fetch.ts';
import { findEmbedder } from '../embedding/files.ts';
import { MODEL_STAMP } from '../embedding/pinned.ts';
import { claimModel } from '../store/state.ts';
import { createReachability, liftBlock } from '../store/upstreams.ts';
import { acceptsConnection } from '../upstream/dispatcher.ts';
import type { Upstream } from './clients.ts';
import { downloadModel } from './model-download.ts';

/** Loads the code that syncs an area and lists its upstreams. */
export const SYNCS = {
  papers: () => import('./papers-online.ts'),
  macro: () => import('./macro-online.ts'),
  markets: () => import('./markets-online.ts'),
} as const satisfies Record<Area, unknown>;

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
      'The embedding model or ONNX Runtime is missing, and cannot be downloaded without a network.',
    );
  }
  const files = stored ?? (await downloadModel(config, watch, log));
  claimModel(db, MODEL_STAMP);
  return loadEmbedder(files, { threads: availableParallelism() });
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
  const results = await Promise.all([
    ...[hubUrl, npmUrl ?? []].flat().map((address) => acceptsConnection(new URL(address), proxy)),
    ...(await upstreamsOf(areas, config, db)).map(async ([name, address]) => {
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
export async function liftBlocks(
  config: Config,
  db: Database,
  areas: readonly Area[],
): Promise<void> {
  for (const [name] of await upstreamsOf(areas, config, db)) liftBlock(db, name);
}

async function upstreamsOf(
  areas: readonly Area[],
  config: Config,
  db: Database,
): Promise<Upstream[]> {
  const loaded = await Promise.all(areas.map((area) => SYNCS[area]()));
  return loaded.flatMap(({ listUpstreams }) => listUpstreams(config, db));
}
