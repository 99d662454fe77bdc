import * as z from 'zod';
import type { HttpClient, HttpResponse } from '../../../upstream/client.ts';
import { HttpError, RejectedRequestError } from '../../../upstream/failures.ts';
import { listOf, readJson } from '../../../upstream/json.ts';
import { rowsOfFeed } from '../facts/indicators.ts';
import {
  type AgencySeries,
  byDate,
  createFeed,
  type Feed,
  type Figure,
  readNumber,
} from './feed.ts';

/** Bureau of Labor Statistics ids by FRED id. */
const SERIES: ReadonlyMap<string, string> = new Map(
  rowsOfFeed('bls').map(({ series_id, agency }) => [series_id, agency.id ?? series_id]),
);
/** The API silently cuts a longer range. */
const MOST_YEARS = 10;
const INTERVAL_MS = 60_000;
/** After one refusal the API keeps refusing for a while. */
const PAUSE_MS = 3 * 60 * 60_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Maximum number of rows per series; a year has 13, including its mean. */
const MAX_MONTHS = 1_000;

const responseBody = z.object({ status: z.string() });
/** Only a successful query has results of this shape. */
const success = z.object({
  Results: z.object({
    series: listOf(
      z.object({
        seriesID: z.string(),
        data: listOf(
          z.object({ year: z.string(), period: z.string(), value: z.string() }),
          MAX_MONTHS,
        ),
      }),
      SERIES.size,
    ),
  }),
});

/** Fetches all series at once: the API allows 25 queries a day per address, but may refuse the fourth. */
export function createBlsFeed(
  client: Pick<HttpClient, 'get'>,
  { baseUrl }: { baseUrl: string },
): Feed {
  return createFeed('bls', 'bls', (_, today, signal) => {
    const endYear = Number(today.slice(0, 4));
    return client.get(`${baseUrl}/timeseries/data/`, {
      json: {
        seriesid: [...SERIES.values()],
        startyear: String(endYear - MOST_YEARS + 1),
        endyear: String(endYear),
      },
      read: (response) => parseBls(response, today),
      maxBytes: MAX_BYTES,
      intervalMs: INTERVAL_MS,
      signal,
    });
  });
}

function parseBls({ body }: HttpResponse, today: string): AgencySeries[] {
  const { status } = readJson(body, responseBody, 'BLS');
  if (status === 'REQUEST_NOT_PROCESSED') {
    // Equivalent of HTTP 429.
    const more = { status: 429, retryAfterMs: PAUSE_MS };
    throw new HttpError('status', 'BLS did not process the query', more);
  }
  if (status !== 'REQUEST_SUCCEEDED') throw new RejectedRequestError('BLS rejected the query.');
  const { series: sent } = readJson(body, success, 'BLS').Results;
  return [...SERIES].flatMap(([seriesId, id]) => {
    const rows = sent.find((series) => series.seriesID === id)?.data ?? [];
    const figures = readFigures(rows, today);
    return figures.some(({ value }) => value !== null) ? [{ seriesId, figures }] : [];
  });
}

/** Sorts rows, which are sent newest first; ignores months that have not ended, and M13, the mean of the year. */
function readFigures(
  rows: readonly { year: string; period: string; value: string }[],
  today: string,
): Figure[] {
  const figures = rows.flatMap(({ year, period, value: text }) => {
    const month = `${year}-${period.replace('M', '')}`;
    if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month) || month >= today.slice(0, 7)) return [];
    const value = ['-', ''].includes(text.trim()) ? null : readNumber(text);
    return value === undefined ? [] : [{ date: `${month}-01`, value }];
  });
  return figures.sort(byDate);
}
