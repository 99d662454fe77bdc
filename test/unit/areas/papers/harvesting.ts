import type { Database } from 'better-sqlite3';
import type { HarvestOptions, HarvestSummary } from '../../../../src/areas/papers/harvest.ts';
import { type ArxivSource, createArxivSource } from '../../../../src/areas/papers/source.ts';
import { createHttpClient } from '../../../../src/upstream/client.ts';
import { type StandIn, type StandInOptions, startArxiv } from '../../../stand-ins/arxiv.ts';
import { runHarvest } from '../../../stand-ins/synced-papers.ts';
import { makeEmptyShelf } from './shelf.ts';

export interface Harvesting {
  db: Database;
  arxiv: StandIn;
  source: ArxivSource;
  run(options?: Partial<HarvestOptions>): Promise<HarvestSummary>;
  close(): Promise<void>;
}

/** An empty shelf, and a stand-in for arXiv; `now` is our clock. */
export async function startHarvesting(
  now: () => Date,
  options: StandInOptions,
): Promise<Harvesting> {
  const { db, remove } = makeEmptyShelf();
  const arxiv = await startArxiv({ now, ...options });
  const client = createHttpClient({ userAgent: 'test', now, paceMs: 1, longestWaitMs: 1_000 });
  const source = createArxivSource(client, arxiv.bases);
  return {
    db,
    arxiv,
    source,
    run: (more = {}) => runHarvest({ db, source, now, ...more }),
    async close() {
      await client.close();
      await arxiv.close();
      remove();
    },
  };
}
