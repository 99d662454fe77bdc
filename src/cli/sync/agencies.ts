import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { openAgencies } from '../../app/agencies.ts';
import type { AgencyName } from '../../areas/macro/agencies/feed.ts';
import { type FeedOutcome, refreshFeed } from '../../areas/macro/agencies/refresh.ts';
import { listRefreshStates } from '../../areas/macro/queries.ts';
import { isDue } from '../../areas/macro/vintages/due.ts';
import { withProcessLock } from '../../store/lock.ts';
import { CHECK_NETWORK, type SyncRun } from './sync-run.ts';

/** Agencies are asked once more after a failure; whoever wants longer pauses is left for later. */
const PATIENCE = {
  ...{ longestWaitMs: 10_000, tries: 2, faultMs: 2_000, reconnectMs: 250 },
  // Each agency has several files, and one of them tells whether its host can be reached.
  failFast: 'always',
} as const;

/** What became of the series of all agencies, and what went wrong, as one sentence. */
type AgencyReport = Omit<FeedOutcome, 'isUnreachable'>;

/**
 * Asks the agencies for every series that is due, each feed alone. With `keepsRetry` FRED is tried
 * again at the time that its own failure set. Rejects with the signal's reason.
 */
export async function syncAgencies(
  { config, signal, log }: SyncRun,
  db: Database,
  keepsRetry: boolean,
): Promise<AgencyReport> {
  const agencies = openAgencies(config, db, { patience: PATIENCE, isSync: true });
  const now = () => new Date();
  const dependencies = { db, now, log: onceEach(log) };
  const notDue: string[] = [];
  const outcomes: (FeedOutcome & { agency: AgencyName })[] = [];
  try {
    for (const feed of agencies.feeds) {
      const lockPath = join(config.home, `macro-${feed.name}.lock`);
      const work = async () => {
        const states = listRefreshStates(db).filter((s) => feed.seriesIds.includes(s.seriesId));
        if (!states.some(({ nextDue }) => isDue(nextDue, now()))) {
          notDue.push(...feed.seriesIds);
          return;
        }
        const outcome = await refreshFeed(dependencies, feed, { signal, keepsRetry });
        outcomes.push({ agency: feed.agency, ...outcome });
      };
      await withProcessLock(lockPath, work, { signal });
    }
  } finally {
    await agencies.close();
  }
  return {
    changed: outcomes.flatMap(({ changed }) => changed),
    unchanged: [...notDue, ...outcomes.flatMap(({ unchanged }) => unchanged)],
    failed: outcomes.flatMap(({ failed }) => failed),
    fault: summariseFaults(outcomes),
  };
}

/** The first failure, and how many agencies failed; null where none did. */
function summariseFaults(
  outcomes: readonly (FeedOutcome & { agency: AgencyName })[],
): string | null {
  const failures = outcomes.filter(({ fault }) => fault !== null);
  const [first] = failures;
  if (first === undefined || first.fault === null) return null;
  const agencies = new Set(failures.map(({ agency }) => agency)).size;
  if (agencies === 1) return first.fault;
  return failures.every(({ isUnreachable }) => isUnreachable)
    ? `${agencies} agencies could not be reached. ${CHECK_NETWORK}`
    : `${first.fault} ${agencies} agencies failed.`;
}

/** Passes each line on once. */
function onceEach(log: (line: string) => void): (line: string) => void {
  const said = new Set<string>();
  return (line) => {
    if (said.has(line)) return;
    said.add(line);
    log(line);
  };
}
