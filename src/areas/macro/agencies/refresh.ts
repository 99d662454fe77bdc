import type { Database } from 'better-sqlite3';
import lags from '../../../../data/release-lags.json' with { type: 'json' };
import { shiftDay } from '../../../core/time.ts';
import { HttpError, isUnsent, isUpstreamError, toUserMessage } from '../../../upstream/errors.ts';
import { listRefreshStates, type RefreshState } from '../queries.ts';
import { daysBetween, isDue, medianOf, retryAfter } from '../vintages/due.ts';
import { recordFailure } from '../vintages/ingest.ts';
import { easternDay, periodEnd } from './calendar.ts';
import { MismatchError, OTHER_BASE } from './compare.ts';
import { AGENCIES, type AgencyName, type AgencySeries, type Feed } from './feed.ts';
import {
  findReleaseDay,
  heldFigures,
  listFirstReleases,
  recordAgencyCheck,
  storeAgencySeries,
} from './ingest.ts';
import { askAgain, estimateRelease, nextFigureDue, type Timing } from './schedule.ts';

/** Retry delay after an agency was unreachable. */
const RETRY_UNREACHABLE_MS = 60_000;
/** A first release is no later than this after its usual day; what came later is a revision. */
const LATEST_FIRST_RELEASE_DAYS = 20;
/** Release history from which the usual lag is taken, and the least number of releases. */
const DAYS_OF_RELEASES = 366;
const MIN_RELEASES = 3;

const LAGS: ReadonlyMap<string, { lag_days: number; release: string }> = new Map(
  Object.entries(lags),
);

export interface AgencyDependencies {
  /** Writable. */
  db: Database;
  now: () => Date;
  /** Receives the cause of each failure; must not write to stdout. */
  log: (line: string) => void;
}

/** What became of each series of a feed. */
export interface FeedOutcome {
  changed: string[];
  unchanged: string[];
  failed: string[];
  /** The first failure, as a sentence for callers; null when there was none. */
  fault: string | null;
  /** No connection to the agency could be made. */
  isUnreachable: boolean;
}

/**
 * Asks an agency once for all series of a feed and stores what is new; each fails alone. Figures stay
 * as they are where something fails. With `keepsRetry` FRED is tried again at the time that its own
 * failure set. Rejects with the signal's reason, or when the store fails.
 */
export async function refreshFeed(
  { db, now, log }: AgencyDependencies,
  feed: Feed,
  { signal, keepsRetry = false }: { signal: AbortSignal; keepsRetry?: boolean },
): Promise<FeedOutcome> {
  const outcome: FeedOutcome = {
    changed: [],
    unchanged: [],
    failed: [],
    fault: null,
    isUnreachable: false,
  };
  const states = listRefreshStates(db).filter(({ seriesId }) => feed.seriesIds.includes(seriesId));
  const fail = (failed: readonly RefreshState[], error: Error) => {
    const fault = describeFault(feed.agency, error);
    for (const { seriesId, nextDue, retryAt, fault: known } of failed) {
      const retry = retryTime(feed, nextDue, error, now()).toISOString();
      // What FRED said matters more to whoever has a key.
      if (!keepsRetry) recordFailure(db, seriesId, { fault, retryAt: retry });
      else if (known === null) recordFailure(db, seriesId, { fault, retryAt: retryAt ?? retry });
      outcome.failed.push(seriesId);
    }
    outcome.fault ??= fault;
  };
  const held = heldFigures(db);
  let told: readonly AgencySeries[] | 'unchanged';
  try {
    told = await feed.fetch(held, easternDay(now()), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isUpstreamError(error)) throw error;
    outcome.isUnreachable = isUnsent(error);
    // Then the message names the host, which is the cause for all its feeds.
    log(`macro: ${outcome.isUnreachable ? '' : `${feed.name}: `}${error.message}`);
    const isAffected = (state: RefreshState) =>
      keepsRetry ? state.stale === 1 : isDue(state.nextDue, now());
    fail(states.filter(isAffected), error);
    return outcome;
  }
  for (const state of states) {
    const { seriesId } = state;
    try {
      const isChanged =
        told !== 'unchanged' &&
        storeSeries({ db, now }, feed, requireSeries(told, seriesId), state);
      outcome[isChanged ? 'changed' : 'unchanged'].push(seriesId);
      const nextDue = dueAfter({ db, now }, feed, state).toISOString();
      const retryAt = keepsRetry ? state.retryAt : null;
      const taken = told === 'unchanged' ? now().toISOString() : null;
      recordAgencyCheck(db, seriesId, { nextDue, retryAt, taken });
    } catch (error) {
      if (!(error instanceof MismatchError)) throw error;
      log(`macro: ${feed.name}: ${seriesId}: ${error.message}`);
      fail([state], error);
    }
  }
  if (outcome.failed.length === 0) held.saveVersions();
  return outcome;
}

function requireSeries(told: readonly AgencySeries[], seriesId: string): AgencySeries {
  const found = told.find((series) => series.seriesId === seriesId);
  if (found === undefined) throw new MismatchError('it sent no figures');
  return found;
}

type Tools = Pick<AgencyDependencies, 'db' | 'now'>;

function storeSeries({ db, now }: Tools, feed: Feed, series: AgencySeries, state: RefreshState) {
  if (series.units !== undefined && series.units !== state.units) {
    throw new MismatchError(OTHER_BASE);
  }
  const timing = timingOf(state);
  const siblings = siblingsOf(state.seriesId);
  const latest = (date: string) =>
    shiftDay(estimateRelease(feed, timing, date), LATEST_FIRST_RELEASE_DAYS);
  return storeAgencySeries(db, {
    agency: feed.agency,
    series,
    isRevised: AGENCIES[feed.agency].revises,
    isRate: state.units.startsWith('Percent'),
    taken: now().toISOString(),
    today: easternDay(now()),
    latest,
    estimate(date) {
      const usual = estimateRelease(feed, timing, date);
      if (timing.frequency === 'Daily') return usual;
      const within = {
        earliest: shiftDay(periodEnd(timing.frequency, date), 1),
        latest: latest(date),
      };
      return findReleaseDay(db, siblings, date, within) ?? usual;
    },
  });
}

function dueAfter({ db, now }: Tools, feed: Feed, state: RefreshState): Date {
  const last = heldFigures(db).lastDate(state.seriesId) ?? easternDay(now());
  const timing = timingOf(state);
  const lagDays = ownLag(db, timing, last) ?? timing.lagDays;
  return nextFigureDue(feed, { ...timing, lagDays }, last, now());
}

/** The median lag of the observed first releases of the last year; undefined where few are known. */
function ownLag(db: Database, { seriesId, frequency, lagDays }: Timing, last: string) {
  const lags = listFirstReleases(db, seriesId, shiftDay(last, -DAYS_OF_RELEASES))
    .map(({ date, released }) => daysBetween(periodEnd(frequency, date), released))
    .filter((days) => days >= 0 && days <= lagDays + LATEST_FIRST_RELEASE_DAYS);
  return lags.length < MIN_RELEASES ? undefined : medianOf(lags);
}

function timingOf({ seriesId, frequency }: RefreshState): Timing {
  return { seriesId, frequency, lagDays: LAGS.get(seriesId)?.lag_days ?? 0 };
}

/** The other series of the same release. */
function siblingsOf(seriesId: string): string[] {
  const release = LAGS.get(seriesId)?.release;
  return [...LAGS].flatMap(([id, lag]) => (id !== seriesId && lag.release === release ? [id] : []));
}

function retryTime(feed: Feed, due: string | null, error: Error, now: Date): Date {
  if (isUnsent(error)) return new Date(now.getTime() + RETRY_UNREACHABLE_MS);
  // The same figures would be refused again.
  if (error instanceof MismatchError) return askAgain(feed, now);
  const paused = error instanceof HttpError ? (error.retryAfterMs ?? 0) : 0;
  const times = [retryAfter(due, now), new Date(now.getTime() + paused)];
  return times.reduce((latest, time) => (time > latest ? time : latest));
}

function describeFault(agency: AgencyName, error: Error): string {
  const { name } = AGENCIES[agency];
  return error instanceof MismatchError
    ? `${name} was asked, but ${error.message}.`
    : toUserMessage(name, error);
}
