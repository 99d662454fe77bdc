import { BadAnswer, type PoliteClient, type Reply } from '../../upstream/polite.ts';
import { FredRefusal, type FredRefusalCode } from './fred/errors.ts';
import { readFredKey } from './fred/key.ts';
import type { ObservationPeriod, ObservationWindow, SeriesDescription } from './fred/records.ts';
import {
  FIRST_DAY,
  LAST_DAY,
  MEANINGFUL_STATUSES,
  type Page,
  type PageAsk,
  parseObservations,
  parseSeries,
  parseUpdates,
  parseVintageDates,
} from './fred/wire.ts';

export type { FredRefusalCode, ObservationPeriod, ObservationWindow, SeriesDescription };
export { FIRST_DAY, FredRefusal, readFredKey };

/**
 * Everything that is asked of FRED. A call rejects with what the client rejects with, or with a
 * FredRefusal; the key stands in the address of a request and nowhere else.
 */
export interface FredSource {
  describeSeries(seriesId: string, signal?: AbortSignal): Promise<SeriesDescription>;
  /** Days on which the figures changed, oldest first, from `since` (inclusive) on. */
  listVintageDates(seriesId: string, since?: string, signal?: AbortSignal): Promise<string[]>;
  /** In the order of date and rtStart; the periods of one date never overlap. */
  listObservations(
    seriesId: string,
    window: ObservationWindow,
    signal?: AbortSignal,
  ): Promise<ObservationPeriod[]>;
  /**
   * What changed since then, the last one first, each series once; null where the list does not
   * reach back so far, and so cannot tell. FRED remembers two weeks, and regional series are left
   * out: the catalogue has none, and they are most of the list.
   */
  listUpdates(since: Date, signal?: AbortSignal): Promise<SeriesDescription[] | null>;
}

export interface FredOptions {
  /** Without a slash at its end. */
  baseUrl: string;
  apiKey: string;
  /** Replaces the pause between requests. */
  paceMs: number | undefined;
}

/** 120 requests a minute are allowed for a key; this stays well below. */
const INTERVAL_MS = 600;
const OBSERVATIONS_LIMIT = 100_000;
const VINTAGES_LIMIT = 10_000;
const UPDATES_LIMIT = 1_000;
/** A row takes 90 bytes, a described series 1 to 5 kB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** How often a list is begun anew that changed while its pages were read. */
const PAGING_TRIES = 3;
/** No list that we ask for is longer than so many pages; one without end is not followed. */
const MOST_PAGES = 20;
const MOST_UPDATE_PAGES = 50;

/** Throws a FredRefusal when the key cannot be one. */
export function createFredSource(client: PoliteClient, options: FredOptions): FredSource {
  const { baseUrl, paceMs } = options;
  const apiKey = readFredKey(options.apiKey);
  // An error about an address carries it, and with it the key.
  if (!URL.canParse(baseUrl)) throw new Error('the address of FRED is no URL');

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
    async describeSeries(seriesId, signal) {
      return ask('series', { series_id: seriesId }, (r) => parseSeries(r, seriesId), signal);
    },

    async listVintageDates(seriesId, since = FIRST_DAY, signal) {
      const query = { series_id: seriesId, realtime_start: since, realtime_end: LAST_DAY };
      return collectPages(VINTAGES_LIMIT, isAscending, (page) =>
        ask(
          'series/vintagedates',
          { ...query, ...paging(page) },
          (reply) => parseVintageDates(reply, { ...page, since }),
          signal,
        ),
      );
    },

    async listObservations(seriesId, window, signal) {
      const query = { series_id: seriesId, output_type: '1', ...bounds(window) };
      return collectPages(OBSERVATIONS_LIMIT, isInOrder, (page) =>
        ask(
          'series/observations',
          { ...query, ...paging(page) },
          (reply) => parseObservations(reply, { ...page, ...window }),
          signal,
        ),
      );
    },

    async listUpdates(since, signal) {
      const from = since.toISOString();
      const found = new Map<string, SeriesDescription>();
      for (let offset = 0; offset < MOST_UPDATE_PAGES * UPDATES_LIMIT; offset += UPDATES_LIMIT) {
        const page = { offset, limit: UPDATES_LIMIT };
        const query = { filter_value: 'macro', limit: `${page.limit}`, offset: `${offset}` };
        const { rows, count } = await ask(
          'series/updates',
          query,
          (reply) => parseUpdates(reply, page),
          signal,
        );
        // What changes meanwhile pushes the rest down: some come twice, and none is missed.
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

/**
 * All pages of a list. A revision between two of them shows in the count or in the order: the
 * list is then begun anew.
 */
async function collectPages<T>(
  limit: number,
  fits: (previous: T, next: T) => boolean,
  askPage: (page: PageAsk) => Promise<Page<T>>,
): Promise<T[]> {
  for (let tries = 1; ; tries += 1) {
    const all = await readPages(limit, askPage);
    const isWhole = all?.every((row, index) => {
      const previous = all[index - 1];
      return previous === undefined || fits(previous, row);
    });
    if (all !== null && isWhole) return all;
    if (tries === PAGING_TRIES) throw new BadAnswer('FRED changes the list while it is read.');
  }
}

/** Null when the count changed between two pages. */
async function readPages<T>(
  limit: number,
  askPage: (page: PageAsk) => Promise<Page<T>>,
): Promise<T[] | null> {
  const { count, rows } = await askPage({ offset: 0, limit });
  if (count > MOST_PAGES * limit) throw new BadAnswer('FRED counts more rows than there can be.');
  const all = [...rows];
  while (all.length < count) {
    const next = await askPage({ offset: all.length, limit });
    if (next.count !== count) return null;
    for (const row of next.rows) all.push(row);
  }
  return all;
}

function paging({ offset, limit }: PageAsk) {
  return { sort_order: 'asc', limit: `${limit}`, offset: `${offset}` };
}

function bounds(window: ObservationWindow): Record<string, string> {
  const { rtStart, rtEnd = LAST_DAY, observationStart, observationEnd } = window;
  return {
    realtime_start: rtStart,
    realtime_end: rtEnd,
    ...(observationStart === undefined ? {} : { observation_start: observationStart }),
    ...(observationEnd === undefined ? {} : { observation_end: observationEnd }),
  };
}

function isAscending(previous: string, next: string): boolean {
  return previous < next;
}

/** By date, then by time; a period ends before the next one of its date begins. */
function isInOrder(previous: ObservationPeriod, next: ObservationPeriod): boolean {
  if (previous.date !== next.date) return previous.date < next.date;
  return previous.rtEnd !== null && previous.rtEnd < next.rtStart;
}
