import * as z from 'zod';
import { withoutNulls } from '../../../core/envelope.ts';
import { cleanLine } from '../../../core/text.ts';
import {
  isFinal,
  type Settlement,
  type Status,
  type StoredMarket,
  type VenueMarket,
} from './event-card.ts';

// A market in Kalshi's Trade API v2. Prices are dollars for a contract that pays one dollar, counts
// are contracts; both come as strings. A ticker and a known status are required; other fields may
// be missing.
export const word = z.string().nullish();
export const ticker = z.string().regex(/^[\w.-]{1,100}$/);
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

function toStatus(name: z.output<typeof status>): Status {
  if (name === 'active') return 'active';
  return name === 'initialized' || name === 'inactive' ? 'inactive' : 'closed';
}

/**
 * A result counts once it is paid out; until then it may be disputed, and `amended` follows a
 * dispute. Only `yes` and `no` occur in recorded responses; `scalar`, `void`, `disputed` and
 * `amended` are as documented (docs.kalshi.com, market lifecycle).
 */
function toSettlement(
  name: z.output<typeof status>,
  { result, settlement_value_dollars: paid, settlement_ts }: Result,
): Settlement | null {
  if (toStatus(name) !== 'closed') return null;
  if (name === 'disputed' || name === 'amended') return { status: 'disputed' };
  const at = withoutNulls({ at: settlement_ts ?? null });
  const isPaid = name === 'finalized' || name === 'settled';
  if (isPaid && (result === 'yes' || result === 'no')) {
    const [winning_outcome, value] = result === 'yes' ? ['Yes', 1] : ['No', 0];
    return { status: 'settled', value, winning_outcome, ...at };
  }
  if (isPaid && (result === 'scalar' || result === 'void')) {
    const status = result === 'void' ? result : 'settled';
    return { status, ...withoutNulls({ value: paid ?? null }), ...at };
  }
  return { status: 'ended' };
}

const resultFields = {
  result: word,
  settlement_value_dollars: price.catch(null),
  settlement_ts: time,
};
type Result = z.output<z.ZodObject<typeof resultFields>>;

export const kalshiMarket = z
  .object({
    ticker,
    status,
    yes_sub_title: word,
    strike_type: word,
    floor_strike: level,
    cap_strike: level,
    open_time: time,
    close_time: time,
    expected_expiration_time: time,
    ...resultFields,
    yes_bid_dollars: price,
    yes_ask_dollars: price,
    last_price_dollars: price,
    volume_fp: count,
    volume_24h_fp: count,
    open_interest_fp: count,
    rules_primary: word,
  })
  .transform(({ status: name, ...market }) => ({
    ...market,
    status: toStatus(name),
    settlement: toSettlement(name, market),
    end: market.expected_expiration_time ?? market.close_time ?? null,
  }));
export type KalshiMarket = z.output<typeof kalshiMarket>;

/** A market from the archive, which lacks its event's title. */
export const archivedMarket = kalshiMarket.transform((market) => toMarket(market, 0, '', 1));

export function toMarket(
  market: KalshiMarket,
  place: number,
  title: string,
  count: number,
): VenueMarket {
  const { status: state, settlement } = market;
  const label = cleanLine(market.yes_sub_title ?? '');
  const isOnly = count === 1 && levelOf(market) === null;
  const { probability, basis } = priceOf(market);
  const toOutcome = (name: string, current_probability: number) => ({
    label: name,
    outcome_token_id: '',
    current_probability,
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
    ...withoutNulls({
      group_label: label || null,
      end_time: market.end,
      price_basis: probability === null ? null : basis,
      strike: strikeOf(market),
      settlement,
    }),
  };
}

/** Widest spread whose midpoint counts as a price. */
const MAX_SPREAD = 0.1;

/**
 * The payout; failing that, the midpoint of a two-sided book with a narrow spread; failing that,
 * the last trade, clamped to any open quotes.
 */
function priceOf(market: KalshiMarket): {
  probability: number | null;
  basis: StoredMarket['price_basis'] & string;
} {
  const { status: state, settlement } = market;
  if (settlement?.value !== undefined) return { probability: settlement.value, basis: 'result' };
  // Kalshi sends 0 if there is no bid, and 1 if there is no ask.
  const bid = market.yes_bid_dollars ?? 0;
  const ask = market.yes_ask_dollars ?? 1;
  const spread = round(ask - bid);
  if (state !== 'closed' && bid > 0 && ask < 1 && spread >= 0 && spread <= MAX_SPREAD) {
    return { probability: round((bid + ask) / 2), basis: 'midpoint' };
  }
  // 0 means "never traded". Open quotes are newer than the last trade.
  const last = market.last_price_dollars || null;
  const isLast = last === null || state === 'closed';
  return { probability: isLast ? last : Math.min(Math.max(last, bid), ask), basis: 'last_price' };
}

/** Removes the rounding error of binary fractions. */
function round(probability: number): number {
  return Number(probability.toFixed(6));
}

/** The level of a ladder step; null for other markets. */
function levelOf({ strike_type: type, floor_strike: floor, cap_strike: cap }: KalshiMarket) {
  if (type?.startsWith('less')) return cap ?? null;
  return type?.startsWith('greater') || type === 'between' ? (floor ?? null) : null;
}

/**
 * The strike, such as ">74300". The label has the intended level; the floor may be lower by one
 * unit in the last place, as 74299.99 is for "$74,300 or above".
 */
function strikeOf({ strike_type: type, floor_strike: floor, yes_sub_title: label }: KalshiMarket) {
  if (floor == null || !type?.startsWith('greater')) return null;
  const level = Number(/\d[\d,]*(?:\.\d+)?/.exec(label ?? '')?.[0].replaceAll(',', ''));
  const unit = 10 ** -(String(floor).split('.')[1] ?? '').length;
  return `>${level > floor && level - floor < 1.5 * unit ? level : floor}`;
}

/** Sorts a ladder by level, "below" steps first, and any other markets as `byTrade` does. */
export function inOrder(markets: readonly KalshiMarket[]): KalshiMarket[] {
  if (markets.some((market) => levelOf(market) === null)) return markets.toSorted(byTrade);
  const isLess = ({ strike_type }: KalshiMarket) => Number(strike_type?.startsWith('less'));
  return markets.toSorted(
    (a, b) => isLess(b) - isLess(a) || (levelOf(a) ?? 0) - (levelOf(b) ?? 0) || byTrade(a, b),
  );
}

/** Open markets first, then those without a final result; in each group by volume, then ticker. */
export function byTrade(a: KalshiMarket, b: KalshiMarket): number {
  const rank = ({ status: state, settlement }: KalshiMarket) =>
    Number(state !== 'active') + Number(settlement !== null && isFinal(settlement));
  return (
    rank(a) - rank(b) || (b.volume_fp ?? 0) - (a.volume_fp ?? 0) || (a.ticker < b.ticker ? -1 : 1)
  );
}
