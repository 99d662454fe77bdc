import * as z from 'zod';
import { listOf } from '../../../core/json-lists.ts';
import { cleanText } from '../../../core/text.ts';

/**
 * An event independent of the wire format: the source returns it, the starter shelf stores it, and
 * cards are made from it. Times are ISO 8601 UTC with milliseconds, money is US dollars, prices are
 * fractions from 0 to 1.
 */
export interface EventFacts {
  /** Polymarket's id, decimal digits. */
  id: string;
  slug: string;
  title: string;
  description: string | null;
  /** Tag slugs in lower case, in the upstream's order. */
  tags: readonly string[];
  category: string | null;
  /** How often the event's series recurs, in the upstream's terms: "hourly", "monthly" … */
  recurrence: string | null;
  active: boolean;
  closed: boolean;
  archived: boolean;
  /** At most one market resolves to its first outcome. */
  mutuallyExclusive: boolean;
  startTime: string | null;
  endTime: string | null;
  closedTime: string | null;
  volume: number | null;
  volume24h: number | null;
  liquidity: number | null;
  openInterest: number | null;
  resolutionSource: string | null;
  markets: readonly MarketFacts[];
  /** A market could not be read. */
  lacksMarkets?: true;
}

export interface MarketFacts {
  id: string;
  slug: string | null;
  question: string;
  /** Distinguishes the market within its event: "$150,000", "Kevin Warsh". */
  groupLabel: string | null;
  /** Its place among the outcomes of its event, such as the steps of a ladder. */
  place: number | null;
  /** Labels, token ids and prices are parallel arrays; the last two may be shorter. */
  outcomes: readonly string[];
  /** Up to 78 digits each: never a number. */
  tokenIds: readonly string[];
  prices: readonly (number | null)[];
  /** Best prices of the first outcome; null where that side of the book is empty. */
  bestBid: number | null;
  bestAsk: number | null;
  lastTradePrice: number | null;
  volume: number | null;
  liquidity: number | null;
  active: boolean;
  closed: boolean;
  archived: boolean;
  /** Null where the upstream does not say (markets older than the order book). */
  acceptingOrders: boolean | null;
  endTime: string | null;
  closedTime: string | null;
}

// Every field but the id may be missing, null, or in an older format. One of another kind counts as
// missing, but for those that decide the state and the scope of an event.
const word = z.string().nullish();
const flag = z.boolean().nullish();
const text = word.catch(null);
const decimal = z.union([z.number(), z.string()]).nullish().catch(null);
/** A JSON array, or the same inside a string. */
const list = z
  .union([z.array(z.unknown()), z.string()])
  .nullish()
  .catch(null);
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
  groupItemThreshold: decimal,
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
  slug: word,
  ticker: text,
  title: word,
  description: text,
  category: text,
  tags: listOf(z.object({ slug: word }), MAX_TAGS).nullish(),
  series: listOf(z.object({ recurrence: word }), MAX_TAGS).nullish(),
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
 * Parses an event of Polymarket's Gamma API, in current and older formats. Ignores unknown fields,
 * drops unreadable markets and copies of a market. Throws a ZodError when the value is not an event.
 */
export function parseGammaEvent(wire: unknown): EventFacts {
  const event = wireEvent.parse(wire);
  const slug = textOrNull(event.slug) ?? textOrNull(event.ticker) ?? event.id;
  const markets = (event.markets ?? []).map(parseGammaMarket);
  const readable = markets.filter((market) => market !== null);
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
    markets: [...new Map(readable.map((market) => [market.id, market])).values()],
    ...(readable.length < markets.length ? { lacksMarkets: true } : {}),
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
    place: parseDecimal(market.groupItemThreshold),
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

/** The text without what does not show; null when it has no letter or digit, such as a quoted nothing. */
function textOrNull(value: string | null | undefined): string | null {
  const text = cleanText(value ?? '');
  return /[\p{L}\p{N}]/u.test(text) ? text : null;
}

/** Larger amounts are treated as errors of the source. */
const LARGEST = 1e15;

/** A finite number up to 1e15, from a number or a decimal string; null for anything else. */
function parseDecimal(value: unknown): number | null {
  if (typeof value === 'string' && value.trim() === '') return null;
  const number =
    typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Math.abs(number) <= LARGEST ? number : null;
}

/** An array, given directly or as JSON in a string; empty for anything else. */
function parseList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || value.trim() === '') return [];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

/** A list entry as text; '' for anything but text and numbers, so that indexes stay aligned. */
function parseEntry(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const WIRE_TIME =
  /^([12]\d{3}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)? ?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?)?$/i;

/**
 * ISO 8601 UTC with milliseconds, from any of the upstream's formats: with microseconds,
 * "2026-05-01 12:34:56+00", or a bare date. Times without a zone are UTC. Null for anything else.
 */
export function parseWireTime(value: string | null | undefined): string | null {
  const parts = WIRE_TIME.exec(value?.trim() ?? '');
  if (parts === null) return null;
  const [, day = '', clock = '00:00', fraction = '', , hours = '+00', minutes = '00'] = parts;
  const time = Date.parse(`${day}T${clock}${fraction.slice(0, 4)}${hours}:${minutes}`);
  const isDay = Number.isFinite(time) && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  return isDay ? new Date(time).toISOString() : null;
}
