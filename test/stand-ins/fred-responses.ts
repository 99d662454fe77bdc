import { json, type StandInResponse } from './faults.ts';
import type { FredHistory } from './fred-history.ts';

export interface StandInSeries {
  id: string;
  history: FredHistory;
  title: string;
  units: string;
  frequency: string;
  seasonalAdjustment: string;
  /** In FRED's format: "2026-08-20 07:46:36-05". */
  lastUpdated: string;
}

export interface FredSettings {
  /** The registered key. */
  apiKey: string;
  /** Maximum number of vintages in one response. */
  mostVintages: number;
  /** FRED's current date: the default for both ends of the real-time period. */
  today: string;
}

const FIRST = '1776-07-04';
const LAST = '9999-12-31';

/** An error body in FRED's format. */
export function fredError(message: string): string {
  return JSON.stringify({ error_code: 400, error_message: `Bad Request.  ${message}` });
}

export const FRED_ERRORS = {
  keyUnknown: 'The value for variable api_key is not registered.',
  noSeries: 'The series does not exist.',
  limit: 'Variable limit is not between 1 and 100000.',
} as const;

function refuse(message: string): StandInResponse {
  return { ...json(null, 400), body: Buffer.from(fredError(message)) };
}

/** FRED's response to one request. */
export function respondAsFred(
  url: URL,
  series: readonly StandInSeries[],
  settings: FredSettings,
): StandInResponse {
  const query = url.searchParams;
  if (query.get('api_key') !== settings.apiKey) return refuse(FRED_ERRORS.keyUnknown);
  if (query.get('file_type') !== 'json') return refuse('The stand-in speaks JSON only.');
  const match = series.find(({ id }) => id === query.get('series_id'));
  if (match === undefined) return refuse(FRED_ERRORS.noSeries);
  switch (url.pathname) {
    case '/fred/series':
      return json({ seriess: [describe(match, settings)] });
    case '/fred/series/vintagedates':
      return vintageDates(query, match);
    case '/fred/series/observations':
      return observations(query, match, settings);
    default:
      return json({ error_code: 404, error_message: 'Not Found.' }, 404);
  }
}

function describe(series: StandInSeries, { today }: FredSettings) {
  const rows = series.history.listRows({ from: today, to: today, start: '', end: LAST });
  const { id, title, units, frequency } = series;
  return {
    id,
    title,
    observation_start: rows[0]?.date ?? today,
    observation_end: rows.at(-1)?.date ?? today,
    frequency,
    frequency_short: frequency.charAt(0),
    units,
    seasonal_adjustment: series.seasonalAdjustment,
    last_updated: series.lastUpdated,
  };
}

function vintageDates(query: URLSearchParams, { history }: StandInSeries): StandInResponse {
  const { limit, offset } = paging(query, 10_000);
  const from = query.get('realtime_start') ?? FIRST;
  const to = query.get('realtime_end') ?? LAST;
  const days = history.listDays(from, to);
  return json({
    count: days.length,
    offset,
    limit,
    vintage_dates: days.slice(offset, offset + limit),
  });
}

function observations(
  query: URLSearchParams,
  { history }: StandInSeries,
  { mostVintages, today }: FredSettings,
): StandInResponse {
  const { limit, offset } = paging(query, 100_000);
  const from = query.get('realtime_start') ?? today;
  const to = query.get('realtime_end') ?? today;
  if ((to > today && to !== LAST) || from > today) {
    return refuse(
      `Variable realtime_end can not be after today's date (${today}) unless it's equal to the real-time max date 9999-12-31.`,
    );
  }
  const vintages = history.listDays(from, to).length;
  if (vintages > mostVintages) {
    return refuse(
      `There are ${vintages} vintage dates in the specified real-time period: ${from} to ${to}.  This exceeds the maximum number of vintage dates allowed (${mostVintages}).`,
    );
  }
  const start = query.get('observation_start') ?? '1600-01-01';
  const end = query.get('observation_end') ?? LAST;
  const rows = history.listRows({ from, to, start, end });
  return json({
    count: rows.length,
    offset,
    limit,
    observations: rows.slice(offset, offset + limit),
  });
}

function paging(query: URLSearchParams, most: number): { limit: number; offset: number } {
  const limit = Number(query.get('limit') ?? most);
  const offset = Number(query.get('offset') ?? 0);
  return { limit: Math.min(limit, most), offset };
}
