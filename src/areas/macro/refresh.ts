import { describeError } from '../../core/errors.ts';
import { createSharedJobs, type Job } from '../../core/shared-jobs.ts';
import { type WaitOutcome, waitFor } from '../../upstream/wait.ts';
import type { AgencyName, Feed } from './agencies/feed.ts';
import { refreshFeed } from './agency-refresh.ts';
import type { FredSource } from './fred.ts';
import { type RefreshTools, refreshSeries } from './fred-refresh.ts';
import { findRefreshState, type RefreshState } from './queries.ts';
import { isBackingOff, isDue, isFredDue } from './schedule.ts';

/** Longest time that a call waits; the refresh then continues in the background. */
const LONGEST_WAIT_MS = 8_000;

export interface RefresherDependencies extends RefreshTools {
  /** Runs `work` under the lock of this name, which all processes of a store share. */
  alone<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Comes first; or why it cannot be asked. Closed by whoever opened it, as are the agencies. */
  fred:
    | { source: FredSource; reachability: { isUpstreamUnreachable(): boolean } }
    | 'no_key'
    | 'bad_key';
  /** Fill in where FRED fails or cannot be asked. */
  agencies: { feeds: readonly Feed[]; isUnreachable(agency: AgencyName): boolean };
}

export interface MacroRefresher {
  /**
   * Refreshes a series that is due, with the others of its release where an agency brings it;
   * concurrent callers share one attempt. Resolves when it ends, as pending after eight seconds while it
   * continues, or as unreachable: at once when the source is known to be, soon when that is found out;
   * with the reason where nobody can be asked. Aborting `signal` stops an attempt that nobody else
   * waits for; rejects only then, with its reason.
   */
  freshen(seriesId: string, signal?: AbortSignal): Promise<WaitOutcome | 'no_key' | 'bad_key'>;
  /** Aborts running refreshes; partial downloads are discarded. */
  close(): Promise<void>;
}

export function createMacroRefresher(options: RefresherDependencies): MacroRefresher {
  const { db, now, log, alone, fred, agencies } = options;
  const jobs = createSharedJobs();
  const feedOf = (id: string) => agencies.feeds.find(({ seriesIds }) => seriesIds.includes(id));

  /** Starts `work` on the state of a series in its turn: another process may have done it before. */
  function start(
    { job, lock, seriesId }: { job: string; lock: string; seriesId: string },
    work: (state: RefreshState, signal: AbortSignal) => Promise<void>,
  ): Job {
    return jobs.start(job, async (signal) => {
      const inTurn = async () => {
        const state = findRefreshState(db, seriesId);
        if (state !== undefined) await work(state, signal);
      };
      try {
        await alone(lock, inTurn, signal);
      } catch (error) {
        if (!signal.aborted) log(`macro: ${describeError(error)}`);
      }
    });
  }

  const asksFred = (state: RefreshState) => isFredDue(state, now()) && !isBackingOff(state, now());
  const asksAgency = (state: RefreshState) =>
    isDue(state.nextDue, now()) && !isBackingOff(state, now());

  function askFred(source: FredSource, seriesId: string): Job {
    return start({ job: seriesId, lock: 'macro', seriesId }, async (state, signal) => {
      if (!asksFred(state)) return;
      const { outcome } = await refreshSeries(options, source, state, signal);
      if (outcome === 'failed') await fillIn(seriesId);
    });
  }

  function askAgency(feed: Feed, seriesId: string, fillsIn: boolean): Job {
    const names = { job: feed.name, lock: `macro-${feed.name}`, seriesId };
    return start(names, async (state, signal) => {
      // FRED's back-off does not hold back the agency that fills in for it.
      if (fillsIn ? isDue(state.nextDue, now()) : asksAgency(state)) {
        await refreshFeed(options, feed, { signal, fillsIn });
      }
    });
  }

  /** After FRED has failed: the agency's figures in its place. */
  async function fillIn(seriesId: string): Promise<void> {
    const feed = feedOf(seriesId);
    if (feed === undefined) return;
    const job = jobs.find(feed.name) ?? askAgency(feed, seriesId, true);
    // No caller waits for it: it serves the one whose query to FRED has failed.
    job.keep();
    await job.done;
  }

  return {
    async freshen(seriesId, signal) {
      const feed = feedOf(seriesId);
      if (feed === undefined && typeof fred === 'string') return fred;
      const state = findRefreshState(db, seriesId);
      if (state === undefined) return 'settled';
      const begun = now().getTime();
      if (typeof fred !== 'string') {
        const running = jobs.find(seriesId);
        if (running === undefined && !asksFred(state)) return 'settled';
        const isUnreachable = () => fred.reachability.isUpstreamUnreachable();
        if (!isUnreachable()) {
          const job = running ?? askFred(fred.source, seriesId);
          const waiting = waitFor(job.done, LONGEST_WAIT_MS, isUnreachable);
          const outcome = await job.attend(waiting, signal);
          if (outcome !== 'unreachable') return outcome;
        }
      }
      if (feed === undefined) return 'unreachable';
      const running = jobs.find(feed.name);
      if (running === undefined && !asksAgency(findRefreshState(db, seriesId) ?? state)) {
        return 'settled';
      }
      const isUnreachable = () => agencies.isUnreachable(feed.agency);
      if (isUnreachable()) return 'unreachable';
      const job = running ?? askAgency(feed, seriesId, false);
      const left = Math.max(0, LONGEST_WAIT_MS - (now().getTime() - begun));
      return job.attend(waitFor(job.done, left, isUnreachable), signal);
    },
    close: jobs.close,
  };
}
