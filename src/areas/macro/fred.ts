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
  parseUpdates,
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
export function readFredKey(given: string): string {
  const key = given.trim();
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
const UPDATES_LIMIT = 1_000;
/** A row takes about 90 bytes, a series description 1 to 5 kB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Attempts at reading a list that changes between its pages. */
const PAGING_TRIES = 3;
/** Page limits, far above any real list, so that paging always ends. */
const MOST_PAGES = 20;
const MOST_UPDATE_PAGES = 50;

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
    async describeSeries(seriesId: string, signal?: AbortSignal): Promise<SeriesDescription> {
      return ask('series', { series_id: seriesId }, (r) => parseSeries(r, seriesId), signal);
    },

    /** Vintage dates from `since` (inclusive), oldest first. */
    async listVintageDates(
      seriesId: string,
      since: string = FIRST_DAY,
      signal?: AbortSignal,
    ): Promise<string[]> {
      const query = { series_id: seriesId, realtime_start: since, realtime_end: LAST_DAY };
      return collectPages(VINTAGES_LIMIT, isAscending, (page) => {
        const parse = (reply: Reply) => parseVintageDates(reply, { ...page, since });
        return ask('series/vintagedates', { ...query, ...paging(page) }, parse, signal);
      });
    },

    /** Sorted by date, then rtStart; the periods of one date never overlap. */
    async listObservations(
      seriesId: string,
      window: ObservationWindow,
      signal?: AbortSignal,
    ): Promise<ObservationPeriod[]> {
      const { rtStart, rtEnd = LAST_DAY } = window;
      const period = { realtime_start: rtStart, realtime_end: rtEnd };
      const query = { series_id: seriesId, output_type: '1', ...period };
      return collectPages(OBSERVATIONS_LIMIT, isInOrder, (page) => {
        const parse = (reply: Reply) => parseObservations(reply, { ...page, ...window });
        return ask('series/observations', { ...query, ...paging(page) }, parse, signal);
      });
    },

    /**
     * Series changed since then, latest first, each once; null when the list does not reach back that
     * far (FRED keeps two weeks). Regional series, most of the list, are filtered out: the catalogue
     * has none.
     */
    async listUpdates(since: Date, signal?: AbortSignal): Promise<SeriesDescription[] | null> {
      const from = since.toISOString();
      const found = new Map<string, SeriesDescription>();
      for (let offset = 0; offset < MOST_UPDATE_PAGES * UPDATES_LIMIT; offset += UPDATES_LIMIT) {
        const page = { offset, limit: UPDATES_LIMIT };
        const query = { filter_value: 'macro', limit: `${page.limit}`, offset: `${offset}` };
        const parse = (reply: Reply) => parseUpdates(reply, page);
        const { rows, count } = await ask('series/updates', query, parse, signal);
        // Updates during paging push rows down: some repeat, none is missed.
        for (const row of rows) {
          if (row !== null && row.lastUpdated >= from && !found.has(row.seriesId)) {
            found.set(row.seriesId, row);
          }
        }
        if (rows.some((row) => row !== null && row.lastUpdated < from)) return [...found.values()];
        if (offset + rows.length >= count) return null;
      }
      return null;
    },
  };
}

/** Reads all pages of a list, again from the start when count or order show a revision in between. */
async function collectPages<T>(
  limit: number,
  fits: (previous: T, next: T) => boolean,
  askPage: (page: PageRequest) => Promise<Page<T>>,
): Promise<T[]> {
  for (let tries = 1; ; tries += 1) {
    const all = await readPages(limit, askPage);
    const isWhole = all?.every((row, index) => {
      const previous = all[index - 1];
      return previous === undefined || fits(previous, row);
    });
    if (all !== null && isWhole) return all;
    if (tries === PAGING_TRIES)
      throw new InvalidResponseError('FRED changed the list while it was read.');
  }
}

/** Null when the count changed between pages. */
async function readPages<T>(
  limit: number,
  askPage: (page: PageRequest) => Promise<Page<T>>,
): Promise<T[] | null> {
  const { count, rows } = await askPage({ offset: 0, limit });
  if (count > MOST_PAGES * limit)
    throw new InvalidResponseError('FRED announced an implausible row count.');
  const all = [...rows];
  while (all.length < count) {
    const next = await askPage({ offset: all.length, limit });
    if (next.count !== count) return null;
    for (const row of next.rows) all.push(row);
  }
  return all;
}

function paging({ offset, limit }: PageRequest) {
  return { sort_order: 'asc', limit: `${limit}`, offset: `${offset}` };
}

function isAscending(previous: string, next: string): boolean {
  return previous < next;
}

/** By date, then by time; periods of one date do not overlap. */
function isInOrder(previous: ObservationPeriod, next: ObservationPeriod): boolean {
  if (previous.date !== next.date) return previous.date < next.date;
  return previous.rtEnd !== null && previous.rtEnd < next.rtStart;
}
