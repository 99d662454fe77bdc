import * as z from 'zod';
import { InvalidResponseError, RejectedRequestError } from '../../../upstream/errors.ts';
import type { HttpClient, Reply } from '../../../upstream/http.ts';
import { readJson } from '../../../upstream/json.ts';
import {
  CATEGORIES,
  type KalshiSeries,
  kalshiSeries,
  parseKalshiEvent,
  refusalOf,
} from './kalshi-event.ts';
import { type CursorPage, walkPages } from './pages.ts';
import type { EventPage, Venue, VenueEvent } from './venue.ts';

/** Kalshi names no limit for requests without a key. */
const INTERVAL_MS = 250;
/** The server's own maximum is 200; with all their markets, so many events take some megabytes. */
const PAGE_LIMIT = 100;
const MAX_PAGES = 500;
const MAX_BYTES = 32 * 1024 * 1024;

export interface KalshiOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Overrides the interval between requests, in milliseconds. */
  paceMs: number | undefined;
}

const seriesList = z.object({ series: z.array(z.unknown()).nullable() });
const eventPage = z.object({ events: z.array(z.unknown()).max(500), cursor: z.string().nullish() });
const header = z.object({ event_ticker: z.string(), series_ticker: z.string() });
/** Its markets stand in the event, or beside it. */
const singleEvent = z.object({
  event: z.looseObject(header.shape),
  markets: z.unknown().optional(),
});

/** Requests reject with the client's errors or a RejectedRequestError. */
export function createKalshi(
  client: Pick<HttpClient, 'get'>,
  { baseUrl, paceMs }: KalshiOptions,
): Venue {
  if (!URL.canParse(baseUrl)) throw new Error('the Kalshi base URL is not a valid URL');
  /** By ticker; null for one that Kalshi does not know. */
  const series = new Map<string, KalshiSeries | null>();

  function get<T>(path: string, read: (reply: Reply) => T, signal?: AbortSignal): Promise<T> {
    return client.get(`${baseUrl}/${path}`, {
      statuses: [400, 404],
      read: (reply) => {
        if (reply.status === 400) throw new RejectedRequestError('Kalshi rejected the request.');
        return read(reply);
      },
      maxBytes: MAX_BYTES,
      intervalMs: paceMs ?? INTERVAL_MS,
      signal,
    });
  }

  /**
   * All series at once would be some 20 MB: they are asked for by category. Returns what was refused of them;
   * rejects when all are.
   */
  async function loadSeries(signal?: AbortSignal): Promise<string[]> {
    const refused: string[] = [];
    for (const category of CATEGORIES) {
      const query = new URLSearchParams({ category });
      try {
        for (const one of await get(`series?${query}`, readSeriesList, signal)) {
          series.set(one.ticker, one);
        }
      } catch (error) {
        if (!(error instanceof RejectedRequestError)) throw error;
        refused.push(`series of ${category}: ${error.message}`);
        if (refused.length === CATEGORIES.length) throw error;
      }
    }
    return refused;
  }

  async function findSeries(ticker: string, signal?: AbortSignal): Promise<KalshiSeries | null> {
    const stored = series.get(ticker);
    if (stored !== undefined) return stored;
    const one = await get(`series/${encodeURIComponent(ticker)}`, readSeries, signal);
    series.set(ticker, one);
    return one;
  }

  async function* walk(signal?: AbortSignal): AsyncGenerator<EventPage> {
    const warnings = await loadSeries(signal);
    const names = new Map<string, string>();
    const query = new URLSearchParams({
      ...{ status: 'open', with_nested_markets: 'true', limit: String(PAGE_LIMIT) },
    });
    const pages = walkPages('Kalshi', MAX_PAGES, (cursor) => {
      if (cursor !== null) query.set('cursor', cursor);
      return get(`events?${query}`, (reply) => readPage(reply, series, names), signal);
    });
    for await (const page of pages) yield { ...page, warnings: warnings.splice(0) };
  }

  return {
    name: 'kalshi',
    // Kalshi lists nothing by trade, so a pull of the busiest only asks for the events that were served.
    lists: (scope) =>
      scope === 'top'
        ? []
        : [{ name: 'open events of Kalshi', isMain: true, isSupplement: false, pages: walk }],
    async getEvent(ticker, signal) {
      const path = `events/${encodeURIComponent(ticker)}?with_nested_markets=true`;
      const wire = await get(path, readEvent, signal);
      if (wire === null) return null;
      const event = parseOrSkip(wire, await findSeries(wire.series_ticker, signal));
      if (event?.sourceId !== ticker) {
        throw new InvalidResponseError('Kalshi sent an invalid event.');
      }
      // Markets that were settled three months ago are no longer part of it: what we have of them stays.
      return event.markets.length === 0 ? null : event;
    },
  };
}

function readSeriesList({ status, body }: Reply): KalshiSeries[] {
  if (status === 404) throw new RejectedRequestError('Kalshi has nothing at this address.');
  const wires = readJson(body, seriesList, 'Kalshi').series ?? [];
  const list = wires.flatMap((wire) => kalshiSeries.safeParse(wire).data ?? []);
  requireHalf(list.length, wires.length, 'series');
  return list;
}

function readSeries({ status, body }: Reply): KalshiSeries | null {
  return status === 404
    ? null
    : readJson(body, z.object({ series: kalshiSeries }), 'Kalshi').series;
}

/**
 * Throws an InvalidResponseError if more than half of the events are invalid. `names` holds the tickers of all
 * pages by their lower case: an event is found in any case, so of two that differ in it one is refused.
 */
function readPage(
  { status, body }: Reply,
  known: ReadonlyMap<string, KalshiSeries | null>,
  names: Map<string, string>,
): CursorPage {
  if (status === 404) throw new RejectedRequestError('Kalshi has nothing at this address.');
  const { events: wires, cursor } = readJson(body, eventPage, 'Kalshi');
  const page: CursorPage = { events: [], outside: 0, unreadable: 0, cursor: cursor || null };
  const tickers = new Set<string>();
  for (const wire of wires) {
    const { data } = header.safeParse(wire);
    const series = known.get(data?.series_ticker ?? '') ?? null;
    if (data !== undefined && refusalOf(data.event_ticker, series) !== null) {
      page.outside += 1;
      continue;
    }
    const event = parseOrSkip(wire, series);
    // An open event has markets; without them, its stored ones would be lost.
    const name = event?.sourceId ?? '';
    const isTwin = tickers.has(name) || (names.get(name.toLowerCase()) ?? name) !== name;
    if (event === null || event.markets.length === 0 || isTwin) {
      page.unreadable += 1;
    } else page.events.push(event);
    if (event !== null && !isTwin) {
      tickers.add(name);
      names.set(name.toLowerCase(), name);
    }
  }
  requireHalf(wires.length - page.unreadable, wires.length, 'events');
  return page;
}

function requireHalf(valid: number, all: number, what: string): void {
  if (valid * 2 < all) throw new InvalidResponseError(`Kalshi sent mostly invalid ${what}.`);
}

function readEvent({ status, body }: Reply) {
  if (status === 404) return null;
  const { event, markets } = readJson(body, singleEvent, 'Kalshi');
  return { ...event, markets: event.markets ?? markets };
}

/** Null for an event that cannot be parsed; the others on the page still count. */
function parseOrSkip(wire: unknown, series: KalshiSeries | null): VenueEvent | null {
  try {
    return parseKalshiEvent(wire, series);
  } catch {
    return null;
  }
}
