import * as z from 'zod';
import scope from '../../../../data/kalshi.json' with { type: 'json' };
import { InvalidResponseError } from '../../../upstream/failures.ts';
import { type KalshiSeries, kalshiEvent, kalshiSeries } from './kalshi-event.ts';
import { archivedMarket } from './kalshi-market.ts';
import {
  type Connect,
  type CursorPage,
  type EventList,
  type EventPage,
  getterOf,
  readEach,
  requireHalf,
  requirePage,
  walkPages,
} from './venue-client.ts';

/** The server allows 200, but 200 events with all their markets take several megabytes. */
const PAGE_LIMIT = 100;

const TITLE = 'Kalshi';

const seriesList = z
  .object({ series: z.array(z.unknown()).nullable() })
  .transform(({ series }) => readEach(TITLE, series ?? [], kalshiSeries));
const singleSeries = z.object({ series: kalshiSeries }).transform(({ series }) => series);
/** Follows Kalshi's documentation of May 2026; no real response has been recorded. */
const archive = z
  .object({ markets: z.array(z.unknown()) })
  .transform(({ markets }) => readEach(TITLE, markets, archivedMarket));
const eventPage = z.object({ events: z.array(z.unknown()).max(500), cursor: z.string().nullish() });
/** Keyed by category. */
const FINANCE_TAGS: ReadonlyMap<string, string> = new Map(
  scope.categories.map(({ category, tag }) => [category, tag]),
);
const TAGS: ReadonlyMap<string, string> = new Map(Object.entries(scope.tags));
const CATEGORIES = [...FINANCE_TAGS.keys(), ...scope.beyond.categories];

const header = z.looseObject({ event_ticker: z.string(), series_ticker: z.string() });
const singleEvent = z.object({ event: header }).transform(({ event }) => event);

export const connect: Connect = (client, { baseUrl }) => {
  const get = getterOf(client, baseUrl, TITLE);
  /** Keyed by ticker; null if Kalshi does not know the series. */
  const series = new Map<string, KalshiSeries | null>();

  async function findSeries(ticker: string, signal?: AbortSignal): Promise<KalshiSeries | null> {
    const stored = series.get(ticker);
    if (stored !== undefined) return stored;
    const one = await get(`series/${encodeURIComponent(ticker)}`, singleSeries, signal);
    series.set(ticker, one);
    return one;
  }

  /** Loads a category's series as a list without events; if Kalshi rejects it, the other lists are still read. */
  const seriesOf = (category: string): EventList => ({
    name: `${category} series`,
    async *pages(signal) {
      const list = await get(`series?${new URLSearchParams({ category })}`, seriesList, signal);
      for (const one of requirePage(TITLE, list)) series.set(one.ticker, one);
      yield* [];
    },
  });

  async function* walk(signal?: AbortSignal): AsyncGenerator<EventPage> {
    const shape = eventPage.transform((page) => readPage(page, series));
    const query = new URLSearchParams({
      status: 'open',
      with_nested_markets: 'true',
      limit: String(PAGE_LIMIT),
    });
    yield* walkPages(TITLE, async (cursor) => {
      if (cursor !== null) query.set('cursor', cursor);
      return requirePage(TITLE, await get(`events?${query}`, shape, signal));
    });
  }

  return {
    // One request per category, since all series together take some 20 MB.
    lists: () => [...CATEGORIES.map(seriesOf), { name: 'open Kalshi events', pages: walk }],
    async getEvent(ticker, signal) {
      const path = `events/${encodeURIComponent(ticker)}?with_nested_markets=true`;
      const wire = await get(path, singleEvent, signal);
      if (wire === null) return null;
      const own = await findSeries(wire.series_ticker, signal);
      const shape = kalshiEvent(own, financeTagsOf(wire.event_ticker, own));
      const event = shape.safeParse(wire).data;
      if (event?.sourceId !== ticker) {
        throw new InvalidResponseError(`${TITLE} sent an invalid event.`);
      }
      return event;
    },
    async listArchive(ticker, signal) {
      const query = new URLSearchParams({ event_ticker: ticker, limit: '1000' });
      return (await get(`historical/markets?${query}`, archive, signal)) ?? [];
    },
  };
};

function readPage(
  { events: wires, cursor }: z.output<typeof eventPage>,
  series: ReadonlyMap<string, KalshiSeries | null>,
): CursorPage {
  const page: CursorPage = { events: [], outside: 0, unreadable: 0, cursor: cursor || null };
  for (const wire of wires) {
    const { data } = header.safeParse(wire);
    const own = series.get(data?.series_ticker ?? '') ?? null;
    const tags = financeTagsOf(data?.event_ticker ?? '', own);
    if (data !== undefined && tags.length === 0) {
      page.outside += 1;
      continue;
    }
    const event = kalshiEvent(own, tags).safeParse(wire).data;
    // An open event always has markets, so one without any is unreadable.
    if (event !== undefined && event.markets.length > 0) page.events.push(event);
    else page.unreadable += 1;
  }
  requireHalf(TITLE, wires.length - page.unreadable, wires.length);
  return page;
}

/** Finance tags for an event, from its ticker and series; none for an event outside finance. */
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
