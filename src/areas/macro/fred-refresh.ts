import type { Database } from 'better-sqlite3';
import { shiftDay } from '../../core/time.ts';
import { InvalidResponseError, isUpstreamError, toUserMessage } from '../../upstream/errors.ts';
import type { FredSource, SeriesDescription } from './fred.ts';
import { fetchVintages } from './fred-fill.ts';
import type { RefreshState } from './queries.ts';
import { nextFredDue, retryTime } from './schedule.ts';
import { LostHistory, recordFailure, recordUnchanged, storeFill } from './vintage-ingest.ts';

/** How far FRED's dates may be ahead of ours, for time zones and a slow clock. */
const DAYS_AHEAD = 2;

export interface RefreshDependencies {
  /** Writable. */
  db: Database;
  source: FredSource;
  now: () => Date;
  /** Receives the cause of each failure; must not write to stdout. */
  log: (line: string) => void;
}

/** Outcome of a refresh; `error` is set when it failed. */
export interface Refreshed {
  outcome: 'changed' | 'unchanged' | 'failed';
  error?: unknown;
}

/**
 * Fetches one series from FRED into the store: whole the first time, then the changes since the last
 * vintage held. A failure is recorded with the time of the next attempt and leaves the figures as
 * they are. Rejects with the signal's reason, or when the store fails.
 */
export async function refreshSeries(
  tools: RefreshDependencies,
  state: RefreshState,
  description: SeriesDescription | undefined,
  signal: AbortSignal,
): Promise<Refreshed> {
  const { db, source, now } = tools;
  const { seriesId, lastVintage } = state;
  // FRED refuses queries from the future, so a vintage date further ahead would block every later refresh.
  const latest = shiftDay(now().toISOString().slice(0, 10), DAYS_AHEAD);
  try {
    const held = lastVintage === null || lastVintage > latest ? null : { lastVintage };
    const fill = await fetchVintages(source, seriesId, held, { description, signal });
    if (fill.lastVintage > latest)
      throw new InvalidResponseError('FRED sent a vintage date in the future.');
    const taken = now().toISOString();
    storeFill(db, fill, { taken, nextDue: null });
    recordUnchanged(db, seriesId, { taken, nextDue: nextFredDue(db, seriesId, now()) });
    return { outcome: fill.lastVintage === lastVintage ? 'unchanged' : 'changed' };
  } catch (error) {
    signal.throwIfAborted();
    if (!isUpstreamError(error)) throw error;
    tools.log(`macro: ${seriesId}: ${error.message}`);
    const retryAt = retryTime(error, { due: state.nextDue }, now());
    recordFailure(db, seriesId, { fault: describeFault(error), retryAt });
    return { outcome: 'failed', error };
  }
}

/** A FRED failure as a sentence for callers. */
export function describeFault(error: unknown): string {
  return error instanceof LostHistory ? error.message : toUserMessage('FRED', error);
}
