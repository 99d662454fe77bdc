import type { Database } from 'better-sqlite3';
import { isLate } from '../../core/time.ts';
import { HttpError } from '../../upstream/errors.ts';
import { BadAnswer } from '../../upstream/polite.ts';
import { isDue, nextDue, retryAfter } from './due.ts';
import { fetchVintages } from './fill.ts';
import { LostHistory, recordFailure, recordUnchanged, storeFill } from './fill-ingest.ts';
import {
  findSeries,
  listPublicationDays,
  listRefreshStates,
  type RefreshState,
} from './queries.ts';
import { shiftDay } from './runs.ts';
import { FredRefusal, type FredSource, type SeriesDescription } from './source.ts';

/** A call waits no longer for a refresh, which then goes on behind it. */
const LONGEST_WAIT_MS = 8_000;
/** By time zones and a clock that is slow, FRED may be so many days ahead of us. */
const DAYS_AHEAD = 2;
/** Releases of so many days tell when the next one is due. */
const DAYS_OF_RELEASES = 800;

export interface RefreshTools {
  /** Writable. */
  db: Database;
  source: FredSource;
  now: () => Date;
  /** Runs work while no other process on this shelf refreshes. */
  alone<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
  /** For the cause of a failure; never stdout. */
  log: (line: string) => void;
}

/** What a refresh came to, and why where it failed. */
export interface Refreshed {
  outcome: 'changed' | 'unchanged' | 'failed';
  error?: unknown;
}

export interface MacroRefresher {
  /**
   * Refreshes a series that is due, once for all who ask. Resolves when that is done, or after eight
   * seconds as late, while it goes on. Never rejects.
   */
  freshen(seriesId: string): Promise<{ late: boolean }>;
  /** Stops the work in hand; what is half-fetched is dropped. */
  close(): Promise<void>;
}

export function createMacroRefresher(tools: RefreshTools): MacroRefresher {
  const stopping = new AbortController();
  const jobs = new Map<string, Promise<void>>();

  function start(seriesId: string): Promise<void> {
    const job = tools
      .alone(async () => {
        // Another process may have been quicker while this one waited for its turn.
        const state = findState(tools.db, seriesId);
        if (state !== undefined && isWanted(state, tools.now())) {
          await refreshSeries(tools, state, undefined, stopping.signal);
        }
      }, stopping.signal)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) tools.log(`macro: ${describe(error)}`);
      })
      .finally(() => jobs.delete(seriesId));
    jobs.set(seriesId, job);
    return job;
  }

  return {
    async freshen(seriesId) {
      const state = findState(tools.db, seriesId);
      if (state === undefined || stopping.signal.aborted) return { late: false };
      const running = jobs.get(seriesId);
      if (running === undefined && !isWanted(state, tools.now())) return { late: false };
      return { late: await isLate(running ?? start(seriesId), LONGEST_WAIT_MS) };
    },
    async close() {
      stopping.abort();
      await Promise.all(jobs.values());
    },
  };
}

/** Due, and not held back by a failure that is too recent. */
export function isWanted({ nextDue: due, retryAt }: RefreshState, now: Date): boolean {
  const held = retryAt !== null && !isDue(retryAt, now);
  return isDue(due, now) && !held;
}

/**
 * One series from FRED into the store: all of it the first time, else what has changed since the
 * last vintage held. A failure is kept with the time of the next try, and what is held stays.
 * Rejects with the signal's reason, or when the store fails.
 */
export async function refreshSeries(
  tools: RefreshTools,
  state: RefreshState,
  description: SeriesDescription | undefined,
  signal: AbortSignal,
): Promise<Refreshed> {
  const { db, source, now } = tools;
  const { seriesId, lastVintage } = state;
  // A date further ahead, held or told, would be asked from ever after, and FRED refuses that.
  const latest = shiftDay(now().toISOString().slice(0, 10), DAYS_AHEAD);
  try {
    const held = lastVintage === null || lastVintage > latest ? null : { lastVintage };
    const fill = await fetchVintages(source, seriesId, held, { description, signal });
    if (fill.lastVintage > latest) throw new BadAnswer('FRED sent a change of the future.');
    const taken = now().toISOString();
    storeFill(db, fill, { taken, nextDue: null });
    recordUnchanged(db, seriesId, { taken, nextDue: dueOf(tools, seriesId) });
    return { outcome: fill.lastVintage === lastVintage ? 'unchanged' : 'changed' };
  } catch (error) {
    signal.throwIfAborted();
    if (!isUpstreamFault(error)) throw error;
    tools.log(`macro: ${seriesId}: ${error.message}`);
    const retryAt = retryAfter(state.nextDue, now()).toISOString();
    recordFailure(db, seriesId, { fault: sayFault(error), retryAt });
    return { outcome: 'failed', error };
  }
}

/** When a series is next due, by its own releases; ISO 8601. */
export function dueOf({ db, now }: Pick<RefreshTools, 'db' | 'now'>, seriesId: string): string {
  const since = shiftDay(now().toISOString().slice(0, 10), -DAYS_OF_RELEASES);
  const frequency = findSeries(db, seriesId)?.frequency ?? 'Monthly';
  return nextDue(frequency, listPublicationDays(db, seriesId, since), now()).toISOString();
}

/** Their messages are ours; anything else is a fault of this program, and its trace is wanted. */
function isUpstreamFault(error: unknown): error is Error {
  return error instanceof HttpError || error instanceof BadAnswer || error instanceof FredRefusal;
}

/** A fault of FRED's in our words, as a sentence for callers. */
export function sayFault(error: unknown): string {
  if (error instanceof FredRefusal) return error.message;
  if (error instanceof HttpError) {
    if (error.fault === 'held' || error.status === 429) return 'FRED asked us to slow down.';
    if (error.status !== undefined) return `FRED answered with status ${error.status}.`;
    return 'FRED could not be reached.';
  }
  if (error instanceof LostHistory) return error.message;
  return 'FRED sent something that could not be read.';
}

function findState(db: Database, seriesId: string): RefreshState | undefined {
  return listRefreshStates(db).find((state) => state.seriesId === seriesId);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
