import { describeError } from '../../core/errors.ts';
import { type Job, SharedJobs, type WaitResult } from '../../core/shared-jobs.ts';
import { findSeries } from './queries.ts';
import { isTurn } from './schedule.ts';
import { type RefreshTools, type Source, visitInTurn } from './visit.ts';

/** After this time a call returns and the refresh continues in the background. */
const LONGEST_WAIT_MS = 8_000;

/** Where figures come from: FRED with the user's key, otherwise the agencies. */
export interface Origin {
  /** Without a key, undefined for a series that only FRED or a sync can refresh. */
  sourceOf(seriesId: string): Source | undefined;
  /** Whether the source's host could not be reached a moment ago. */
  isUnreachable(source: Source): boolean;
}

export interface RefresherDependencies extends RefreshTools {
  /** Runs `work` under the lock of this name, which all processes of a store share. */
  alone<T>(name: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  origin: Origin | 'bad_key';
}

export interface MacroRefresher {
  /**
   * Refreshes a series if it is due; an agency's release is refreshed as a whole. Concurrent callers
   * share one attempt. Resolves as `settled` when the attempt ends or is not needed, as `pending`
   * after eight seconds, as `unreachable` if the source's host is known to be unreachable, and as
   * `no_key` or `bad_key` if no source can be queried. Aborting `signal` stops an attempt that
   * nobody else waits for, and rejects with the signal's reason.
   */
  freshen(seriesId: string, signal?: AbortSignal): Promise<WaitResult | 'no_key' | 'bad_key'>;
  /** Aborts running refreshes; partial downloads are discarded. */
  close(): Promise<void>;
}

export function createMacroRefresher(options: RefresherDependencies): MacroRefresher {
  const { db, now, log, alone, origin } = options;
  const jobs = new SharedJobs();

  function start(source: Source, seriesId: string): Job {
    return jobs.start(source.name, async (signal) => {
      const inTurn = () => visitInTurn(options, source, { seriesIds: [seriesId], signal });
      try {
        await alone(source.lock, inTurn, signal);
      } catch (error) {
        if (!signal.aborted) log(`macro: ${describeError(error)}`);
      }
    });
  }

  return {
    async freshen(seriesId, signal = new AbortController().signal) {
      if (origin === 'bad_key') return origin;
      const source = origin.sourceOf(seriesId);
      if (source === undefined) return 'no_key';
      const isDown = () => origin.isUnreachable(source);
      const series = findSeries(db, seriesId);
      const running = jobs.find(source.name);
      if (!running && !(series && isTurn(!source.feed, series, false, now()))) return 'settled';
      if (isDown()) return 'unreachable';
      const job = running ?? start(source, seriesId);
      return job.attend(LONGEST_WAIT_MS, isDown, signal);
    },
    close: () => jobs.close(),
  };
}
