import type { Database } from 'better-sqlite3';
import { shiftDay } from '../../core/time.ts';
import { isUnsent, isUpstreamError, toUserMessage } from '../../upstream/errors.ts';
import { easternDay, periodEnd, shiftPeriods } from './agencies/calendar.ts';
import {
  AGENCIES,
  type AgencyName,
  type AgencySeries,
  type Feed,
  type Figure,
} from './agencies/feed.ts';
import {
  findReleaseDay,
  heldFigures,
  recordAgencyCheck,
  storeAgencySeries,
} from './agency-ingest.ts';
import { MismatchError, OTHER_BASE } from './continuation.ts';
import { listRefreshStates, type RefreshState } from './queries.ts';
import { estimatePublication, latestFirstRelease, type Released, siblingsOf } from './releases.ts';
import { isDue, nextAgencyDue, retryTime } from './schedule.ts';
import { recordFailure } from './vintage-ingest.ts';

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
      const retry = retryTime(error, { due: nextDue, feed }, now());
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
      const nextDue = nextAgencyDue(db, feed, state, now());
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
  const released: Released = { seriesId: state.seriesId, frequency: state.frequency, feed };
  const siblings = siblingsOf(state.seriesId);
  const today = easternDay(now());
  // Nothing in a file came out later than the file.
  const until = series.figures.at(-1)?.released ?? today;
  const latest = (date: string) => latestFirstRelease(released, date);
  return storeAgencySeries(db, {
    agency: feed.agency,
    series: { ...series, figures: fillGaps(state.frequency, series.figures) },
    isRevised: AGENCIES[feed.agency].revises,
    isRate: state.units.startsWith('Percent'),
    taken: now().toISOString(),
    today,
    latest,
    estimate(date) {
      const usual = estimatePublication(released, date, until);
      // Published again since, the value is no longer the one of the first release.
      if (state.frequency === 'Daily' || usual > latest(date)) return usual;
      const earliest = shiftDay(periodEnd(state.frequency, date), 1);
      return findReleaseDay(db, siblings, date, { earliest, latest: latest(date) }) ?? usual;
    },
  });
}

/** A month, quarter or year without a figure between two others is missing: null, as FRED has it. */
function fillGaps(frequency: string, figures: readonly Figure[]): Figure[] {
  return figures.flatMap((figure, index) => {
    const missing: Figure[] = [];
    const next = figures[index + 1]?.date ?? '';
    let date = shiftPeriods(frequency, figure.date, 1);
    for (; date !== undefined && date < next; date = shiftPeriods(frequency, date, 1)) {
      missing.push({ date, value: null });
    }
    return [figure, ...missing];
  });
}

function describeFault(agency: AgencyName, error: Error): string {
  const { name } = AGENCIES[agency];
  return error instanceof MismatchError
    ? `${name} was asked, but ${error.message}.`
    : toUserMessage(name, error);
}
