import { isUnsent, isUpstreamError, toUserMessage } from '../../upstream/errors.ts';
import { easternDay, shiftPeriods } from './agencies/calendar.ts';
import { AGENCIES, type AgencySeries, type Feed, type Figure } from './agencies/feed.ts';
import { storeAgencySeries, storedFigures } from './agency-ingest.ts';
import { MismatchError, OTHER_BASE } from './continuation.ts';
import type { RefreshTools } from './fred-refresh.ts';
import { listRefreshStates, type RefreshState } from './queries.ts';
import { estimatePublication, isFinal, latestFirstRelease } from './releases.ts';
import { isDue, nextDue, retryTime } from './schedule.ts';
import { recordCheck, recordFailure } from './vintage-ingest.ts';

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
 * as they are where something fails. Where it fills in for FRED, what FRED's failure has recorded
 * stays. Rejects with the signal's reason, or when the store fails.
 */
export async function refreshFeed(
  { db, now, log }: RefreshTools,
  feed: Feed,
  { signal, fillsIn }: { signal: AbortSignal; fillsIn: boolean },
): Promise<FeedOutcome> {
  const outcome: FeedOutcome = {
    ...{ changed: [], unchanged: [], failed: [] },
    ...{ fault: null, isUnreachable: false },
  };
  const fail = (states: readonly RefreshState[], error: Error) => {
    const fault = describeFault(feed, error);
    outcome.fault ??= fault;
    outcome.failed.push(...states.map(({ seriesId }) => seriesId));
    if (fillsIn) return;
    for (const { seriesId, nextDue: due } of states) {
      const retryAt = retryTime(error, { due, feed }, now());
      recordFailure(db, seriesId, { fault, retryAt, isDue: true });
    }
  };
  const states = listRefreshStates(db).filter(({ seriesId }) => feed.seriesIds.includes(seriesId));
  const stored = storedFigures(db);
  let delivery: readonly AgencySeries[] | null;
  try {
    delivery = await feed.fetch(stored, easternDay(now()), signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isUpstreamError(error)) throw error;
    outcome.isUnreachable = isUnsent(error);
    // Then the message names the host, which is the cause for all its feeds.
    log(`macro: ${outcome.isUnreachable ? '' : `${feed.name}: `}${error.message}`);
    const due = states.filter((state) => isDue(state.nextDue, now()));
    fail(due, error);
    return outcome;
  }
  for (const state of states) {
    const { seriesId } = state;
    try {
      const isChanged = db
        .transaction(() => {
          const changes = delivery !== null && storeSeries({ db, now }, feed, delivery, state);
          recordCheck(db, seriesId, {
            by: 'agency',
            taken: now().toISOString(),
            nextDue: nextDue(db, { ...state, feed }, now()),
          });
          return changes;
        })
        .immediate();
      outcome[isChanged ? 'changed' : 'unchanged'].push(seriesId);
    } catch (error) {
      if (!(error instanceof MismatchError)) throw error;
      log(`macro: ${feed.name}: ${seriesId}: ${error.message}`);
      fail([state], error);
    }
  }
  if (outcome.failed.length === 0) stored.saveVersions();
  return outcome;
}

/** Returns whether anything changed; throws a MismatchError for figures that do not continue those stored. */
function storeSeries(
  { db, now }: Pick<RefreshTools, 'db' | 'now'>,
  feed: Feed,
  delivery: readonly AgencySeries[],
  state: RefreshState,
): boolean {
  const { seriesId, frequency, units } = state;
  const series = delivery.find((each) => each.seriesId === seriesId);
  if (series === undefined) throw new MismatchError('it sent no figures');
  if (series.units !== undefined && series.units !== units) throw new MismatchError(OTHER_BASE);
  const released = { seriesId, frequency, feed };
  const today = easternDay(now());
  // Nothing in a file came out later than the file.
  const until = series.figures.at(-1)?.released ?? today;
  return storeAgencySeries(db, {
    agency: feed.agency,
    series: { ...series, figures: fillGaps(frequency, series.figures) },
    isRevised: AGENCIES[feed.agency].revises,
    isRate: units.startsWith('Percent'),
    isFinal: isFinal(seriesId),
    today,
    latest: (date) => latestFirstRelease(released, date),
    estimate: (date) => estimatePublication(released, date, until),
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

function describeFault({ agency }: Feed, error: Error): string {
  const { name } = AGENCIES[agency];
  return error instanceof MismatchError
    ? `${name} was asked, but ${error.message}.`
    : toUserMessage(name, error);
}
