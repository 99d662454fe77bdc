import type { Database } from 'better-sqlite3';
import { codeOf } from '../../core/errors.ts';
import { checkpointOf, isPossibleDate } from '../../core/gate.ts';
import { shiftDay, toDay } from '../../core/time.ts';
import { write } from '../../store/connection.ts';
import {
  InvalidResponseError,
  isUnsent,
  isUpstreamError,
  toUserMessage,
  type UpstreamError,
} from '../../upstream/failures.ts';
import { storeAgencySeries, storedFigures } from './deliveries.ts';
import { AGENCIES } from './facts/agencies.ts';
import { easternDay } from './facts/calendar.ts';
import { DoubtError, MismatchError } from './facts/continuation.ts';
import { hasCome } from './facts/releases.ts';
import { storeFill } from './fills.ts';
import { findLastDate, findSeries, listSeries, type SeriesRow } from './queries.ts';
import { isDue, isTurn, nextReleaseAfter, retryTime } from './schedule.ts';
import { firstDateOf, recordCheck, recordFailure } from './series.ts';
import type { Feed } from './sources/feed.ts';
import type { FredSource } from './sources/fred.ts';
import { type Fill, fetchVintages } from './sources/fred-vintages.ts';

export interface RefreshTools {
  /** Writable. */
  db: Database;
  now: () => Date;
  /** Receives the cause of each failure; must not write to stdout. */
  log: (line: string) => void;
}

/** What one visit queries: a series at FRED, or a release of an agency. */
export interface Source {
  /** Used in the log, and to share work in progress. */
  name: string;
  /** Used in notices. */
  title: string;
  /** Name of a lock that all processes of a store share. */
  lock: string;
  seriesIds: readonly string[];
  /** Present for an agency; without one the source is FRED. */
  feed?: Feed;
  /** Rejects with an upstream error, or with the signal's reason. */
  fetch(tools: RefreshTools, signal: AbortSignal): Promise<Fetched>;
}

/** Figures fetched but not stored yet. */
interface Fetched {
  /**
   * Stores the figures of one series. Returns whether anything changed, and the last date with a
   * value. Throws a MismatchError if the figures do not continue those stored.
   */
  store(series: SeriesRow): { isChanged: boolean; last: string | null };
  /** Call after all series are stored. */
  finish?(): void;
}

/** A series at FRED, fetched whole the first time, and later usually from the last stored vintage on. */
export function fredSource(fred: FredSource, seriesId: string): Source {
  return {
    name: seriesId,
    title: 'FRED',
    lock: 'macro',
    seriesIds: [seriesId],
    async fetch({ db, now }, signal) {
      const series = findSeries(db, seriesId);
      const today = toDay(now());
      const last = series?.lastVintage ?? null;
      // FRED rejects future dates, so a stored future vintage date would block every later refresh.
      const since = last !== null && last <= shiftDay(today, 1) ? last : null;
      const fetched = await fetchVintages(fred, seriesId, since, signal);
      if (fetched.lastVintage > shiftDay(today, 1)) {
        throw new InvalidResponseError('FRED sent a vintage date in the future.');
      }
      const described = fetched.description?.observationStart;
      const first = series === undefined ? null : firstDateOf(series, described);
      const fill: Fill = {
        ...fetched,
        vintages: fetched.vintages.filter(({ date }) => isPossibleDate(date, { first, today })),
        lastVintage: checkpointOf(fetched.lastVintage, today),
      };
      const newest = fill.vintages.findLast((each) => each.rtEnd === null && each.value !== null);
      return { store: () => ({ isChanged: storeFill(db, fill), last: newest?.date ?? null }) };
    },
  };
}

/** A release of an agency, with all its series. */
export function agencySource(feed: Feed): Source {
  const { name, agency, seriesIds } = feed;
  return {
    name,
    title: AGENCIES[agency].name,
    lock: `macro-${name}`,
    seriesIds,
    feed,
    async fetch({ db, now }, signal) {
      const stored = storedFigures(db, now());
      const today = easternDay(now());
      const delivery = await feed.fetch(stored, today, signal);
      return {
        store(series) {
          const { seriesId } = series;
          const sent = delivery?.find((each) => each.seriesId === seriesId);
          const isChanged =
            delivery !== null && storeAgencySeries(db, { feed, series, sent, today });
          return { isChanged, last: findLastDate(db, seriesId) };
        },
        finish: stored.saveVersions,
      };
    },
  };
}

/** Ids of the visited series by result, and the first failure. */
export interface Visit {
  changed: string[];
  unchanged: string[];
  failed: string[];
  /** The first failure, and a sentence about it for users, with the refused series; both null if there was none. */
  error: UpstreamError | null;
  fault: string | null;
}

/** Visits a source if any of `seriesIds` may be queried now, or resolves to null. Call under the source's lock. */
export async function visitInTurn(
  tools: RefreshTools,
  source: Source,
  options: { seriesIds: readonly string[]; signal: AbortSignal; isSync?: boolean },
): Promise<Visit | null> {
  const { seriesIds, signal, isSync = false } = options;
  // Another process may already have done the work.
  const isAnyTurn = listSeries(tools.db).some(
    (series) =>
      seriesIds.includes(series.seriesId) && isTurn(!source.feed, series, isSync, tools.now()),
  );
  return isAnyTurn ? visit(tools, source, signal) : null;
}

/**
 * Queries a source once and stores any new figures. A series that fails keeps its figures, and its
 * next attempt is recorded. Rejects with the signal's reason, or if the store fails.
 */
export async function visit(
  tools: RefreshTools,
  source: Source,
  signal: AbortSignal,
): Promise<Visit> {
  const { db, now, log } = tools;
  const { feed } = source;
  const result: Visit = { changed: [], unchanged: [], failed: [], error: null, fault: null };
  const fail = (failed: readonly SeriesRow[], error: UpstreamError) => {
    const fault = describeFault(source, error);
    result.error ??= error;
    result.fault ??= error instanceof MismatchError ? `${failed[0]?.seriesId}: ${fault}` : fault;
    result.failed.push(...failed.map(({ seriesId }) => seriesId));
    const doubted = error instanceof DoubtError ? error.figures : undefined;
    for (const { seriesId, nextDue: due } of failed) {
      const retryAt = retryTime(error, { due, feed }, now());
      const isLate = doubted !== undefined || hasCome(due, now());
      recordFailure(db, seriesId, { fault, retryAt, isDue: isLate, doubted });
    }
  };
  const all = listSeries(db).filter(({ seriesId }) => source.seriesIds.includes(seriesId));
  let fetched: Fetched;
  try {
    fetched = await source.fetch(tools, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isUpstreamError(error)) throw error;
    // All releases of an unreachable host fail alike, so the line names the host instead of the source.
    log(`macro: ${isUnsent(error) ? '' : `${source.name}: `}${error.message}`);
    fail(
      all.filter((series) => isDue(!feed, series, now())),
      error,
    );
    return result;
  }
  for (const before of all) {
    const { seriesId } = before;
    const store = () => {
      // Another process may have stored figures meanwhile.
      const series = findSeries(db, seriesId) ?? before;
      const { isChanged, last } = fetched.store(series);
      const due = nextReleaseAfter({ ...series, feed }, last ?? easternDay(now()), now());
      const taken = now().toISOString();
      recordCheck(db, seriesId, { taken, nextDue: due.toISOString() });
      return isChanged;
    };
    try {
      result[write(db, store) ? 'changed' : 'unchanged'].push(seriesId);
    } catch (cause) {
      const error = mismatchOf(cause);
      log(`macro: ${source.title}: ${seriesId}: ${error.message}`);
      fail([before], error);
    }
  }
  if (result.failed.length === 0) fetched.finish?.();
  return result;
}

/** Turns a violated constraint into a MismatchError, which fails only one series; rethrows other errors. */
function mismatchOf(error: unknown): MismatchError {
  if (error instanceof MismatchError) return error;
  if (!codeOf(error).startsWith('SQLITE_CONSTRAINT')) throw error;
  return new MismatchError('its figures contradict each other', { cause: error });
}

function describeFault({ title }: Source, error: UpstreamError): string {
  return error instanceof MismatchError
    ? `${title} was queried, but ${error.message}.`
    : toUserMessage(title, error);
}
