import { InvalidResponseError } from '../../upstream/errors.ts';
import type { HttpClient, Reply } from '../../upstream/http.ts';
import {
  FIRST_DAY,
  FredRequestError,
  LAST_DAY,
  MEANINGFUL_STATUSES,
  type ObservationPeriod,
  type ObservationWindow,
  type Page,
  type PageRequest,
  parseObservations,
  parseSeries,
  parseVintageDates,
  type SeriesDescription,
} from './fred-wire.ts';

export type { ObservationPeriod, ObservationWindow, SeriesDescription };
export { FIRST_DAY, FredRequestError };

const KEY = /^[0-9a-z]{32}$/;

/**
 * Trims and checks a key: 32 lower-case letters or digits. Throws a FredRequestError that says what
 * is wrong without quoting the key.
 */
export function readFredKey(text: string): string {
  const key = text.trim();
  if (KEY.test(key)) return key;
  const hint = KEY.test(key.toLowerCase()) ? ' This one has upper-case letters.' : '';
  throw new FredRequestError(
    'bad_key',
    `FRED_API_KEY is not a valid FRED key (32 lower-case letters or digits).${hint}`,
  );
}

export type FredSource = ReturnType<typeof createFredSource>;

export interface FredOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  apiKey: string;
  /** Overrides the interval between requests, in milliseconds. */
  paceMs: number | undefined;
}

/** FRED allows 120 requests a minute per key; this stays well below. */
const INTERVAL_MS = 600;
const OBSERVATIONS_LIMIT = 100_000;
const VINTAGES_LIMIT = 10_000;
/** A row takes about 90 bytes. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Rows of a list, far above any real one, so that paging always ends. */
const MOST_ROWS = 2_000_000;

/**
 * The FRED queries that we use. Calls reject with the client's errors or a FredRequestError. The API
 * key appears in request URLs and nowhere else. Throws a FredRequestError when the key is malformed.
 */
export function createFredSource(client: Pick<HttpClient, 'get'>, options: FredOptions) {
  const { baseUrl, paceMs } = options;
  const apiKey = readFredKey(options.apiKey);
  // Checked here because URL errors quote the URL, which includes the key.
  if (!URL.canParse(baseUrl)) throw new Error('the FRED base URL is not a valid URL');

  function ask<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    parse: (reply: Reply) => T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const search = new URLSearchParams({ ...query, file_type: 'json', api_key: apiKey });
    return client.get(`${baseUrl}/fred/${path}?${search}`, {
      statuses: MEANINGFUL_STATUSES,
      read: parse,
      maxBytes: MAX_BYTES,
      intervalMs: paceMs ?? INTERVAL_MS,
      signal,
    });
  }

  return {
    describeSeries(seriesId: string, signal?: AbortSignal): Promise<SeriesDescription> {
      return ask('series', { series_id: seriesId }, (r) => parseSeries(r, seriesId), signal);
    },

    /** Oldest first. */
    listVintageDates(seriesId: string, signal?: AbortSignal): Promise<string[]> {
      const query = { series_id: seriesId, realtime_start: FIRST_DAY, realtime_end: LAST_DAY };
      return readPages(VINTAGES_LIMIT, (page) => {
        const parse = (reply: Reply) => parseVintageDates(reply, page);
        return ask('series/vintagedates', { ...query, ...paging(page) }, parse, signal);
      });
    },

    /** Sorted by date, then rtStart; the periods of one date never overlap. */
    listObservations(
      seriesId: string,
      window: ObservationWindow,
      signal?: AbortSignal,
    ): Promise<ObservationPeriod[]> {
      const { rtStart, rtEnd = LAST_DAY } = window;
      const period = { realtime_start: rtStart, realtime_end: rtEnd };
      const query = { series_id: seriesId, output_type: '1', ...period };
      return readPages(OBSERVATIONS_LIMIT, (page) => {
        const parse = (reply: Reply) => parseObservations(reply, { ...page, ...window });
        return ask('series/observations', { ...query, ...paging(page) }, parse, signal);
      });
    },
  };
}

async function readPages<T>(
  limit: number,
  askPage: (page: PageRequest) => Promise<Page<T>>,
): Promise<T[]> {
  const { count, rows } = await askPage({ offset: 0, limit });
  if (count > MOST_ROWS) throw new InvalidResponseError('FRED announced an implausible row count.');
  const all = [...rows];
  while (all.length < count) {
    const page = await askPage({ offset: all.length, limit });
    if (page.count !== count) {
      throw new InvalidResponseError('FRED changed the list while it was read.');
    }
    for (const row of page.rows) all.push(row);
  }
  return all;
}

function paging({ offset, limit }: PageRequest) {
  return { sort_order: 'asc', limit: `${limit}`, offset: `${offset}` };
}
