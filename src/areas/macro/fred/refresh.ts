import type { Database } from 'better-sqlite3';
import { shiftDay } from '../../../core/time.ts';
import {
  InvalidResponseError,
  isUnsent,
  isUpstreamError,
  toUserMessage,
} from '../../../upstream/errors.ts';
import { findSeries, listPublicationDays, type RefreshState } from '../queries.ts';
import type { FredSource, SeriesDescription } from '../source.ts';
import { isBackingOff, isDue, nextDue, retryAfter } from '../vintages/due.ts';
import { fetchVintages } from '../vintages/fill.ts';
import { LostHistory, recordFailure, recordUnchanged, storeFill } from '../vintages/ingest.ts';

/** Retry delay after FRED was unreachable; short, so that a restored network is used soon. */
const RETRY_UNREACHABLE_MS = 60_000;
/** How far FRED's dates may be ahead of ours, for time zones and a slow clock. */
const DAYS_AHEAD = 2;
/** Release history from which the next due date is estimated, in days. */
const DAYS_OF_RELEASES = 800;

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

/** Due, and not within the back-off after a failure. */
export function isWanted(state: RefreshState, now: Date): boolean {
  // Without anything of FRED, `nextDue` is that of an agency.
  const due = state.lastVintage === null ? null : state.nextDue;
  return isDue(due, now) && !isBackingOff(state, now);
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
    recordUnchanged(db, seriesId, { taken, nextDue: dueOf(tools, seriesId) });
    return { outcome: fill.lastVintage === lastVintage ? 'unchanged' : 'changed' };
  } catch (error) {
    signal.throwIfAborted();
    if (!isUpstreamError(error)) throw error;
    tools.log(`macro: ${seriesId}: ${error.message}`);
    const retryAt = isUnsent(error)
      ? new Date(now().getTime() + RETRY_UNREACHABLE_MS)
      : retryAfter(state.nextDue, now());
    recordFailure(db, seriesId, { fault: describeFault(error), retryAt: retryAt.toISOString() });
    return { outcome: 'failed', error };
  }
}

/** When a series is next due, estimated from its own release dates; ISO 8601. */
export function dueOf(
  { db, now }: Pick<RefreshDependencies, 'db' | 'now'>,
  seriesId: string,
): string {
  const since = shiftDay(now().toISOString().slice(0, 10), -DAYS_OF_RELEASES);
  const frequency = findSeries(db, seriesId)?.frequency ?? 'Monthly';
  return nextDue(frequency, listPublicationDays(db, seriesId, since), now()).toISOString();
}

/** A FRED failure as a sentence for callers. */
export function describeFault(error: unknown): string {
  return error instanceof LostHistory ? error.message : toUserMessage('FRED', error);
}
