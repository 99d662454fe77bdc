import type { Database } from 'better-sqlite3';
import {
  emptySummary,
  type HarvestOptions,
  type HarvestSummary,
  harvest,
} from '../../src/areas/papers/harvest.ts';
import { createArxivSource } from '../../src/areas/papers/source.ts';
import { createHttpClient } from '../../src/upstream/client.ts';
import { type StandInOptions, startArxiv } from './arxiv.ts';
import type { StandInPaper } from './arxiv-papers.ts';

/** OAI-PMH has no earlier day, so every datestamp of a test is later. */
const SINCE = '2005-09-16';

/** Fills a migrated store with papers of a set, as `quantshelf sync papers` does, without vectors. */
export async function syncPapers(
  db: Database,
  records: readonly StandInPaper[],
  { set = 'q-fin', now = () => new Date() }: { set?: string; now?: () => Date } = {},
): Promise<void> {
  const { source, close } = await startSource(now, { records, pageSize: 500 });
  const log = (line: string) => {
    throw new Error(`records of the stand-in cannot be read: ${line}`);
  };
  await runHarvest({ db, source, now, set, since: SINCE, log }).finally(close);
}

/** A stand-in for arXiv and a source that reads it; `now` is the clock of both. */
export async function startSource(now: () => Date, options: StandInOptions) {
  const arxiv = await startArxiv({ now, ...options });
  const client = createHttpClient({ userAgent: 'test', now, paceMs: 1, longestWaitMs: 1_000 });
  const close = async () => {
    await client.close();
    await arxiv.close();
  };
  return { arxiv, source: createArxivSource(client, arxiv.bases), close };
}

/** Runs a harvest without progress or log, of all of q-fin by default. */
export async function runHarvest(
  options: Pick<HarvestOptions, 'db' | 'source' | 'now'> & Partial<HarvestOptions>,
): Promise<HarvestSummary> {
  const summary = emptySummary();
  const quiet = { log: () => {}, startProgress: () => () => {}, describeFault: String };
  const { signal } = new AbortController();
  const all = { set: 'q-fin', since: undefined, limit: undefined };
  await harvest({ ...all, ...quiet, signal, ...options }, summary);
  return summary;
}
