import { describeError } from '../../core/errors.ts';
import { type Job, SharedJobs, type WaitOutcome } from '../../core/shared-jobs.ts';
import type { AgencyName, Feed } from './agencies/feed.ts';
import type { FredSource } from './fred.ts';
import { findSeries } from './queries.ts';
import { isTurn } from './schedule.ts';
import { agencySource, fredSource, type RefreshTools, type Source, visitInTurn } from './visit.ts';

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
  const jobs = new SharedJobs();
  const feedOf = (id: string) => agencies.feeds.find(({ seriesIds }) => seriesIds.includes(id));

  const isUnreachable = ({ feed }: Source) =>
    feed === undefined
      ? typeof fred !== 'string' && fred.reachability.isUpstreamUnreachable()
      : agencies.isUnreachable(feed.agency);

  function start(source: Source, seriesId: string, fillsIn = false): Job {
    return jobs.start(source.name, async (signal) => {
      const inTurn = async () => {
        const turn = { seriesIds: [seriesId], signal, fillsIn };
        const { error } = await visitInTurn(options, source, turn);
        const feed = source.by === 'fred' && error !== null ? feedOf(seriesId) : undefined;
        if (feed === undefined) return;
        // The agency's figures in the place of FRED's.
        const job = jobs.find(feed.name) ?? start(agencySource(feed), seriesId, true);
        // No caller waits for it: it serves the one whose query to FRED has failed.
        job.keep();
        await job.done;
      };
      try {
        await alone(source.lock, inTurn, signal);
      } catch (error) {
        if (!signal.aborted) log(`macro: ${describeError(error)}`);
      }
    });
  }

  return {
    async freshen(seriesId, signal = new AbortController().signal) {
      const feed = feedOf(seriesId);
      if (feed === undefined && typeof fred === 'string') return fred;
      const end = now().getTime() + LONGEST_WAIT_MS;
      const sources = [
        ...(typeof fred === 'string' ? [] : [fredSource(fred.source, seriesId)]),
        ...(feed === undefined ? [] : [agencySource(feed)]),
      ];
      for (const source of sources) {
        const state = findSeries(db, seriesId);
        const running = jobs.find(source.name);
        if (!running && !(state && isTurn(source.by, state, {}, now()))) return 'settled';
        const isDown = () => isUnreachable(source);
        if (isDown()) continue;
        const job = running ?? start(source, seriesId);
        const left = Math.max(0, end - now().getTime());
        const outcome = await job.attend(left, isDown, signal);
        if (outcome !== 'unreachable') return outcome;
      }
      return 'unreachable';
    },
    close: () => jobs.close(),
  };
}
