import type { Database } from 'better-sqlite3';
import {
  isUnsent,
  isUpstreamError,
  toUserMessage,
  type UpstreamError,
} from '../../upstream/failures.ts';
import { easternDay } from './agencies/calendar.ts';
import type { Feed } from './agencies/feed.ts';
import { MismatchError } from './continuation.ts';
import { recordCheck, recordFailure } from './ingest.ts';
import { listRefreshStates, type RefreshState } from './queries.ts';
import { isDue, nextReleaseAfter, retryTime } from './schedule.ts';

export interface RefreshTools {
  /** Writable. */
  db: Database;
  now: () => Date;
  /** Receives the cause of each failure; must not write to stdout. */
  log: (line: string) => void;
}

/** Where figures come from: FRED for one series, or an agency for all of a release. */
export interface Source {
  /** In the log; also of the work under way. */
  name: string;
  /** For callers. */
  title: string;
  by: 'fred' | 'agency';
  /** All processes of a store share it. */
  lock: string;
  seriesIds: readonly string[];
  /** The release of an agency. */
  feed?: Feed;
  /** Whether the source has something new of a series. */
  isDue(state: RefreshState, now: Date): boolean;
  /** Rejects with an upstream error, or with the signal's reason. */
  fetch(tools: RefreshTools, signal: AbortSignal): Promise<Fetched>;
}

/** Figures that were fetched and are not stored yet. */
interface Fetched {
  /**
   * Stores those of one series. Returns whether anything changed, and the last date that the source has
   * a value of. Throws a MismatchError where they do not continue what is stored.
   */
  store(state: RefreshState): { isChanged: boolean; last: string | null };
  /** To be called when all are stored. */
  finish?(): void;
}

/** What became of each series of a source. */
export interface Visit {
  changed: string[];
  unchanged: string[];
  failed: string[];
  /** The first failure, and as a sentence for callers; null when there was none. */
  error: UpstreamError | null;
  fault: string | null;
}

/**
 * Asks a source once and stores what is new; each series fails alone and keeps its figures, and the next
 * attempt is recorded with it. Where the source fills in for FRED, what FRED's failure has recorded stays.
 * Rejects with the signal's reason, or when the store fails.
 */
export async function visit(
  tools: RefreshTools,
  source: Source,
  { signal, fillsIn = false }: { signal: AbortSignal; fillsIn?: boolean },
): Promise<Visit> {
  const { db, now, log } = tools;
  const { by, feed } = source;
  const result: Visit = { changed: [], unchanged: [], failed: [], error: null, fault: null };
  const fail = (failed: readonly RefreshState[], error: UpstreamError) => {
    const fault = describeFault(source, error);
    result.error ??= error;
    result.fault ??= fault;
    result.failed.push(...failed.map(({ seriesId }) => seriesId));
    if (fillsIn) return;
    for (const { seriesId, nextDue: due } of failed) {
      const retryAt = retryTime(error, { due, feed }, now());
      recordFailure(db, seriesId, { fault, retryAt, isDue: isDue(due, now()) });
    }
  };
  const states = listRefreshStates(db).filter((s) => source.seriesIds.includes(s.seriesId));
  let fetched: Fetched;
  try {
    fetched = await source.fetch(tools, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isUpstreamError(error)) throw error;
    // Of an unreachable host the message names the host, which is the cause for all its releases.
    log(`macro: ${isUnsent(error) ? '' : `${source.name}: `}${error.message}`);
    fail(
      states.filter((state) => source.isDue(state, now())),
      error,
    );
    return result;
  }
  for (const state of states) {
    const { seriesId } = state;
    const store = db.transaction(() => {
      const { isChanged, last } = fetched.store(state);
      const due = nextReleaseAfter({ ...state, feed }, last ?? easternDay(now()), now());
      recordCheck(db, seriesId, {
        ...{ by, taken: now().toISOString(), nextDue: due.toISOString() },
      });
      return isChanged;
    });
    try {
      result[store.immediate() ? 'changed' : 'unchanged'].push(seriesId);
    } catch (error) {
      if (!(error instanceof MismatchError)) throw error;
      log(`macro: ${source.name}: ${seriesId}: ${error.message}`);
      fail([state], error);
    }
  }
  if (result.failed.length === 0) fetched.finish?.();
  return result;
}

function describeFault({ title }: Source, error: UpstreamError): string {
  return error instanceof MismatchError
    ? `${title} was asked, but ${error.message}.`
    : toUserMessage(title, error);
}
