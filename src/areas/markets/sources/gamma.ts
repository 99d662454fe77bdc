import * as z from 'zod';
import { listOf } from '../../../core/json-lists.ts';
import { cleanLine, cleanText } from '../../../core/text.ts';
import { withStrikes } from './gamma-strikes.ts';
import type { Coverage, Outcome, Status, VenueEvent, VenueMarket } from './venue.ts';

// Polymarket's Gamma API. Every field but the id may be missing, null, or in an older format. One of
// another type counts as missing, but for those that decide the state and the scope of an event.
const word = z.string().nullish();
const flag = z.boolean().nullish();
const text = word.catch(null);
const decimal = z.union([z.number(), z.string()]).nullish().catch(null);
/** A JSON array, or the same inside a string. */
const list = z
  .union([z.array(z.unknown()), z.string()])
  .nullish()
  .catch(null);
const gammaId = z
  .union([z.string(), z.int()])
  .transform(String)
  .refine((id) => /^[1-9]\d{0,14}$/.test(id));

/** Limits of an event; the largest known has 200 markets, and some 30 tags. */
const [MAX_MARKETS, MAX_TAGS] = [1_000, 1_000];
const MAX_OUTCOMES = 30;

const gammaMarket = z.object({
  id: gammaId,
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
type GammaMarket = z.output<typeof gammaMarket>;

const gammaEvent = z.object({
  id: gammaId,
  slug: word,
  ticker: text,
  title: word,
  description: text,
  category: text,
  tags: listOf(z.object({ slug: word }), MAX_TAGS).nullish(),
  series: listOf(z.object({ recurrence: word }), MAX_TAGS).nullish(),
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
type GammaEvent = z.output<typeof gammaEvent>;

/**
 * Our event from one of Gamma, in current and older formats. Drops unreadable markets and copies of a
 * market. Throws a ZodError when the value is not an event.
 */
export function parseGammaEvent(wire: unknown): VenueEvent {
  const event = gammaEvent.parse(wire);
  const parsed = (event.markets ?? []).flatMap((each) => gammaMarket.safeParse(each).data ?? []);
  const lacksMarkets = parsed.length < (event.markets ?? []).length;
  const facts = [...new Map(parsed.map((each) => [each.id, each])).values()].filter((each) =>
    isShown(each, event.negRisk === true),
  );
  const tags = (event.tags ?? []).flatMap((tag) => textOrNull(tag.slug)?.toLowerCase() ?? []);
  const markets = withStrikes(facts.map(toMarket), {
    isExclusive: event.negRisk === true,
    tags,
  });
  const slug = textOrNull(event.slug) ?? textOrNull(event.ticker) ?? event.id;
  return {
    source: 'polymarket',
    sourceId: event.id,
    alias: `pme_${event.id}`,
    url: `https://polymarket.com/event/${encodeURIComponent(slug)}`,
    slug,
    title: textOrNull(event.title) ?? textOrNull(event.ticker) ?? slug,
    description: textOrNull(event.description),
    tags: [...new Set(tags)],
    financeTags: null,
    series: null,
    category: textOrNull(event.category),
    recurrence: textOrNull(event.series?.[0]?.recurrence),
    status: eventStatus(event, facts, lacksMarkets),
    coverage: coverageOf(facts, markets, lacksMarkets),
    startTime: parseGammaTime(event.startDate),
    endTime: parseGammaTime(event.endDate),
    closedTime: parseGammaTime(event.closedTime),
    volumeUnit: 'usd',
    volume: parseDecimal(event.volume) ?? sum(markets.map(({ volume }) => volume)),
    volume24h: parseDecimal(event.volume24hr),
    liquidity: parseDecimal(event.liquidity) ?? sum(markets.map(({ liquidity }) => liquidity ?? 0)),
    openInterest: parseDecimal(event.openInterest),
    mutuallyExclusive: event.negRisk ?? false,
    resolutionSource: textOrNull(event.resolutionSource),
    markets,
    moreMarkets: 0,
  };
}

function toMarket(market: GammaMarket): VenueMarket {
  const outcomes = listOutcomes(market);
  const winners = outcomes.filter(({ probability }) => probability === 1);
  return {
    id: `pmm_${market.id}`,
    question: questionOf(market),
    groupLabel: textOrNull(market.groupItemTitle),
    place: parseDecimal(market.groupItemThreshold),
    outcomes,
    priceBasis: null,
    strike: null,
    status: market.closed ? 'closed' : isOpen(market) ? 'active' : 'inactive',
    liquidity: parseDecimal(market.liquidityNum) ?? parseDecimal(market.liquidity) ?? 0,
    volume: volumeOf(market),
    endTime: parseGammaTime(market.endDate),
    closedTime: parseGammaTime(market.closedTime),
    winningOutcome: market.closed && winners.length === 1 ? (winners[0]?.label ?? null) : null,
  };
}

function questionOf(market: GammaMarket): string {
  return textOrNull(market.question) ?? textOrNull(market.slug) ?? '';
}

function volumeOf(market: GammaMarket): number {
  return parseDecimal(market.volumeNum) ?? parseDecimal(market.volume) ?? 0;
}

/**
 * False for archived markets and for the placeholders ("Person A", "Other") of events with mutually
 * exclusive markets: unpublished and never traded.
 */
function isShown(market: GammaMarket, mutuallyExclusive: boolean): boolean {
  const isPlaceholder =
    mutuallyExclusive && !market.active && !market.closed && volumeOf(market) === 0;
  return !market.archived && !isPlaceholder && questionOf(market) !== '';
}

/** Markets older than the order book do not say whether they accept orders. */
function isOpen({ active, closed, acceptingOrders }: GammaMarket): boolean {
  return active === true && !closed && acceptingOrders !== false;
}

/** By flags only: an end date in the past does not close an event, and an unreadable market may be open. */
function eventStatus(
  { closed, archived }: GammaEvent,
  markets: readonly GammaMarket[],
  lacksMarkets: boolean,
): Status {
  const isOver = !lacksMarkets && markets.length > 0 && markets.every((market) => market.closed);
  if (closed || isOver) return 'closed';
  return !archived && markets.some(isOpen) ? 'active' : 'inactive';
}

function coverageOf(
  facts: readonly GammaMarket[],
  markets: readonly VenueMarket[],
  lacksMarkets: boolean,
): Coverage {
  if (markets.every(({ outcomes }) => outcomes.length === 0)) return 'metadata_only';
  const isWhole = markets.every(
    ({ outcomes }, index) =>
      outcomes.length > 0 && outcomes.length === parseList(facts[index]?.outcomes).length,
  );
  return isWhole && !lacksMarkets ? 'complete' : 'partial';
}

/** The outcomes that have a label, a token id and a price, in the market's order. */
function listOutcomes(market: GammaMarket): Outcome[] {
  const labels = parseList(market.outcomes).slice(0, MAX_OUTCOMES);
  const tokenIds = parseList(market.clobTokenIds).map(parseEntry);
  const prices = parseList(market.outcomePrices).map(parseDecimal);
  return labels.flatMap((entry, index) => {
    const label = cleanLine(parseEntry(entry));
    const tokenId = tokenIds[index] ?? '';
    const probability = listedPrice(market, prices, index) ?? bookPrice(market, labels, index);
    return label === '' || !/^\d{1,78}$/.test(tokenId) || probability === null
      ? []
      : [{ label, tokenId, probability }];
  });
}

/** A closed market's last price this close to 0 or 1 is its result; old books end at 0.9999996. */
const RESULT_TOLERANCE = 1e-3;

function listedPrice(
  { closed }: GammaMarket,
  prices: readonly (number | null)[],
  index: number,
): number | null {
  const listed = prices[index] ?? null;
  // Old markets list "0" for every outcome when there is no price.
  if (listed === null || prices.every((price) => price === null || price <= 0)) return null;
  const price = Math.min(1, Math.max(0, listed));
  if (closed && price >= 1 - RESULT_TOLERANCE) return 1;
  return closed && price <= RESULT_TOLERANCE ? 0 : price;
}

/** Of an open market of two outcomes: the mid price of its book, else the last trade. */
function bookPrice(market: GammaMarket, labels: readonly unknown[], index: number): number | null {
  if (market.closed || labels.length !== 2) return null;
  const bid = parseDecimal(market.bestBid) ?? 0;
  const ask = parseDecimal(market.bestAsk) ?? 1;
  const last = parseDecimal(market.lastTradePrice) ?? 0;
  // An empty book shows 0 and 1, or lacks a side; a last price of 0 means "never traded".
  const isBook = bid > 0 && ask < 1 && bid <= ask;
  const first = isBook ? (bid + ask) / 2 : last;
  if (first <= 0 || first > 1) return null;
  return Number((index === 0 ? first : 1 - first).toFixed(6));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Null for a text without a visible letter or digit, such as a quoted nothing. */
function textOrNull(value: string | null | undefined): string | null {
  const clean = cleanText(value ?? '');
  return /[\p{L}\p{N}]/u.test(clean) ? clean : null;
}

/** Larger amounts are treated as errors of the source. */
const LARGEST = 1e15;

/** A number or a decimal string; null for anything else. */
function parseDecimal(value: unknown): number | null {
  if (typeof value === 'string' && value.trim() === '') return null;
  const number =
    typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Math.abs(number) <= LARGEST ? number : null;
}

/** An array, given directly or as JSON in a string; empty for anything else. */
function parseList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : [];
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

/** A list entry as text; '' for anything but text and numbers, so that indexes stay aligned. */
function parseEntry(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** A day, a time, its fraction, and the zone. */
const GAMMA_TIME =
  /^((?:19|2\d)\d\d-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?(?:\.\d+)?))? ?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * ISO 8601 UTC with milliseconds, from any of Gamma's formats: with microseconds,
 * "2026-05-01 12:34:56+00", or a bare date. Times without a zone are UTC. Null for anything else, such as
 * 30 February.
 */
export function parseGammaTime(value: string | null | undefined): string | null {
  const [match, day = '', clock = '00:00', zone = 'Z'] = GAMMA_TIME.exec(value?.trim() ?? '') ?? [];
  const time = new Date(`${day}T${clock}${/^.\d\d$/.test(zone) ? `${zone}:00` : zone}`);
  if (match === undefined || Number.isNaN(time.getTime())) return null;
  // A day beyond its month would be one of the next.
  return new Date(day).toISOString().startsWith(day) ? time.toISOString() : null;
}
