import type { Database } from 'better-sqlite3';
import { shiftDay } from '../../core/time.ts';
import { InvalidResponseError, isUpstreamError, toUserMessage } from '../../upstream/errors.ts';
import { easternDay } from './agencies/calendar.ts';
import {
  FIRST_DAY,
  FredRequestError,
  type FredSource,
  type ObservationPeriod,
  type ObservationWindow,
  type SeriesDescription,
} from './fred.ts';
import type { RefreshState } from './queries.ts';
import { finalReleaseOf } from './releases.ts';
import { isDue, nextReleaseAfter, retryTime } from './schedule.ts';
import { type Fill, LostHistory, recordCheck, recordFailure, storeFill } from './vintage-ingest.ts';
import { compareVintages, joinRuns, type Vintage } from './vintages.ts';

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
      // Where an agency is ahead, FRED is overdue.
      const last = fill.vintages.findLast(({ rtEnd, value }) => rtEnd === null && value !== null);
      const due = nextReleaseAfter(state, last?.date ?? easternDay(now()), now());
      recordCheck(db, seriesId, { by: 'fred', taken, nextDue: due.toISOString() });
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

/**
 * Indices that re-estimate their whole history with each release. All vintages would be millions of
 * rows, so only the last two years of vintages are kept.
 */
const WHOLE_HISTORY_REESTIMATED: ReadonlySet<string> = new Set(['NFCI', 'STLFSI4']);
const YEARS_OF_REESTIMATES = 2;

/** Below FRED's limit of 2,000 in one response, to leave room for those published meanwhile. */
const VINTAGES_PER_REQUEST = 1_900;

export interface FillOptions {
  signal?: AbortSignal | undefined;
  /** A lower limit for tests. */
  vintagesPerRequest?: number;
}

/**
 * Fetches the vintages of a series since the last one stored, or all of them: the first time, and
 * where there are too many for one response. Rejects like the source, and with an
 * InvalidResponseError for a series without observations.
 */
export async function fetchVintages(
  source: FredSource,
  seriesId: string,
  lastVintage: string | null,
  options: FillOptions = {},
): Promise<Fill> {
  const fill =
    (lastVintage && (await fetchSince(source, seriesId, lastVintage, options))) ||
    (await fetchAll(source, seriesId, options));
  if (fill.vintages.length === 0) {
    throw new InvalidResponseError('FRED sent a series without observations.');
  }
  return fill;
}

async function fetchAll(
  source: FredSource,
  seriesId: string,
  { signal, vintagesPerRequest = VINTAGES_PER_REQUEST }: FillOptions,
): Promise<Fill> {
  const description = await source.describeSeries(seriesId, signal);
  const all = await source.listVintageDates(seriesId, signal);
  const days = recentDays(seriesId, all);
  const [firstDay = FIRST_DAY] = days;
  const from = days.length < all.length ? firstDay : FIRST_DAY;
  const rows: ObservationPeriod[] = [];
  for (const window of cutIntoWindows(days, from, vintagesPerRequest)) {
    for (const row of await source.listObservations(seriesId, window, signal)) rows.push(row);
  }
  expectWhole(rows, description);
  return {
    seriesId,
    since: null,
    // FRED clips rows at the ends of a window, so the parts of a value abut and can be joined.
    vintages: joinRuns(rows.sort(compareVintages).map((row) => toVintage(seriesId, row, firstDay))),
    lastVintage: latestOf(rows, days.at(-1) ?? firstDay),
    description,
  };
}

/** Values in the archive on its first day may have been published long before; final ones were. */
function toVintage(seriesId: string, row: ObservationPeriod, firstDay: string): Vintage {
  if (row.rtStart > firstDay || row.date >= firstDay) {
    return { ...row, exact: 1, knownFrom: row.rtStart };
  }
  const day = finalReleaseOf(seriesId, row.date) ?? row.rtStart;
  const rtStart = day < row.rtStart ? day : row.rtStart;
  return { ...row, rtStart, exact: 0, knownFrom: rtStart };
}

/** Null where there are too many vintages for one response. */
async function fetchSince(
  source: FredSource,
  seriesId: string,
  since: string,
  { signal }: FillOptions,
): Promise<Fill | null> {
  try {
    const rows = await source.listObservations(seriesId, { rtStart: since }, signal);
    const vintages = joinRuns(
      rows.map((row) => ({ ...row, exact: 1 as const, knownFrom: row.rtStart })),
    );
    const description = isRewritten(vintages, since)
      ? await source.describeSeries(seriesId, signal)
      : null;
    return { seriesId, since, vintages, lastVintage: latestOf(rows, since), description };
  } catch (error) {
    if (error instanceof FredRequestError && error.code === 'too_many_vintages') return null;
    throw error;
  }
}

/** Most values of `since` have ended, as on a new base, which has other units. */
function isRewritten(vintages: readonly Vintage[], since: string): boolean {
  const current = vintages.filter(({ rtStart }) => rtStart === since);
  return current.filter(({ rtEnd }) => rtEnd !== null).length * 2 > current.length;
}

/** Checks a first fill against FRED's own description of the series, the only thing to compare with. */
function expectWhole(
  rows: readonly ObservationPeriod[],
  { observationStart, observationEnd }: SeriesDescription,
): void {
  const begins = rows.some(({ date }) => date <= observationStart);
  const ends = rows.some(({ date }) => date >= observationEnd);
  if (!begins || !ends) throw new InvalidResponseError('FRED sent only part of a series.');
}

/** Newest first, so that no vintage published meanwhile falls between two windows. */
function cutIntoWindows(days: readonly string[], from: string, size: number): ObservationWindow[] {
  if (days.length === 0) return [{ rtStart: from }];
  const windows: ObservationWindow[] = [];
  for (let end = days.length; end > 0; end -= size) {
    const rtStart = end > size ? (days[end - size] ?? from) : from;
    const next = days[end];
    windows.push(next === undefined ? { rtStart } : { rtStart, rtEnd: shiftDay(next, -1) });
  }
  return windows;
}

/** The vintage dates to request. */
function recentDays(seriesId: string, days: readonly string[]): readonly string[] {
  const last = days.at(-1);
  if (last === undefined || !WHOLE_HISTORY_REESTIMATED.has(seriesId)) return days;
  const cutoff = `${Number(last.slice(0, 4)) - YEARS_OF_REESTIMATES}${last.slice(4)}`;
  return days.filter((day) => day >= cutoff);
}

/** The latest vintage date in `rows`, a start or the day after an end, or `atLeast`. */
function latestOf(rows: readonly ObservationPeriod[], atLeast: string): string {
  let day = atLeast;
  for (const { rtStart, rtEnd } of rows) {
    if (rtStart > day) day = rtStart;
    if (rtEnd !== null && rtEnd >= day) day = shiftDay(rtEnd, 1);
  }
  return day;
}
