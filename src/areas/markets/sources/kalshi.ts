import * as z from 'zod';
import scope from '../../../../data/kalshi.json' with { type: 'json' };
import type { Reply } from '../../../upstream/client.ts';
import {
  HttpError,
  InvalidResponseError,
  RejectedRequestError,
} from '../../../upstream/failures.ts';
import { readJson } from '../../../upstream/json.ts';
import type { VenueEvent, VenueMarket } from './event-card.ts';
import { type KalshiSeries, kalshiSeries, parseKalshiEvent } from './kalshi-event.ts';
import { parseKalshiMarket } from './kalshi-market.ts';
import {
  type Connect,
  type CursorPage,
  type EventPage,
  requireHalf,
  walkPages,
} from './venue-client.ts';

/** Kalshi names no limit for requests without a key. */
const INTERVAL_MS = 250;
/** The server's own maximum is 200; with all their markets, so many events take some megabytes. */
const PAGE_LIMIT = 100;
const MAX_PAGES = 500;
const MAX_BYTES = 32 * 1024 * 1024;

const seriesList = z.object({ series: z.array(z.unknown()).nullable() });
const eventPage = z.object({ events: z.array(z.unknown()).max(500), cursor: z.string().nullish() });
/** By category. */
const FINANCE_TAGS: ReadonlyMap<string, string> = new Map(
  scope.categories.map(({ category, tag }) => [category, tag]),
);
const TAGS: ReadonlyMap<string, string> = new Map(Object.entries(scope.tags));
/** The categories that hold series on finance. */
const CATEGORIES = [...FINANCE_TAGS.keys(), ...scope.beyond.categories];

const header = z.object({ event_ticker: z.string(), series_ticker: z.string() });
/** Its markets stand in the event, or beside it. */
const singleEvent = z.object({
  event: z.looseObject(header.shape),
  markets: z.unknown().optional(),
});

export const connect: Connect = (client, { baseUrl, paceMs }) => {
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
    const query = new URLSearchParams({ status: 'open', with_nested_markets: 'true' });
    let limit = PAGE_LIMIT;
    const getPage = async (cursor: string | null): Promise<CursorPage> => {
      query.set('limit', String(limit));
      if (cursor !== null) query.set('cursor', cursor);
      try {
        return await get(`events?${query}`, (reply) => readPage(reply, series), signal);
      } catch (error) {
        const isTooLarge = error instanceof HttpError && error.fault === 'too_large';
        if (!isTooLarge || limit === 1) throw error;
        limit = Math.floor(limit / 2);
        return getPage(cursor);
      }
    };
    for await (const page of walkPages('Kalshi', MAX_PAGES, getPage)) {
      yield { ...page, warnings: warnings.splice(0) };
    }
  }

  return {
    lists: () => [{ name: 'open events of Kalshi', pages: walk }],
    async getEvent(ticker, signal) {
      const path = `events/${encodeURIComponent(ticker)}?with_nested_markets=true`;
      const wire = await get(path, readEvent, signal);
      if (wire === null) return null;
      const own = await findSeries(wire.series_ticker, signal);
      const event = parseOrSkip(wire, own, financeTagsOf(wire.event_ticker, own));
      if (event?.sourceId !== ticker) {
        throw new InvalidResponseError('Kalshi sent an invalid event.');
      }
      return event;
    },
    listArchive(ticker, signal) {
      const query = new URLSearchParams({ event_ticker: ticker, limit: '1000' });
      return get(`historical/markets?${query}`, readArchive, signal);
    },
  };
};

/** By the documentation of May 2026 alone: none was recorded. */
function readArchive({ status, body }: Reply): VenueMarket[] {
  if (status === 404) return [];
  const { markets: wires } = readJson(body, z.object({ markets: z.array(z.unknown()) }), 'Kalshi');
  const markets = wires.flatMap((wire) => parseKalshiMarket(wire) ?? []);
  requireHalf('Kalshi', markets.length, wires.length);
  return markets;
}

function readSeriesList({ status, body }: Reply): KalshiSeries[] {
  if (status === 404) throw new RejectedRequestError('Kalshi has nothing at this address.');
  const wires = readJson(body, seriesList, 'Kalshi').series ?? [];
  const list = wires.flatMap((wire) => kalshiSeries.safeParse(wire).data ?? []);
  requireHalf('Kalshi', list.length, wires.length);
  return list;
}

function readSeries({ status, body }: Reply): KalshiSeries | null {
  return status === 404
    ? null
    : readJson(body, z.object({ series: kalshiSeries }), 'Kalshi').series;
}

function readPage(
  { status, body }: Reply,
  series: ReadonlyMap<string, KalshiSeries | null>,
): CursorPage {
  if (status === 404) throw new RejectedRequestError('Kalshi has nothing at this address.');
  const { events: wires, cursor } = readJson(body, eventPage, 'Kalshi');
  const page: CursorPage = { events: [], outside: 0, unreadable: 0, cursor: cursor || null };
  for (const wire of wires) {
    const { data } = header.safeParse(wire);
    const own = series.get(data?.series_ticker ?? '') ?? null;
    const tags = financeTagsOf(data?.event_ticker ?? '', own);
    if (data !== undefined && tags.length === 0) {
      page.outside += 1;
      continue;
    }
    const event = parseOrSkip(wire, own, tags);
    // An open event has markets; without them, its stored ones would be lost.
    if (event !== null && event.markets.length > 0) page.events.push(event);
    else page.unreadable += 1;
  }
  requireHalf('Kalshi', wires.length - page.unreadable, wires.length);
  return page;
}

function readEvent({ status, body }: Reply) {
  if (status === 404) return null;
  const { event, markets } = readJson(body, singleEvent, 'Kalshi');
  return { ...event, markets: event.markets ?? markets };
}

/** Null for an event that cannot be parsed; the others on the page still count. */
function parseOrSkip(
  wire: unknown,
  series: KalshiSeries | null,
  financeTags: readonly string[],
): VenueEvent | null {
  try {
    return parseKalshiEvent(wire, series, financeTags);
  } catch {
    return null;
  }
}

/** Our finance tags for an event by its ticker and series alone; none where it is not on finance. */
export function financeTagsOf(eventTicker: string, series: KalshiSeries | null): string[] {
  if (series === null || eventTicker.startsWith(scope.combos)) return [];
  const { ticker, category, frequency, tags } = series;
  const { frequencies, tags: windows } = scope.windows;
  const isWindow =
    frequencies.includes(frequency ?? '') || (tags ?? []).some((tag) => windows.includes(tag));
  if (isWindow) return [];
  const own = (tags ?? []).flatMap((tag) => TAGS.get(tag) ?? []);
  const byCategory = FINANCE_TAGS.get(category);
  if (byCategory !== undefined) {
    if (scope.without.some((part) => ticker.includes(part))) return [];
    return [...new Set(own.length > 0 ? own : [byCategory])];
  }
  if (!scope.beyond.categories.includes(category)) return [];
  const named = Object.entries(scope.beyond.series).find(([name]) => name === ticker);
  const bare = ticker.replace(/^KX/, '');
  const byTicker = Object.entries(scope.beyond.tickers).find(([start]) => bare.startsWith(start));
  return [...new Set([...((named ?? byTicker)?.slice(1) ?? []), ...own])];
}
