import type { Database } from 'better-sqlite3';
import { shiftDay } from '../../core/time.ts';
import { InvalidResponseError, isUpstreamError, toUserMessage } from '../../upstream/errors.ts';
import type { FredSource } from './fred.ts';
import { fetchVintages } from './fred-fill.ts';
import type { RefreshState } from './queries.ts';
import { isDue, nextDue, retryTime } from './schedule.ts';
import { LostHistory, recordCheck, recordFailure, storeFill } from './vintage-ingest.ts';

/** How far FRED's dates may be ahead of ours, for time zones and a slow clock. */
const DAYS_AHEAD = 2;

export interface RefreshTools {
  /** Writable. */
  db: Database;
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
 * vintage stored. A failure is recorded with the time of the next attempt and leaves the figures as
 * they are. Rejects with the signal's reason, or when the store fails.
 */
export async function refreshSeries(
  { db, now, log }: RefreshTools,
  source: FredSource,
  state: RefreshState,
  signal: AbortSignal,
): Promise<Refreshed> {
  const { seriesId, lastVintage } = state;
  // FRED refuses queries from the future, so a vintage date further ahead would block every later refresh.
  const latest = shiftDay(now().toISOString().slice(0, 10), DAYS_AHEAD);
  try {
    const since = lastVintage !== null && lastVintage <= latest ? lastVintage : null;
    const fill = await fetchVintages(source, seriesId, since, { signal });
    if (fill.lastVintage > latest) {
      throw new InvalidResponseError('FRED sent a vintage date in the future.');
    }
    const taken = now().toISOString();
    db.transaction(() => {
      storeFill(db, fill, { taken });
      recordCheck(db, seriesId, { by: 'fred', taken, nextDue: nextDue(db, state, now()) });
    }).immediate();
    return { outcome: fill.lastVintage === lastVintage ? 'unchanged' : 'changed' };
  } catch (error) {
    signal.throwIfAborted();
    if (!isUpstreamError(error)) throw error;
    log(`macro: ${seriesId}: ${error.message}`);
    recordFailure(db, seriesId, {
      fault: describeFault(error),
      retryAt: retryTime(error, { due: state.nextDue }, now()),
      // An agency may have brought what FRED could not.
      isDue: isDue(state.nextDue, now()),
    });
    return { outcome: 'failed', error };
  }
}

/** A FRED failure as a sentence for callers. */
export function describeFault(error: unknown): string {
  return error instanceof LostHistory ? error.message : toUserMessage('FRED', error);
}
