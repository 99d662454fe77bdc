import * as z from 'zod';
import { withoutNulls } from '../../../core/envelope.ts';
import { sum } from '../../../core/numbers.ts';
import { cleanLine } from '../../../core/text.ts';
import { listOf } from '../../../upstream/json.ts';
import type { VenueEvent } from './event-card.ts';
import {
  byTrade,
  inOrder,
  type KalshiMarket,
  kalshiMarket,
  ticker,
  toMarket,
  word,
} from './kalshi-market.ts';

const settlementSources = listOf(z.object({ url: word }), 200)
  .nullish()
  .catch(null);

export const kalshiSeries = z.object({
  ticker,
  category: z.string(),
  tags: z.array(z.string()).nullish(),
  frequency: word,
  settlement_sources: settlementSources,
});
export type KalshiSeries = z.output<typeof kalshiSeries>;

/** Maximum number of markets per event; the largest known event has 188. */
const MAX_MARKETS = 2_000;
/** Maximum number of markets kept per event: winners first, then others in `byTrade` order. */
const SHOWN_MARKETS = 60;

const wireEvent = z.object({
  event_ticker: ticker,
  series_ticker: ticker,
  title: z.string(),
  sub_title: word,
  mutually_exclusive: z.boolean().nullish(),
  settlement_sources: settlementSources,
  markets: z.array(kalshiMarket).max(MAX_MARKETS).nullish(),
});

/** Converts a Kalshi event and its markets; an empty `financeTags` marks one outside finance. */
export function kalshiEvent(series: KalshiSeries | null, financeTags: readonly string[]) {
  return wireEvent.transform((event) => toVenueEvent(event, series, financeTags));
}

function toVenueEvent(
  event: z.output<typeof wireEvent>,
  series: KalshiSeries | null,
  financeTags: readonly string[],
): VenueEvent {
  const all = [...new Map((event.markets ?? []).map((each) => [each.ticker, each])).values()];
  const hasWon = ({ settlement }: KalshiMarket) => Number(settlement?.winning_outcome === 'Yes');
  const shown = new Set(
    all.toSorted((a, b) => hasWon(b) - hasWon(a) || byTrade(a, b)).slice(0, SHOWN_MARKETS),
  );
  const kept = inOrder(all.filter((each) => shown.has(each)));
  const title = titleOf(event.title, event.sub_title);
  const markets = kept.map((market, place) => toMarket(market, place, title, kept.length));
  const priced = markets.filter(({ outcomes }) => outcomes.length > 0).length;
  const ends = all.flatMap(({ end }) => end ?? []).sort();
  const tags = series === null ? [] : [...(series.tags ?? []), series.category];
  return {
    source: 'kalshi',
    sourceId: event.event_ticker,
    alias: `kalshi:${event.event_ticker}`,
    url: `https://kalshi.com/markets/${event.series_ticker}/${event.event_ticker}`.toLowerCase(),
    slug: event.event_ticker.toLowerCase(),
    title,
    // Events have no rules of their own, and their markets' rules differ only in the strike.
    description: kept[0]?.rules_primary || null,
    tags: [...new Set(tags.map(toSlug))],
    financeTags,
    series: event.series_ticker,
    recurrence: series?.frequency ?? null,
    status: all.some((market) => market.status === 'active')
      ? 'active'
      : all.length > 0 && all.every((market) => market.status === 'closed')
        ? 'closed'
        : 'inactive',
    coverage_status:
      priced === 0 ? 'metadata_only' : priced < markets.length ? 'partial' : 'complete',
    volume_unit: 'contracts',
    // `liquidity` is left out, since Kalshi sends "0.0000" for every market.
    volume: sum(all.map(({ volume_fp }) => volume_fp ?? 0)),
    volume_24h: sum(all.map(({ volume_24h_fp }) => volume_24h_fp ?? 0)),
    open_interest: sum(all.map(({ open_interest_fp }) => open_interest_fp ?? 0)),
    mutually_exclusive: event.mutually_exclusive ?? false,
    ...withoutNulls({
      category: series?.category ?? null,
      start_time: all.flatMap(({ open_time }) => open_time ?? []).sort()[0] ?? null,
      end_time: ends.at(-1) ?? null,
      resolution_source:
        [...(event.settlement_sources ?? []), ...(series?.settlement_sources ?? [])].find(
          ({ url }) => url && !url.includes('kalshi.com'),
        )?.url ?? null,
      more_markets: all.length - markets.length || null,
    }),
    markets,
  };
}

function titleOf(title: string, subTitle: string | null | undefined): string {
  const [main, more] = [cleanLine(title), cleanLine(subTitle ?? '')];
  return more === '' || main.toLowerCase().includes(more.toLowerCase())
    ? main
    : `${main} (${more})`;
}

function toSlug(name: string): string {
  return cleanLine(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
}
