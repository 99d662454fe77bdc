import * as z from 'zod';
import kalshi from '../../../../data/kalshi.json' with { type: 'json' };
import { listOf } from '../../../core/json-lists.ts';
import { cleanLine } from '../../../core/text.ts';
import {
  byTrade,
  endOf,
  inOrder,
  type KalshiMarket,
  kalshiMarket,
  priceOf,
  ticker,
  toMarket,
} from './kalshi-market.ts';
import type { VenueEvent } from './venue.ts';

const word = z.string().nullish();
const sources = listOf(z.object({ url: word }), 200)
  .nullish()
  .catch(null);

/** The markets of the largest known event are 188. */
const MAX_MARKETS = 2_000;
/** Markets of an event that are kept: what came true, and the most traded ones. */
const SHOWN_MARKETS = 60;

const kalshiEvent = z.object({
  event_ticker: ticker,
  series_ticker: ticker,
  title: z.string(),
  sub_title: word,
  mutually_exclusive: z.boolean().nullish(),
  settlement_sources: sources,
  markets: z.array(kalshiMarket).max(MAX_MARKETS).nullish(),
});

export const kalshiSeries = z.object({
  ticker,
  category: z.string(),
  tags: z.array(z.string()).nullish(),
  frequency: word,
  settlement_sources: sources,
});
export type KalshiSeries = z.output<typeof kalshiSeries>;

const FINANCE_TAGS: ReadonlyMap<string, string> = new Map(
  kalshi.categories.map(({ category, tag }) => [category, tag]),
);
const TAGS: ReadonlyMap<string, string> = new Map(Object.entries(kalshi.tags));
export const CATEGORIES = kalshi.categories.map(({ category }) => category);
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Why an event is outside of what we keep; null where it is not. */
export type Refusal = 'category' | 'combo' | 'window';

/** Decides by ticker and series alone, before the markets are read. */
export function refusalOf(eventTicker: string, series: KalshiSeries | null): Refusal | null {
  if (eventTicker.startsWith(kalshi.combos)) return 'combo';
  if (series === null || !FINANCE_TAGS.has(series.category)) return 'category';
  const { frequencies, tags } = kalshi.windows;
  const isWindow =
    frequencies.includes(series.frequency ?? '') ||
    (series.tags ?? []).some((tag) => tags.includes(tag));
  return isWindow ? 'window' : null;
}

/** Our event from one of Kalshi with its markets. Throws a ZodError when the value is not an event. */
export function parseKalshiEvent(wire: unknown, series: KalshiSeries | null): VenueEvent {
  const event = kalshiEvent.parse(wire);
  const all = [...new Map((event.markets ?? []).map((each) => [each.ticker, each])).values()];
  const refusal =
    refusalOf(event.event_ticker, series) ??
    (all.some(({ mve_selected_legs: legs }) => (legs ?? []).length > 0) ? 'combo' : null) ??
    (isShortWindow(all) ? 'window' : null);
  const hasWon = ({ result }: KalshiMarket) => Number(result === 'yes');
  const shown = new Set(
    all.toSorted((a, b) => hasWon(b) - hasWon(a) || byTrade(a, b)).slice(0, SHOWN_MARKETS),
  );
  const markets = inOrder(all.filter((each) => shown.has(each)));
  const title = titleOf(event.title, event.sub_title);
  const tags = [...(series?.tags ?? []), ...(series === null ? [] : [series.category])];
  const statuses = all.map((market) => market.status);
  const priced = markets.filter((market) => priceOf(market).probability !== null);
  return {
    source: 'kalshi',
    sourceId: event.event_ticker,
    alias: `kalshi:${event.event_ticker}`,
    url: `https://kalshi.com/markets/${event.series_ticker}/${event.event_ticker}`.toLowerCase(),
    slug: event.event_ticker.toLowerCase(),
    title,
    // An event has no rules of its own; those of its markets differ in the strike.
    description: markets[0]?.rules_primary || null,
    tags: [...new Set(tags.map(toSlug))],
    financeTags: refusal === null && series !== null ? financeTagsOf(series) : [],
    series: event.series_ticker,
    category: series?.category ?? null,
    recurrence: series?.frequency ?? null,
    status: statuses.includes('active')
      ? 'active'
      : all.length > 0 && statuses.every((each) => each === 'closed')
        ? 'closed'
        : 'inactive',
    coverage:
      priced.length === 0
        ? 'metadata_only'
        : priced.length < markets.length
          ? 'partial'
          : 'complete',
    startTime: all.flatMap(({ open_time }) => open_time ?? []).sort()[0] ?? null,
    endTime:
      all
        .flatMap((market) => endOf(market) ?? [])
        .sort()
        .at(-1) ?? null,
    closedTime: null,
    volumeUnit: 'contracts',
    volume: sumOf(all, 'volume_fp'),
    volume24h: sumOf(all, 'volume_24h_fp'),
    // Kalshi sends "0.0000" for every market.
    liquidity: null,
    openInterest: sumOf(all, 'open_interest_fp'),
    mutuallyExclusive: event.mutually_exclusive ?? false,
    resolutionSource:
      [...(event.settlement_sources ?? []), ...(series?.settlement_sources ?? [])].find(
        ({ url }) => url && !url.includes('kalshi.com'),
      )?.url ?? null,
    markets: markets.map((market, place) => toMarket(market, place, title, markets.length)),
    moreMarkets: all.length - markets.length,
  };
}

/** Whether no market is open for more than a day from start to end. */
function isShortWindow(markets: readonly KalshiMarket[]): boolean {
  return (
    markets.length > 0 &&
    markets.every((market) => {
      const end = [market.close_time, endOf(market)]
        .flatMap((each) => each ?? [])
        .sort()
        .at(-1);
      return (
        market.open_time != null &&
        end !== undefined &&
        Date.parse(end) - Date.parse(market.open_time) <= DAY_MS
      );
    })
  );
}

function titleOf(title: string, subTitle: string | null | undefined): string {
  const [main, more] = [cleanLine(title), cleanLine(subTitle ?? '')];
  return more === '' || main.toLowerCase().includes(more.toLowerCase())
    ? main
    : `${main} (${more})`;
}

function financeTagsOf({ category, tags }: KalshiSeries): string[] {
  const own = (tags ?? []).flatMap((tag) => TAGS.get(tag) ?? []);
  const byCategory = FINANCE_TAGS.get(category);
  return [...new Set(own.length > 0 || byCategory === undefined ? own : [byCategory])];
}

function toSlug(name: string): string {
  return cleanLine(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
}

function sumOf(
  markets: readonly KalshiMarket[],
  field: 'volume_fp' | 'volume_24h_fp' | 'open_interest_fp',
): number {
  return markets.reduce((total, market) => total + (market[field] ?? 0), 0);
}
