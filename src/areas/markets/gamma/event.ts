import * as z from 'zod';
import type { EventFacts, MarketFacts } from '../facts.ts';

// Every field but the id may be missing, null, or of the shape of another year.
const text = z.string().nullish();
const flag = z.boolean().nullish();
const decimal = z.union([z.number(), z.string()]).nullish();
/** A JSON array, or the same inside a string. */
const list = z.union([z.array(z.unknown()), z.string()]).nullish();
const sourceId = z.union([z.string(), z.int()]).transform(String).pipe(z.string().regex(/^\d+$/));

const wireMarket = z.object({
  id: sourceId,
  slug: text,
  question: text,
  groupItemTitle: text,
  conditionId: text,
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
  umaResolutionStatus: text,
});

const wireEvent = z.object({
  id: sourceId,
  slug: text,
  ticker: text,
  title: text,
  description: text,
  category: text,
  tags: z.array(z.object({ slug: text })).nullish(),
  seriesSlug: text,
  series: z.array(z.object({ recurrence: text })).nullish(),
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
  markets: z.array(z.unknown()).nullish(),
});

/**
 * Reads one event of Polymarket's Gamma API, whatever its year; unknown fields are ignored and a
 * market without an id is dropped. Throws a ZodError when it is no event at all.
 */
export function parseGammaEvent(wire: unknown): EventFacts {
  const event = wireEvent.parse(wire);
  const slug = said(event.slug) ?? said(event.ticker) ?? event.id;
  const tags = (event.tags ?? []).flatMap((tag) => said(tag.slug)?.toLowerCase() ?? []);
  return {
    id: event.id,
    slug,
    title: said(event.title) ?? said(event.ticker) ?? slug,
    description: said(event.description),
    tags: [...new Set(tags)],
    category: said(event.category),
    seriesSlug: said(event.seriesSlug),
    recurrence: said(event.series?.[0]?.recurrence),
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
    resolutionSource: said(event.resolutionSource),
    markets: (event.markets ?? []).flatMap((market) => parseGammaMarket(market) ?? []),
  };
}

function parseGammaMarket(wire: unknown): MarketFacts | null {
  const parsed = wireMarket.safeParse(wire);
  if (!parsed.success) return null;
  const market = parsed.data;
  return {
    id: market.id,
    slug: said(market.slug),
    question: said(market.question) ?? said(market.slug) ?? '',
    groupLabel: said(market.groupItemTitle),
    conditionId: said(market.conditionId),
    outcomes: parseList(market.outcomes).map(String),
    tokenIds: parseList(market.clobTokenIds).map(String),
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
    resolutionStatus: said(market.umaResolutionStatus),
  };
}

/** A text that says something, trimmed; null for a missing or blank one. */
function said(value: string | null | undefined): string | null {
  const trimmed = value?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

/** A finite number from a number or a decimal string; null for anything else. */
export function parseDecimal(value: unknown): number | null {
  if (typeof value === 'string' && value.trim() === '') return null;
  const number =
    typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** An array, given as such or as JSON inside a string; anything else is empty. */
export function parseList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || value.trim() === '') return [];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

/**
 * ISO 8601 UTC with milliseconds, from any of the upstream's spellings: with microseconds, or
 * "2026-05-01 12:34:56+00". Null when it is no time.
 */
export function parseWireTime(value: string | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  const spelled = value
    .trim()
    .replace(' ', 'T')
    .replace(/(\.\d{3})\d+/, '$1')
    .replace(/\+00$/, 'Z');
  const time = Date.parse(spelled);
  return Number.isFinite(time) ? new Date(time).toISOString() : null;
}
