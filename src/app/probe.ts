import type { Database } from 'better-sqlite3';
import { AGENCY_NAMES } from '../areas/macro/agencies/feed.ts';
import { venuesOf } from '../areas/markets/pulls.ts';
import { listPulls } from '../areas/markets/queries.ts';
import type { Config } from '../config.ts';
import type { Area } from '../core/area.ts';
import { createReachability, liftBlock } from '../store/upstreams.ts';
import { acceptsConnection } from '../upstream/dispatcher.ts';
import type { UpstreamName } from './clients.ts';

/**
 * Connects to the hosts that a sync of `areas` asks first, and to those of the model, all at once, and
 * records for every process which of them accept. Returns whether any does. Takes ten seconds where
 * packets are dropped; requests would find it out one by one.
 */
export async function probeUpstreams(
  config: Config,
  db: Database,
  areas: readonly Area[],
): Promise<boolean> {
  const now = () => new Date();
  const { hubUrl, npmUrl, proxy } = config;
  const upstreams = areas.flatMap((area) => upstreamsOf(config, db)[area]);
  const answers = await Promise.all([
    ...[hubUrl, npmUrl].map((address) => acceptsConnection(new URL(address), proxy)),
    ...upstreams.map(async ([name, address]) => {
      const url = new URL(address);
      const accepts = await acceptsConnection(url, proxy);
      const reachability = createReachability(db, name, now);
      if (accepts) reachability.markConnected(url.host);
      else reachability.markUnreachable(url.host);
      return accepts;
    }),
  ]);
  return answers.includes(true);
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
