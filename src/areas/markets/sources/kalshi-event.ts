import * as z from 'zod';
import { known } from '../../../core/envelope.ts';
import { cleanLine } from '../../../core/text.ts';
import { DAY_MS } from '../../../core/time.ts';
import { listOf } from '../../../upstream/json.ts';
import type { Status, StoredMarket, VenueEvent, VenueMarket } from './event-card.ts';

// Kalshi's Trade API v2. Prices are dollars of a contract that pays one, counts are contracts; both come
// as strings. What decides the state of a market must be there and known; of the rest a field may be missing.
const word = z.string().nullish();
const ticker = z.string().regex(/^[\w.-]{1,100}$/);
const sources = listOf(z.object({ url: word }), 200)
  .nullish()
  .catch(null);
const decimal = z.union([z.string().regex(/\d/).transform(Number), z.number()]);
const price = decimal.pipe(z.number().min(0).max(1)).nullish();
const count = decimal.pipe(z.number().min(0).max(1e15)).nullish();
const level = z.number().nullish().catch(null);
/** ISO 8601 UTC with milliseconds. */
const time = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text).toISOString())
  .nullish()
  .catch(null);

const status = z.enum([
  'active',
  'initialized',
  'inactive',
  'closed',
  'determined',
  'disputed',
  'amended',
  'finalized',
  'settled',
]);

/** With us; a closed market has its result once that is determined. */
function toStatus(name: z.output<typeof status>): Status {
  if (name === 'active') return 'active';
  return name === 'initialized' || name === 'inactive' ? 'inactive' : 'closed';
}

export const kalshiSeries = z.object({
  ticker,
  category: z.string(),
  tags: z.array(z.string()).nullish(),
  frequency: word,
  settlement_sources: sources,
});
export type KalshiSeries = z.output<typeof kalshiSeries>;

const kalshiMarket = z
  .object({
    ticker,
    status,
    result: word,
    yes_sub_title: word,
    strike_type: word,
    floor_strike: level,
    cap_strike: level,
    open_time: time,
    close_time: time,
    expected_expiration_time: time,
    settlement_ts: time,
    yes_bid_dollars: price,
    yes_ask_dollars: price,
    last_price_dollars: price,
    volume_fp: count,
    volume_24h_fp: count,
    open_interest_fp: count,
    rules_primary: word,
    mve_selected_legs: z.array(z.unknown()).nullish(),
  })
  .transform(({ status: name, result, ...market }) => ({
    ...market,
    status: toStatus(name),
    // A disputed result may yet change.
    winner: toStatus(name) !== 'closed' || name === 'disputed' ? null : winnerOf(result),
    end: market.expected_expiration_time ?? market.close_time ?? null,
  }));
type KalshiMarket = z.output<typeof kalshiMarket>;

function winnerOf(result: string | null | undefined): 'Yes' | 'No' | null {
  return result === 'yes' ? 'Yes' : result === 'no' ? 'No' : null;
}

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

/**
 * Our event from one of Kalshi with its markets; without `financeTags` it is outside finance. Throws a
 * ZodError when the value is not an event.
 */
export function parseKalshiEvent(
  wire: unknown,
  series: KalshiSeries | null,
  financeTags: readonly string[],
): VenueEvent {
  const event = kalshiEvent.parse(wire);
  const all = [...new Map((event.markets ?? []).map((each) => [each.ticker, each])).values()];
  const isCombo = all.some(({ mve_selected_legs: legs }) => (legs ?? []).length > 0);
  const hasWon = ({ winner }: KalshiMarket) => Number(winner === 'Yes');
  const shown = new Set(
    all.toSorted((a, b) => hasWon(b) - hasWon(a) || byTrade(a, b)).slice(0, SHOWN_MARKETS),
  );
  const kept = inOrder(all.filter((each) => shown.has(each)));
  const title = titleOf(event.title, event.sub_title);
  const markets = kept.map((market, place) => toMarket(market, place, title, kept.length));
  const priced = markets.filter(({ outcomes }) => outcomes.length > 0).length;
  const tags = series === null ? [] : [...(series.tags ?? []), series.category];
  return {
    source: 'kalshi',
    sourceId: event.event_ticker,
    alias: `kalshi:${event.event_ticker}`,
    url: `https://kalshi.com/markets/${event.series_ticker}/${event.event_ticker}`.toLowerCase(),
    slug: event.event_ticker.toLowerCase(),
    title,
    // An event has no rules of its own; those of its markets differ in the strike.
    description: kept[0]?.rules_primary || null,
    tags: [...new Set(tags.map(toSlug))],
    financeTags: isCombo || isShortWindow(all) ? [] : financeTags,
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
    // Kalshi sends a liquidity of "0.0000" for every market.
    volume: sumOf(all, 'volume_fp'),
    volume_24h: sumOf(all, 'volume_24h_fp'),
    open_interest: sumOf(all, 'open_interest_fp'),
    mutually_exclusive: event.mutually_exclusive ?? false,
    ...known({
      category: series?.category ?? null,
      start_time: all.flatMap(({ open_time }) => open_time ?? []).sort()[0] ?? null,
      end_time: lastOf(all.map(({ end }) => end)),
      resolution_source:
        [...(event.settlement_sources ?? []), ...(series?.settlement_sources ?? [])].find(
          ({ url }) => url && !url.includes('kalshi.com'),
        )?.url ?? null,
      more_markets: all.length - markets.length || null,
    }),
    markets,
  };
}

/** Whether no market is open for more than a day from start to end. */
function isShortWindow(markets: readonly KalshiMarket[]): boolean {
  const isShort = ({ open_time, close_time, end }: KalshiMarket) => {
    const last = lastOf([close_time, end]);
    return open_time && last && Date.parse(last) - Date.parse(open_time) <= DAY_MS;
  };
  return markets.length > 0 && markets.every(isShort);
}

function lastOf(times: readonly (string | null | undefined)[]): string | null {
  const known = times.flatMap((each) => each ?? []);
  return known.sort().at(-1) ?? null;
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

function sumOf(
  markets: readonly KalshiMarket[],
  field: 'volume_fp' | 'volume_24h_fp' | 'open_interest_fp',
): number {
  return markets.reduce((total, market) => total + (market[field] ?? 0), 0);
}

function toMarket(market: KalshiMarket, place: number, title: string, count: number): VenueMarket {
  const { status: state, winner, strike_type: type, floor_strike: floor } = market;
  const label = cleanLine(market.yes_sub_title ?? '') || strikeLabel(market);
  const isOnly = count === 1 && levelOf(market) === null;
  const { probability, basis } = priceOf(market);
  const toOutcome = (name: string, current_probability: number) => ({
    ...{ label: name, outcome_token_id: '', current_probability },
  });
  return {
    market_card_id: `kalshi:${market.ticker}`,
    market_question: label === '' || isOnly ? title : `${title}: ${label}`,
    place,
    outcomes:
      probability === null
        ? []
        : [toOutcome('Yes', probability), toOutcome('No', round(1 - probability))],
    status: state,
    liquidity: 0,
    volume: market.volume_fp ?? 0,
    closed_time: state === 'closed' ? (market.settlement_ts ?? market.close_time ?? null) : null,
    ...known({
      group_label: label || null,
      end_time: market.end,
      price_basis: probability === null ? null : basis,
      strike: type === 'greater' && floor != null ? `>${floor}` : null,
      winning_outcome: winner,
    }),
  };
}

/** Widest spread of which the middle is a price. */
const MAX_SPREAD = 0.1;

/**
 * The result; else the middle of a book of two sides that are close; else the last trade, within the sides
 * that stand.
 */
function priceOf(market: KalshiMarket): {
  probability: number | null;
  basis: StoredMarket['price_basis'] & string;
} {
  const { status: state, winner } = market;
  if (winner !== null) return { probability: winner === 'Yes' ? 1 : 0, basis: 'result' };
  // An empty side shows as 0 or 1.
  const bid = market.yes_bid_dollars ?? 0;
  const ask = market.yes_ask_dollars ?? 1;
  const spread = round(ask - bid);
  if (state !== 'closed' && bid > 0 && ask < 1 && spread >= 0 && spread <= MAX_SPREAD) {
    return { probability: round((bid + ask) / 2), basis: 'midpoint' };
  }
  // 0 means "never traded". A side that stands is newer than the last trade.
  const last = market.last_price_dollars || null;
  const isFinal = last === null || state === 'closed';
  return { probability: isFinal ? last : Math.min(Math.max(last, bid), ask), basis: 'last_price' };
}

/** Without what binary fractions add. */
function round(probability: number): number {
  return Number(probability.toFixed(6));
}

const STRIKE_WORDS: ReadonlyMap<string, string> = new Map([
  ['greater', 'Above'],
  ['greater_or_equal', 'At least'],
  ['less', 'Below'],
  ['less_or_equal', 'At most'],
]);

function strikeLabel(market: KalshiMarket): string {
  const { strike_type: type, cap_strike: cap } = market;
  const [words, step] = [STRIKE_WORDS.get(type ?? ''), levelOf(market)];
  if (words !== undefined && step !== null) return `${words} ${step}`;
  return type === 'between' && step !== null && cap != null ? `${step} to ${cap}` : '';
}

/** Where a market stands on a ladder; null where it is no step of one. */
function levelOf({ strike_type: type, floor_strike: floor, cap_strike: cap }: KalshiMarket) {
  if (type?.startsWith('less')) return cap ?? null;
  return type?.startsWith('greater') || type === 'between' ? (floor ?? null) : null;
}

/** Steps of a ladder by their strikes, those below a strike first; other markets by trade. */
function inOrder(markets: readonly KalshiMarket[]): KalshiMarket[] {
  if (markets.some((market) => levelOf(market) === null)) return markets.toSorted(byTrade);
  const isLess = ({ strike_type }: KalshiMarket) => Number(strike_type?.startsWith('less'));
  return markets.toSorted(
    (a, b) => isLess(b) - isLess(a) || (levelOf(a) ?? 0) - (levelOf(b) ?? 0) || byTrade(a, b),
  );
}

/** Open markets first, then by volume, then by ticker. */
function byTrade(a: KalshiMarket, b: KalshiMarket): number {
  return (
    Number(a.status !== 'active') - Number(b.status !== 'active') ||
    (b.volume_fp ?? 0) - (a.volume_fp ?? 0) ||
    (a.ticker < b.ticker ? -1 : 1)
  );
}
