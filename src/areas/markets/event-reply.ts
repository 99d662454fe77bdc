import type { Database } from 'better-sqlite3';
import type * as z from 'zod';
import type { ReplySize } from '../../core/context.ts';
import { known } from '../../core/envelope.ts';
import type { Answer, View } from '../../core/operation.ts';
import { DAY_MS } from '../../core/time.ts';
import { describeNearest, firstFitting, NEAREST } from '../../core/view.ts';
import type { eventCard, eventReading, marketPreview } from './card.ts';
import type { Market } from './event.ts';
import { listPairs, type Pair } from './pair-queries.ts';
import { findDayAgo, unpackPast } from './prices.ts';
import { type EventRow, listMarkets, type StoredMarket } from './queries.ts';

type EventCard = z.output<typeof eventCard>;

export function toEventCard(
  db: Database,
  event: EventRow,
  now: Date,
  markets = listMarkets(db, event.id),
): EventCard {
  // Pairs agree in a strike, and few markets have one.
  const isPairable = markets.some(({ strike }) => strike !== null);
  const pairs = new Map(
    (isPairable ? listPairs(db, event.id) : []).map((pair) => [pair.marketId, pair]),
  );
  return {
    event_card_id: event.cardId,
    alias: event.alias,
    title: event.title,
    source: event.source,
    url: event.url,
    status: event.status,
    ...known({ end_time: event.endTime }),
    volume: toCents(event.volume),
    volume_unit: event.volumeUnit,
    ...(event.liquidity === null ? {} : { liquidity: toCents(event.liquidity) }),
    coverage_status: isStale(event, now) ? 'stale' : event.coverage,
    tags: [...event.tags],
    description: event.description,
    ...known({ indicator: event.indicator, more_markets: event.moreMarkets || null }),
    market_count: markets.length,
    markets: markets.map((market) => toPreview(market, pairs.get(market.id))),
  };
}

/** All that is stored of an event, for a reply of this size; `hidden` counts the markets that were cut. */
export function readEvent(
  db: Database,
  event: EventRow,
  now: Date,
  reply: ReplySize,
): { data: z.output<typeof eventReading>; hidden: number } {
  const markets = listMarkets(db, event.id);
  const card = toEventCard(db, event, now, markets);
  const reading = {
    ...card,
    slug: event.slug,
    ...known({
      category: event.category,
      start_time: event.startTime,
      closed_time: event.closedTime,
      volume_24h: event.volume24h && toCents(event.volume24h),
      open_interest: event.openInterest && toCents(event.openInterest),
      resolution_source: event.resolutionSource,
    }),
    mutually_exclusive: event.mutuallyExclusive,
    synced_at: event.syncedAt,
    markets: markets.map((market, index) => ({
      ...(card.markets[index] ?? toPreview(market)),
      outcomes: withPriceChange(market, event.syncedAt),
      ...known({ group_label: market.groupLabel, end_time: market.endTime }),
    })),
  };
  const data = cutMarkets(reading, reply);
  return { data, hidden: markets.length - data.markets.length };
}

function withPriceChange(market: StoredMarket, seenAt: string) {
  const past = unpackPast(market.past);
  const previous = past.at(-1);
  const prices = market.outcomes.map(({ probability }) => probability);
  const current = { from: market.priceSince, until: Date.parse(seenAt), prices };
  const dayAgo = findDayAgo(past, current);
  return toPreview(market).outcomes.map((each, index) => ({
    ...each,
    ...(previous !== undefined && {
      previous_probability: previous.prices[index],
      previous_at: new Date(previous.until).toISOString(),
    }),
    ...(dayAgo !== null && { day_ago_probability: dayAgo[index] }),
  }));
}

function toPreview(market: Market, pair?: Pair): z.output<typeof marketPreview> {
  return {
    market_card_id: market.id,
    market_question: market.question,
    outcomes: market.outcomes.map(({ label, tokenId, probability }) => ({
      label,
      outcome_token_id: tokenId,
      current_probability: probability,
    })),
    status: market.status,
    ...known({ price_basis: market.priceBasis }),
    ...(pair && {
      also: {
        ...{ source: pair.otherSource, event_card_id: pair.otherCardId },
        probability: pair.otherProbability,
      },
    }),
    liquidity: toCents(market.liquidity ?? 0),
    volume: toCents(market.volume),
    ...known({ winning_outcome: market.winningOutcome }),
  };
}

/** US dollars without what binary fractions add. */
function toCents(dollars: number): number {
  return Math.round(dollars * 100) / 100;
}

/** Age beyond which facts count as stale. */
const STALE_AFTER_MS = { active: DAY_MS, other: 7 * DAY_MS };
/** Tolerated clock correction. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Bundled snapshots are always stale, and so are times in the future: their age is unknown. */
function isStale({ origin, status, syncedAt, isMissing }: EventRow, now: Date): boolean {
  const limit = status === 'active' ? STALE_AFTER_MS.active : STALE_AFTER_MS.other;
  const age = now.getTime() - Date.parse(syncedAt);
  return origin === 'starter' || isMissing || age > limit || age < -CLOCK_TOLERANCE_MS;
}

/** What a model reads of a list of events: labels and odds, without what only reading one calls for. */
export function viewOfEvents({
  data: { events, ...list },
  meta: { verdict },
}: Answer<{ events: (EventCard & { semantic_score?: number })[]; count: number }>): View {
  if (verdict === 'none') {
    const nearest = events.slice(0, NEAREST);
    return {
      data: {
        events: nearest.map(({ event_card_id, title, semantic_score }) => ({
          ...{ event_card_id, title, semantic_score },
        })),
        ...list,
      },
      ...describeNearest(events.length, 'events'),
    };
  }
  return { data: { events: events.map(toBriefCard), ...list } };
}

/** Ids, money and rules of the markets come with reading the event. */
function toBriefCard({
  alias: _alias,
  url: _url,
  description: _description,
  markets,
  ...card
}: EventCard) {
  return {
    ...card,
    markets: markets.map(({ market_question, outcomes, status, ...market }) => ({
      market_question,
      outcomes: outcomes.map(({ label, current_probability }) => ({ label, current_probability })),
      ...(status === card.status ? {} : { status }),
      ...(market.price_basis === undefined ? {} : { price_basis: market.price_basis }),
      ...(market.also === undefined ? {} : { also: market.also }),
      ...(market.winning_outcome === undefined ? {} : { winning_outcome: market.winning_outcome }),
    })),
  };
}

/** What a model reads of one event: all but the second and the third of its names. */
export function viewOfEvent({ data }: Answer<z.output<typeof eventReading>>): View {
  const { alias: _alias, slug: _slug, description, ...event } = data;
  return { data: { ...event, ...known({ description }) } };
}

/** The part of a card that can be cut. */
interface Card {
  market_count: number;
  markets: readonly { liquidity: number; volume: number }[];
}

/**
 * Cards of the first items, as many as fit into a reply, and at least one. If the first alone is too
 * long, its least liquid markets are cut; `hidden` counts them.
 */
export function fitToSize<T, C extends Card>(
  items: readonly T[],
  reply: ReplySize,
  toCard: (item: T) => C,
): { cards: C[]; hidden: number } {
  const lengthOf = (card: unknown) => reply.lengthOf({ events: [card] });
  const cards: C[] = [];
  let hidden = 0;
  let characters = 0;
  for (const item of items) {
    const whole = toCard(item);
    const card = cards.length === 0 ? cutMarkets(whole, { ...reply, lengthOf }) : whole;
    characters += lengthOf(card);
    if (cards.length > 0 && characters > reply.limit) break;
    cards.push(card);
    hidden += whole.markets.length - card.markets.length;
  }
  return { cards, hidden };
}

/**
 * Cuts the least liquid markets of a card that is too long for a reply, the least traded where no
 * liquidity is told; the others stay in their order.
 */
export function cutMarkets<C extends Card>(card: C, { limit, lengthOf }: ReplySize): C {
  if (lengthOf(card) <= limit) return card;
  const withMarkets = (liquid: C['markets']): C => {
    const shown = new Set<unknown>(liquid);
    const markets = card.markets.filter((market) => shown.has(market));
    return { ...card, market_count: markets.length, markets };
  };
  const byLiquidity = card.markets.toSorted(
    (a, b) => b.liquidity - a.liquidity || b.volume - a.volume,
  );
  return withMarkets(firstFitting(byLiquidity, (first) => lengthOf(withMarkets(first)) <= limit));
}
