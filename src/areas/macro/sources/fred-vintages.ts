import { shiftDay } from '../../../core/time.ts';
import { InvalidResponseError } from '../../../upstream/failures.ts';
import { INDICATOR_OF } from '../facts/indicators.ts';
import { finalReleaseOf } from '../facts/releases.ts';
import { compareVintages, joinAbutting, type Vintage } from '../facts/vintages.ts';
import {
  FIRST_DAY,
  FredRequestError,
  type FredSource,
  type ObservationPeriod,
  type ObservationWindow,
  type SeriesDescription,
} from './fred.ts';

/** Vintages of a series, complete from `since` on. */
export interface Fill {
  seriesId: string;
  /** First real-time day that an update covers; null for any other fill. */
  since: string | null;
  /** Sorted by date, then rtStart; values current on `since` begin on that day. */
  vintages: Vintage[];
  /** The latest vintage date: where the next fill begins. */
  lastVintage: string;
  description: SeriesDescription | null;
}

/** Years of vintages to fetch for an index re-estimated every week; all would be millions of rows. */
const YEARS_OF_REESTIMATES = 2;

/** Below FRED's limit of 2,000 per response, to leave room for vintages published meanwhile. */
const VINTAGES_PER_REQUEST = 1_900;

/**
 * Fetches the vintages of a series since the last stored one. The first time, or if these are too
 * many for one response, fetches all, or two years of a re-estimated index. Rejects like the source,
 * and with an InvalidResponseError for a series without observations.
 */
export async function fetchVintages(
  source: FredSource,
  seriesId: string,
  lastVintage: string | null,
  signal?: AbortSignal,
  perRequest = VINTAGES_PER_REQUEST,
): Promise<Fill> {
  const fill =
    (lastVintage && (await fetchSince(source, seriesId, lastVintage, signal))) ||
    (await fetchAll(source, seriesId, perRequest, signal));
  if (fill.vintages.length === 0) {
    throw new InvalidResponseError('FRED sent a series without observations.');
  }
  return fill;
}

async function fetchAll(
  source: FredSource,
  seriesId: string,
  perRequest: number,
  signal: AbortSignal | undefined,
): Promise<Fill> {
  const description = await source.describeSeries(seriesId, signal);
  const all = await source.listVintageDates(seriesId, signal);
  const days = recentDays(seriesId, all);
  const [firstDay = FIRST_DAY] = days;
  const from = days.length < all.length ? firstDay : FIRST_DAY;
  const rows: ObservationPeriod[] = [];
  for (const window of cutIntoWindows(days, from, perRequest)) {
    for (const row of await source.listObservations(seriesId, window, signal)) rows.push(row);
  }
  expectWhole(rows, description);
  return {
    seriesId,
    since: null,
    // FRED clips rows to the window, so a row that spans several windows arrives in abutting parts.
    vintages: joinAbutting(
      rows.sort(compareVintages).map((row) => toVintage(seriesId, row, firstDay)),
    ),
    lastVintage: latestOf(rows, days.at(-1) ?? firstDay),
    description,
  };
}

/** A row as old as FRED's archive may have come out earlier: in a `final` series, on its usual day. */
function toVintage(seriesId: string, row: ObservationPeriod, firstDay: string): Vintage {
  if (row.rtStart > firstDay || row.date >= firstDay) {
    return { ...row, exact: 1, knownFrom: row.rtStart };
  }
  const day = finalReleaseOf(seriesId, row.date) ?? row.rtStart;
  const rtStart = day < row.rtStart ? day : row.rtStart;
  return { ...row, rtStart, exact: 0, knownFrom: rtStart };
}

/** Fetches an update; null if it has too many vintages for one response. */
async function fetchSince(
  source: FredSource,
  seriesId: string,
  since: string,
  signal: AbortSignal | undefined,
): Promise<Fill | null> {
  try {
    const rows = await source.listObservations(seriesId, { rtStart: since }, signal);
    const vintages = joinAbutting(
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

/** Whether most values current on `since` have ended, as after a change of base and units. */
function isRewritten(vintages: readonly Vintage[], since: string): boolean {
  const current = vintages.filter(({ rtStart }) => rtStart === since);
  return current.filter(({ rtEnd }) => rtEnd !== null).length * 2 > current.length;
}

/** Checks a first fill against FRED's own description of the series. */
function expectWhole(
  rows: readonly ObservationPeriod[],
  { observationStart, observationEnd }: SeriesDescription,
): void {
  const begins = rows.some(({ date }) => date <= observationStart);
  const ends = rows.some(({ date }) => date >= observationEnd);
  if (!begins || !ends) throw new InvalidResponseError('FRED sent only part of a series.');
}

/** Windows of up to `size` vintages, newest first; the newest has no end. */
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

/** All vintage dates or, for a re-estimated index, those of the last two years. */
function recentDays(seriesId: string, days: readonly string[]): readonly string[] {
  const last = days.at(-1);
  if (last === undefined || !INDICATOR_OF.get(seriesId)?.reestimated) return days;
  const cutoff = `${Number(last.slice(0, 4)) - YEARS_OF_REESTIMATES}${last.slice(4)}`;
  return days.filter((day) => day >= cutoff);
}

/** The latest vintage date in `rows` (a start, or the day after an end), or `atLeast` if later. */
function latestOf(rows: readonly ObservationPeriod[], atLeast: string): string {
  let day = atLeast;
  for (const { rtStart, rtEnd } of rows) {
    if (rtStart > day) day = rtStart;
    if (rtEnd !== null && rtEnd >= day) day = shiftDay(rtEnd, 1);
  }
  return day;
}
