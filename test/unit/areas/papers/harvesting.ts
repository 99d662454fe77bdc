import { onTestFinished } from 'vitest';
import type { HarvestOptions } from '../../../../src/areas/papers/harvest.ts';
import type { StandInOptions } from '../../../stand-ins/arxiv.ts';
import { runHarvest, startSource } from '../../../stand-ins/synced-papers.ts';
import { makeEmptyShelf } from './shelf.ts';

export type Harvesting = Awaited<ReturnType<typeof startHarvesting>>;

/** An empty shelf, and a stand-in for arXiv, until the test ends; `now` is our clock. */
export async function startHarvesting(now: () => Date, options: StandInOptions) {
  const db = makeEmptyShelf();
  const { arxiv, source, close } = await startSource(now, options);
  onTestFinished(close);
  return {
    db,
    arxiv,
    source,
    run: (more: Partial<HarvestOptions> = {}) => runHarvest({ db, source, now, ...more }),
  };
}
