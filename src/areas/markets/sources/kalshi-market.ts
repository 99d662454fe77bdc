import * as z from 'zod';
import { cleanLine } from '../../../core/text.ts';
import type { Outcome, Status, VenueMarket } from './venue.ts';

// Kalshi's Trade API v2. Prices are dollars of a contract that pays one, counts are contracts; both come
// as strings. What decides the state of a market must be there and known; of the rest a field may be missing.
export const ticker = z.string().regex(/^[\w.-]{1,100}$/);
const word = z.string().nullish();
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

/** Widest spread of which the middle is a price. */
const MAX_SPREAD = 0.1;

/** What each state of Kalshi's is with us. A closed market has its result once that is determined. */
const STATUSES = {
  initialized: 'inactive',
  inactive: 'inactive',
  active: 'active',
  closed: 'closed',
  determined: 'closed',
  disputed: 'closed',
  amended: 'closed',
  finalized: 'closed',
  settled: 'closed',
} as const satisfies Record<string, Status>;
const status = z
  .string()
  .refine((name): name is keyof typeof STATUSES => Object.hasOwn(STATUSES, name));

export const kalshiMarket = z
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
  .transform((market) => ({
    ...market,
    status: STATUSES[market.status],
    // A disputed result may yet change.
    result: market.status === 'disputed' ? null : market.result,
  }));
export type KalshiMarket = z.output<typeof kalshiMarket>;

export function toMarket(
  market: KalshiMarket,
  place: number,
  title: string,
  count: number,
): VenueMarket {
  const label = cleanLine(market.yes_sub_title ?? '') || strikeLabel(market);
  const { probability, basis } = priceOf(market);
  const isYesNo = market.result === 'yes' || market.result === 'no';
  return {
    id: `kalshi:${market.ticker}`,
    question:
      label === '' || (count === 1 && levelOf(market) === null) ? title : `${title}: ${label}`,
    groupLabel: label || null,
    place,
    outcomes: probability === null ? [] : outcomesOf(probability),
    priceBasis: probability === null ? null : basis,
    strike: market.strike_type === 'greater' ? (market.floor_strike ?? null) : null,
    status: market.status,
    liquidity: null,
    volume: market.volume_fp ?? 0,
    endTime: endOf(market),
    closedTime:
      market.status === 'closed' ? (market.settlement_ts ?? market.close_time ?? null) : null,
    winningOutcome:
      market.status === 'closed' && isYesNo ? (market.result === 'yes' ? 'Yes' : 'No') : null,
  };
}

/**
 * The result; else the middle of a book of two sides that are close; else the last trade, within the sides
 * that stand.
 */
export function priceOf(market: KalshiMarket): {
  probability: number | null;
  basis: VenueMarket['priceBasis'];
} {
  const { status, result } = market;
  if (status === 'closed' && (result === 'yes' || result === 'no')) {
    return { probability: result === 'yes' ? 1 : 0, basis: 'result' };
  }
  // An empty side shows as 0 or 1.
  const bid = market.yes_bid_dollars ?? 0;
  const ask = market.yes_ask_dollars ?? 1;
  const spread = Number((ask - bid).toFixed(6));
  if (status !== 'closed' && bid > 0 && ask < 1 && spread >= 0 && spread <= MAX_SPREAD) {
    return { probability: Number(((bid + ask) / 2).toFixed(6)), basis: 'midpoint' };
  }
  // 0 means "never traded". A side that stands is newer than the last trade.
  const last = market.last_price_dollars || null;
  const probability =
    last === null || status === 'closed' ? last : Math.min(Math.max(last, bid), ask);
  return { probability, basis: 'last_price' };
}

function outcomesOf(probability: number): Outcome[] {
  const no = Number((1 - probability).toFixed(6));
  return [
    { label: 'Yes', tokenId: '', probability },
    { label: 'No', tokenId: '', probability: no },
  ];
}

function strikeLabel({ strike_type: type, floor_strike: floor, cap_strike: cap }: KalshiMarket) {
  if (type === 'greater' && floor != null) return `Above ${floor}`;
  if (type === 'greater_or_equal' && floor != null) return `At least ${floor}`;
  if (type === 'less' && cap != null) return `Below ${cap}`;
  if (type === 'less_or_equal' && cap != null) return `At most ${cap}`;
  return type === 'between' && floor != null && cap != null ? `${floor} to ${cap}` : '';
}

/** Where a market stands on a ladder; null where it is no step of one. */
function levelOf({ strike_type: type, floor_strike: floor, cap_strike: cap }: KalshiMarket) {
  if (type?.startsWith('less')) return cap ?? null;
  return type?.startsWith('greater') || type === 'between' ? (floor ?? null) : null;
}

/** Steps of a ladder by their strikes, those below a strike first; other markets by trade. */
export function inOrder(markets: readonly KalshiMarket[]): KalshiMarket[] {
  if (markets.some((market) => levelOf(market) === null)) return markets.toSorted(byTrade);
  const isLess = ({ strike_type }: KalshiMarket) => Number(strike_type?.startsWith('less'));
  return markets.toSorted(
    (a, b) => isLess(b) - isLess(a) || (levelOf(a) ?? 0) - (levelOf(b) ?? 0) || byTrade(a, b),
  );
}

/** Open markets first, then by volume, then by ticker. */
export function byTrade(a: KalshiMarket, b: KalshiMarket): number {
  return (
    Number(a.status !== 'active') - Number(b.status !== 'active') ||
    (b.volume_fp ?? 0) - (a.volume_fp ?? 0) ||
    (a.ticker < b.ticker ? -1 : 1)
  );
}

export function endOf({ expected_expiration_time, close_time }: KalshiMarket): string | null {
  return expected_expiration_time ?? close_time ?? null;
}
