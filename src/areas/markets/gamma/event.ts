import * as z from 'zod';
import { listOf } from '../../../core/list-of.ts';
import type { EventFacts, MarketFacts } from './facts.ts';
import { parseDecimal, parseEntry, parseList, parseWireTime } from './values.ts';

// Every field but the id may be missing, null, or in an older format.
const text = z.string().nullish();
const flag = z.boolean().nullish();
const decimal = z.union([z.number(), z.string()]).nullish();
/** A JSON array, or the same inside a string. */
const list = z.union([z.array(z.unknown()), z.string()]).nullish();
/** At most `max` decimal digits without leading zeros. */
const sourceId = (max: number) =>
  z
    .union([z.string(), z.int()])
    .transform(String)
    .refine((id) => /^[1-9]\d*$/.test(id) && id.length <= max);
/** An alias has up to twelve digits; a JavaScript number represents fifteen exactly. */
const eventId = sourceId(12);
const marketId = sourceId(15);

/** Limits of an event; the largest known has 200 markets, and some 30 tags. */
const [MAX_MARKETS, MAX_TAGS] = [2_000, 1_000];

const wireMarket = z.object({
  id: marketId,
  slug: text,
  question: text,
  groupItemTitle: text,
  outcomes: list,
  clobTokenIds: list,
  outcomePrices: list,
  bestBid: decimal,
  bestAsk: decimal,
  lastTradePrice: decimal,
  volume: decimal,
  volumeNum: decimal,
  liquidity: decimal,
  liquidityNum: decimal,
  active: flag,
  closed: flag,
  archived: flag,
  acceptingOrders: flag,
  endDate: text,
  closedTime: text,
});

const wireEvent = z.object({
  id: eventId,
  slug: text,
  ticker: text,
  title: text,
  description: text,
  category: text,
  tags: listOf(z.object({ slug: text }), MAX_TAGS).nullish(),
  series: listOf(z.object({ recurrence: text }), MAX_TAGS).nullish(),
  active: flag,
  closed: flag,
  archived: flag,
  negRisk: flag,
  startDate: text,
  endDate: text,
  closedTime: text,
  volume: decimal,
  volume24hr: decimal,
  liquidity: decimal,
  openInterest: decimal,
  resolutionSource: text,
  markets: z.array(z.unknown()).max(MAX_MARKETS).nullish(),
});

/**
 * Parses an event of Polymarket's Gamma API, in current and older formats. Ignores unknown fields
 * and drops markets without an id. Throws a ZodError when the value is not an event.
 */
export function parseGammaEvent(wire: unknown): EventFacts {
  const event = wireEvent.parse(wire);
  const slug = textOrNull(event.slug) ?? textOrNull(event.ticker) ?? event.id;
  const tags = (event.tags ?? []).flatMap((tag) => textOrNull(tag.slug)?.toLowerCase() ?? []);
  return {
    id: event.id,
    slug,
    title: textOrNull(event.title) ?? textOrNull(event.ticker) ?? slug,
    description: textOrNull(event.description),
    tags: [...new Set(tags)],
    category: textOrNull(event.category),
    recurrence: textOrNull(event.series?.[0]?.recurrence),
    active: event.active ?? false,
    closed: event.closed ?? false,
    archived: event.archived ?? false,
    mutuallyExclusive: event.negRisk ?? false,
    startTime: parseWireTime(event.startDate),
    endTime: parseWireTime(event.endDate),
    closedTime: parseWireTime(event.closedTime),
    volume: parseDecimal(event.volume),
    volume24h: parseDecimal(event.volume24hr),
    liquidity: parseDecimal(event.liquidity),
    openInterest: parseDecimal(event.openInterest),
    resolutionSource: textOrNull(event.resolutionSource),
    markets: (event.markets ?? []).flatMap((market) => parseGammaMarket(market) ?? []),
  };
}

function parseGammaMarket(wire: unknown): MarketFacts | null {
  const parsed = wireMarket.safeParse(wire);
  if (!parsed.success) return null;
  const market = parsed.data;
  return {
    id: market.id,
    slug: textOrNull(market.slug),
    question: textOrNull(market.question) ?? textOrNull(market.slug) ?? '',
    groupLabel: textOrNull(market.groupItemTitle),
    outcomes: parseList(market.outcomes).map(parseEntry),
    tokenIds: parseList(market.clobTokenIds).map(parseEntry),
    prices: parseList(market.outcomePrices).map(parseDecimal),
    bestBid: parseDecimal(market.bestBid),
    bestAsk: parseDecimal(market.bestAsk),
    lastTradePrice: parseDecimal(market.lastTradePrice),
    volume: parseDecimal(market.volumeNum) ?? parseDecimal(market.volume),
    liquidity: parseDecimal(market.liquidityNum) ?? parseDecimal(market.liquidity),
    active: market.active ?? false,
    closed: market.closed ?? false,
    archived: market.archived ?? false,
    acceptingOrders: market.acceptingOrders ?? null,
    endTime: parseWireTime(market.endDate),
    closedTime: parseWireTime(market.closedTime),
  };
}

/** The trimmed text; null when missing or blank. */
function textOrNull(value: string | null | undefined): string | null {
  const trimmed = value?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}
