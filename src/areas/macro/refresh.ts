import { describeError } from '../../core/errors.ts';
import { createSharedJobs, type Job } from '../../core/shared-jobs.ts';
import { type WaitOutcome, waitFor } from '../../core/time.ts';
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

/** One way to refresh a series: FRED, or the agency's feed that it comes with. */
interface Route {
  job: string;
  lock: string;
  isDue(state: RefreshState): boolean;
  isUnreachable(): boolean;
  run(state: RefreshState, signal: AbortSignal): Promise<void>;
}

export function createMacroRefresher(options: RefresherDependencies): MacroRefresher {
  const { db, now, log, alone, fred, agencies } = options;
  const jobs = createSharedJobs();
  const feedOf = (id: string) => agencies.feeds.find(({ seriesIds }) => seriesIds.includes(id));

  /** Runs a route in its turn; another process may have done its work before. */
  function start({ job, lock, isDue, run }: Route, seriesId: string): Job {
    return jobs.start(job, async (signal) => {
      const inTurn = async () => {
        const state = findRefreshState(db, seriesId);
        if (state !== undefined && isDue(state)) await run(state, signal);
      };
      try {
        await alone(lock, inTurn, signal);
      } catch (error) {
        if (!signal.aborted) log(`macro: ${describeError(error)}`);
      }
    });
  }

  function routeToFred({ source, reachability }: Exclude<typeof fred, string>, id: string): Route {
    return {
      job: id,
      lock: 'macro',
      isDue: (state) => isFredDue(state, now()) && !isBackingOff(state, now()),
      isUnreachable: () => reachability.isUpstreamUnreachable(),
      async run(state, signal) {
        const { outcome } = await refreshSeries(options, source, state, signal);
        const feed = feedOf(id);
        if (outcome !== 'failed' || feed === undefined) return;
        // The agency's figures in the place of FRED's.
        const job = jobs.find(feed.name) ?? start(routeToAgency(feed, true), id);
        // No caller waits for it: it serves the one whose query to FRED has failed.
        job.keep();
        await job.done;
      },
    };
  }

  function routeToAgency(feed: Feed, fillsIn: boolean): Route {
    return {
      job: feed.name,
      lock: `macro-${feed.name}`,
      // FRED's back-off does not hold back the agency that fills in for it.
      isDue: (state) => isDue(state.nextDue, now()) && (fillsIn || !isBackingOff(state, now())),
      isUnreachable: () => agencies.isUnreachable(feed.agency),
      run: async (_, signal) => void (await refreshFeed(options, feed, { signal, fillsIn })),
    };
  }

  return {
    async freshen(seriesId, signal) {
      const feed = feedOf(seriesId);
      if (feed === undefined && typeof fred === 'string') return fred;
      const end = now().getTime() + LONGEST_WAIT_MS;
      const routes = [
        ...(typeof fred === 'string' ? [] : [routeToFred(fred, seriesId)]),
        ...(feed === undefined ? [] : [routeToAgency(feed, false)]),
      ];
      for (const route of routes) {
        const state = findRefreshState(db, seriesId);
        const running = jobs.find(route.job);
        if (!running && (state === undefined || !route.isDue(state))) return 'settled';
        if (route.isUnreachable()) continue;
        const job = running ?? start(route, seriesId);
        const left = Math.max(0, end - now().getTime());
        const outcome = await job.attend(waitFor(job.done, left, route.isUnreachable), signal);
        if (outcome !== 'unreachable') return outcome;
      }
      return 'unreachable';
    },
    close: jobs.close,
  };
}
