import * as z from 'zod';
import { isCalendarDay } from '../../../core/fields.ts';
import { cleanLine, cut, parseJson } from '../../../core/text.ts';
import type { HttpClient, HttpResponse } from '../../../upstream/client.ts';
import { InvalidResponseError, RejectedRequestError } from '../../../upstream/failures.ts';
import { listOf, readJson } from '../../../upstream/json.ts';
import { FRED_KEY_PAGE, MALFORMED_KEY } from '../facts/agencies.ts';
import type { Vintage } from '../facts/vintages.ts';

const WORDS = {
  bad_key: 'FRED rejected the key: check FRED_API_KEY.',
  no_series: 'FRED has no series with this id.',
  too_many_vintages: 'FRED refused a request for too many vintages.',
  locked: "FRED has locked this key or IP address: ask FRED's help desk to unlock it.",
  bad_request: 'FRED rejected the request.',
} as const;
type FredErrorCode = keyof typeof WORDS;

export class FredRequestError extends RejectedRequestError {
  override readonly name = 'FredRequestError';
  readonly code: FredErrorCode;

  constructor(code: FredErrorCode, message: string = WORDS[code]) {
    super(message);
    this.code = code;
  }
}

/** Error codes by the text of FRED's `error_message`. */
const MESSAGES: readonly (readonly [RegExp, FredErrorCode])[] = [
  [/\bapi_key\b/i, 'bad_key'],
  [/\bseries does not exist/i, 'no_series'],
  [/\bmaximum number of vintage dates\b/i, 'too_many_vintages'],
];

/** FRED's bounds of real time: the earliest date, and "still current". */
export const FIRST_DAY = '1776-07-04';
const LAST_DAY = '9999-12-31';
/** FRED allows 120 requests a minute per key; this stays well below. */
const INTERVAL_MS = 600;
/** FRED's own limits on rows per page. */
const OBSERVATIONS_LIMIT = 100_000;
const VINTAGES_LIMIT = 10_000;
/** A row takes about 90 bytes. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Far above any real list; ensures that paging ends. */
const MOST_ROWS = 2_000_000;

const KEY = /^[0-9a-z]{32}$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}[+-]\d{2}$/;

const text = z.string();
const day = text.refine(isCalendarDay);
/** One line, cut far beyond the length of any FRED title. */
const line = text.transform((words) => cut(cleanLine(words), 400));
const counted = { count: z.int().min(0), offset: z.int().min(0) };
const seriesPage = z.object({
  seriess: listOf(
    z.object({
      id: text,
      title: line,
      observation_start: day.refine((start) => start >= FIRST_DAY),
      observation_end: day,
      units: line,
      last_updated: text.transform(instantOf),
    }),
    1,
  ),
});
const vintagesPage = z.object({ ...counted, vintage_dates: listOf(day, VINTAGES_LIMIT) });
const observationsPage = z.object({
  ...counted,
  observations: listOf(
    z.object({ realtime_start: text, realtime_end: text, date: text, value: text }),
    OBSERVATIONS_LIMIT,
  ),
});
const refusal = z.object({ error_message: text });

export type SeriesDescription = ReturnType<typeof parseSeries>;

/** One value for one date; FRED clips its validity to the requested real-time period. */
export type ObservationPeriod = Omit<Vintage, 'exact' | 'knownFrom'>;

/** A real-time period. Bounds are inclusive; without an end it is open-ended. */
export interface ObservationWindow {
  rtStart: string;
  rtEnd?: string;
}

export type FredSource = ReturnType<typeof createFredSource>;

/** Trims and checks a key. Throws a FredRequestError for a malformed key, without quoting it. */
export function readFredKey(text: string): string {
  const key = text.trim();
  if (KEY.test(key)) return key;
  throw new FredRequestError('bad_key', `${MALFORMED_KEY}. Get a free one at ${FRED_KEY_PAGE}`);
}

/**
 * The FRED queries that we use. Calls reject with the client's errors or a FredRequestError. The
 * API key appears in request URLs and nowhere else. Throws a FredRequestError if the key is
 * malformed. `baseUrl` has no trailing slash.
 */
export function createFredSource(
  client: Pick<HttpClient, 'get'>,
  options: { baseUrl: string; apiKey: string },
) {
  const { baseUrl } = options;
  const apiKey = readFredKey(options.apiKey);
  // Checked here because URL errors quote the URL, which includes the key.
  if (!URL.canParse(baseUrl)) throw new Error('the FRED base URL is not a valid URL');

  function get<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    read: (response: HttpResponse) => T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const search = new URLSearchParams({ ...query, file_type: 'json', api_key: apiKey });
    return client.get(`${baseUrl}/fred/${path}?${search}`, {
      // FRED's own errors; the client handles 429 and 5xx.
      statuses: [400, 423],
      read,
      maxBytes: MAX_BYTES,
      intervalMs: INTERVAL_MS,
      signal,
    });
  }

  /** All rows of a list, page by page. */
  async function list<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    limit: number,
    read: (response: HttpResponse) => { count: number; offset: number; rows: T[] },
    signal: AbortSignal | undefined,
  ): Promise<T[]> {
    const all: T[] = [];
    let total: number | undefined;
    do {
      const offset = all.length;
      const paging = { sort_order: 'asc', limit: `${limit}`, offset: `${offset}` };
      const readPage = (response: HttpResponse) => {
        const page = read(response);
        const expected = Math.max(Math.min(limit, page.count - offset), 0);
        if (page.offset !== offset || page.rows.length !== expected) {
          throw invalid('sent a number of rows that contradicts its count');
        }
        return page;
      };
      const { count, rows } = await get(path, { ...query, ...paging }, readPage, signal);
      total ??= count;
      if (count > MOST_ROWS) throw invalid('announced an implausible row count');
      if (count !== total) throw invalid('changed the list while it was being read');
      for (const row of rows) all.push(row);
    } while (all.length < total);
    return all;
  }

  return {
    describeSeries(seriesId: string, signal?: AbortSignal): Promise<SeriesDescription> {
      return get('series', { series_id: seriesId }, (r) => parseSeries(r, seriesId), signal);
    },

    /** Oldest first. */
    listVintageDates(seriesId: string, signal?: AbortSignal): Promise<string[]> {
      const query = { series_id: seriesId, realtime_start: FIRST_DAY, realtime_end: LAST_DAY };
      return list('series/vintagedates', query, VINTAGES_LIMIT, parseVintageDates, signal);
    },

    /** Sorted by date, then rtStart; the periods of one date never overlap. */
    listObservations(
      seriesId: string,
      { rtStart, rtEnd = LAST_DAY }: ObservationWindow,
      signal?: AbortSignal,
    ): Promise<ObservationPeriod[]> {
      const period = { realtime_start: rtStart, realtime_end: rtEnd };
      const query = { series_id: seriesId, output_type: '1', ...period };
      const read = (response: HttpResponse) => parseObservations(response, rtStart, rtEnd);
      return list('series/observations', query, OBSERVATIONS_LIMIT, read, signal);
    },
  };
}

function isEarlier(previous: ObservationPeriod, next: ObservationPeriod): boolean {
  return previous.date === next.date
    ? previous.rtEnd !== null && previous.rtEnd < next.rtStart
    : previous.date < next.date;
}

function parseSeries(response: HttpResponse, seriesId: string) {
  const [record] = parse(response, seriesPage).seriess;
  if (record?.id.toUpperCase() !== seriesId.toUpperCase()) {
    throw invalid('described a series other than the one requested');
  }
  return {
    title: record.title,
    units: record.units,
    /** When the series last changed, ISO 8601 UTC. */
    lastUpdated: record.last_updated,
    /** First and last date with a value, YYYY-MM-DD. */
    observationStart: record.observation_start,
    observationEnd: record.observation_end,
  };
}

function parseVintageDates(response: HttpResponse) {
  const { vintage_dates: days, ...page } = parse(response, vintagesPage);
  if (days.some((each, at) => at > 0 && each <= (days[at - 1] ?? ''))) {
    throw invalid('sent a list out of order');
  }
  return { ...page, rows: days };
}

/** Parses rows of output_type 1; rejects periods that overlap or are out of order. */
function parseObservations(response: HttpResponse, rtStart: string, rtEnd: string) {
  const { observations, ...page } = parse(response, observationsPage);
  let previous: ObservationPeriod | undefined;
  const rows = observations.map(({ realtime_start: from, realtime_end: to, date, value }) => {
    if (![from, to, date].every(isCalendarDay)) throw invalid('sent an invalid date');
    if (from < rtStart || to > rtEnd || from > to) {
      throw invalid('sent a row outside the requested period');
    }
    const until = to === LAST_DAY ? null : to;
    const row = { date, value: readValue(value), rtStart: from, rtEnd: until };
    if (previous !== undefined && !isEarlier(previous, row)) {
      throw invalid('sent a list out of order');
    }
    previous = row;
    return row;
  });
  return { ...page, rows };
}

/** Throws a FredRequestError for a rejected request, an InvalidResponseError if a retry may help. */
function parse<T>({ status, body }: HttpResponse, shape: z.ZodType<T>): T {
  if (status === 423) throw new FredRequestError('locked');
  if (status === 400) {
    const message = refusal.safeParse(parseJson(body.toString('utf8'))).data?.error_message ?? '';
    const code = MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
    throw new FredRequestError(code ?? 'bad_request');
  }
  return readJson(body, shape, 'FRED');
}

function readValue(text: string): number | null {
  if (text === '.' || text === '') return null;
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw invalid('sent a value that is not a number');
  return value;
}

/** FRED's "2026-01-22 07:46:36-06" as ISO 8601 UTC. */
function instantOf(text: string, refinement: z.core.$RefinementCtx<string>): string {
  const at = TIME.test(text) ? Date.parse(`${text.replace(' ', 'T')}:00`) : Number.NaN;
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  refinement.addIssue('not a FRED timestamp');
  return z.NEVER;
}

function invalid(what: string): InvalidResponseError {
  return new InvalidResponseError(`FRED ${what}.`);
}
