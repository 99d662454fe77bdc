import { describeError } from '../../../core/errors.ts';
import { createSharedJobs, type Job } from '../../../core/shared-jobs.ts';
import { type WaitOutcome, waitFor } from '../../../upstream/wait.ts';
import { findRefreshState } from '../queries.ts';
import { isBackingOff, isDue } from '../vintages/due.ts';
import type { AgencyName, Feed } from './feed.ts';
import { recordAgencyCheck } from './ingest.ts';
import { type AgencyDependencies, refreshFeed } from './refresh.ts';

export interface AgencyRefresherOptions extends AgencyDependencies {
  feeds: readonly Feed[];
  /** Whether an agency could not be connected to a moment ago; see `store/reachability.ts`. */
  isUnreachable(agency: AgencyName): boolean;
  /** Runs `work` under the lock of a feed, which all processes of a store share. */
  alone<T>(feed: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/** Keeps the series that can be had without a key current. */
export interface AgencyRefresher {
  covers(seriesId: string): boolean;
  /**
   * Refreshes the feed of a series that is due; concurrent callers share one query. Resolves when it
   * ends, as pending after `longestMs` while it continues, or as unreachable. Aborting `signal` stops a
   * query that nobody else waits for; rejects only then, with its reason.
   */
  freshen(seriesId: string, longestMs: number, signal?: AbortSignal): Promise<WaitOutcome>;
  /** After FRED has failed: the agency's figures in its place. Never rejects. */
  fillIn(seriesId: string): Promise<void>;
  /** Aborts running refreshes; partial downloads are discarded. */
  close(): Promise<void>;
}

export function createAgencyRefresher(options: AgencyRefresherOptions): AgencyRefresher {
  const { db, now, log, feeds } = options;
  const stopping = new AbortController();
  const jobs = createSharedJobs();
  const feedOf = (seriesId: string) => feeds.find((feed) => feed.seriesIds.includes(seriesId));

  function start(feed: Feed, seriesId: string, keepsRetry: boolean): Job {
    const work = (signal: AbortSignal) => async () => {
      // Another process may have asked while this one waited for the lock.
      const state = findRefreshState(db, seriesId);
      if (state === undefined || !isDue(state.nextDue, now())) return;
      if (keepsRetry || !isBackingOff(state, now())) {
        await refreshFeed({ db, now, log }, feed, { signal, keepsRetry });
      }
    };
    return jobs.start(feed.name, (signal) =>
      options.alone(feed.name, work(signal), signal).catch((error: unknown) => {
        if (!signal.aborted) log(`macro: ${describeError(error)}`);
      }),
    );
  }

  return {
    covers: (seriesId) => feedOf(seriesId) !== undefined,

    async freshen(seriesId, longestMs, signal) {
      const feed = feedOf(seriesId);
      const state = findRefreshState(db, seriesId);
      if (feed === undefined || state === undefined || stopping.signal.aborted) return 'settled';
      const running = jobs.find(feed.name);
      const isWanted = isDue(state.nextDue, now()) && !isBackingOff(state, now());
      if (running === undefined && !isWanted) return 'settled';
      const isUnreachable = () => options.isUnreachable(feed.agency);
      if (isUnreachable()) return 'unreachable';
      const job = running ?? start(feed, seriesId, false);
      return job.attend(waitFor(job.done, longestMs, isUnreachable), signal);
    },

    async fillIn(seriesId) {
      const feed = feedOf(seriesId);
      const state = findRefreshState(db, seriesId);
      if (feed === undefined || state === undefined || stopping.signal.aborted) return;
      const { agencyCheckedAt, nextDue, retryAt } = state;
      if (agencyCheckedAt !== null && nextDue !== null && !isDue(nextDue, now())) {
        // Another series of the feed has brought this one along.
        recordAgencyCheck(db, seriesId, { nextDue, retryAt, taken: null });
        return;
      }
      const job = jobs.find(feed.name) ?? start(feed, seriesId, true);
      // No caller waits for it: it serves the one whose query to FRED has failed.
      job.keep();
      await job.done;
    },

    async close() {
      stopping.abort();
      await jobs.close();
    },
  };
}
