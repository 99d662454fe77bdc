import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { openAgencies, openAgencyFiles } from '../../app/agencies.ts';
import { type FeedOutcome, refreshFeed } from '../../areas/macro/agencies/refresh.ts';
import { listRefreshStates } from '../../areas/macro/queries.ts';
import { isDue } from '../../areas/macro/vintages/due.ts';
import { withProcessLock } from '../../store/lock.ts';
import type { SyncRun } from './sync-run.ts';

/** Agencies are asked once more after a failure; whoever wants longer pauses is left for later. */
const PATIENCE = {
  ...{ longestWaitMs: 10_000, tries: 2, faultMs: 2_000, reconnectMs: 250 },
  // Each agency has several files, and one of them tells whether its host can be reached.
  failFast: 'always',
} as const;

/**
 * Asks the agencies for every series that is due, each feed alone. With `keepsRetry` FRED is tried
 * again at the time that its own failure set. Rejects with the signal's reason.
 */
export async function syncAgencies(
  { config, signal, log }: SyncRun,
  db: Database,
  keepsRetry: boolean,
): Promise<FeedOutcome> {
  const agencies = [openAgencies(config, db, PATIENCE), openAgencyFiles(config, db, PATIENCE)];
  const now = () => new Date();
  const all: FeedOutcome = {
    changed: [],
    unchanged: [],
    failed: [],
    fault: null,
  };
  try {
    for (const feed of agencies.flatMap(({ feeds }) => feeds)) {
      const lockPath = join(config.home, `macro-${feed.name}.lock`);
      const work = async () => {
        const states = listRefreshStates(db).filter((s) => feed.seriesIds.includes(s.seriesId));
        if (!states.some(({ nextDue }) => isDue(nextDue, now()))) {
          all.unchanged.push(...feed.seriesIds);
          return;
        }
        const one = await refreshFeed({ db, now, log }, feed, { signal, keepsRetry });
        all.changed.push(...one.changed);
        all.unchanged.push(...one.unchanged);
        all.failed.push(...one.failed);
        all.fault ??= one.fault;
      };
      await withProcessLock(lockPath, work, { signal });
    }
  } finally {
    await Promise.all(agencies.map(({ close }) => close()));
  }
  return all;
}
