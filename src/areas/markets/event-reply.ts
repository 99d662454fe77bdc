import type { Database } from 'better-sqlite3';
import type * as z from 'zod';
import type { ReplySize } from '../../core/context.ts';
import { known } from '../../core/envelope.ts';
import type { Answer, View } from '../../core/operation.ts';
import { DAY_MS } from '../../core/time.ts';
import { firstFitting } from '../../core/view.ts';
import { listPairs } from './pair-queries.ts';
import { findDayAgo, type PriceHistory, pricesOf } from './prices.ts';
import { type EventRow, getHistory } from './queries.ts';
import { eventCard, eventReading, type StoredMarket } from './sources/event-card.ts';

type EventCard = z.output<typeof eventCard>;

/** The card of an event as it is now, with the same question at other venues. */
export function toEventCard(db: Database, event: EventRow, now: Date): EventCard {
  return eventCard.parse(withPairs(db, event, now));
}

function withPairs(db: Database, event: EventRow, now: Date) {
  const hasStrikes = event.markets.some(({ strike }) => strike !== undefined);
  const pairs = hasStrikes ? listPairs(db, event.id) : [];
  const others = new Map(pairs.map(({ markets: [own, other] }) => [own.market_card_id, other]));
  return {
    ...event,
    coverage_status: isStale(event, now) ? 'stale' : event.coverage_status,
    markets: event.markets.map((market) => {
      const other = others.get(market.market_card_id);
      if (other === undefined) return market;
      const { source, event_card_id, probability } = other;
      return { ...market, also: { source, event_card_id, probability } };
    }),
  };
}

/** All that is stored of an event, for a reply of this size; `hidden` counts the markets that were cut. */
export function readEvent(
  db: Database,
  event: EventRow,
  now: Date,
  reply: ReplySize,
): { data: z.output<typeof eventReading>; hidden: number } {
  const history = getHistory(db, event.id);
  const seenAt = Date.parse(event.synced_at);
  const { markets, ...card } = withPairs(db, event, now);
  const reading = eventReading.parse({
    ...card,
    markets: markets.map((market) => ({
      ...market,
      outcomes: withPriceChange(market, history[market.market_card_id], seenAt),
    })),
  });
  const data = cutMarkets(reading, reply);
  return { data, hidden: markets.length - data.markets.length };
}

function withPriceChange(
  market: StoredMarket,
  { since, past }: PriceHistory[string] = { since: 0, past: [] },
  seenAt: number,
) {
  const previous = past.at(-1);
  const dayAgo = findDayAgo(past, { from: since, until: seenAt, prices: pricesOf(market) });
  return market.outcomes.map((each, index) => ({
    ...each,
    ...(previous !== undefined && {
      previous_probability: previous.prices[index],
      previous_at: new Date(previous.until).toISOString(),
    }),
    ...(dayAgo !== null && { day_ago_probability: dayAgo[index] }),
  }));
}

/** Age beyond which facts count as stale. */
const STALE_AFTER_MS = { active: DAY_MS, other: 7 * DAY_MS };
/** Tolerated clock correction. */
const CLOCK_TOLERANCE_MS = 60_000;

/** Bundled snapshots are always stale, and so are times in the future: their age is unknown. */
function isStale({ origin, status, synced_at, isMissing }: EventRow, now: Date): boolean {
  const limit = status === 'active' ? STALE_AFTER_MS.active : STALE_AFTER_MS.other;
  const age = now.getTime() - Date.parse(synced_at);
  return origin === 'starter' || isMissing || age > limit || age < -CLOCK_TOLERANCE_MS;
}

/** Odds older than this are refreshed. */
const FRESH_MS = 15 * 60_000;

/** Whether odds observed at `seenAt` (ISO 8601) need a refresh; those of a clock that was ahead do. */
export function isOld(seenAt: string, now: Date): boolean {
  const age = now.getTime() - Date.parse(seenAt);
  return age < 0 || age >= FRESH_MS;
}

/** What a model reads of a list of events: labels and odds, without what only reading one calls for. */
export function viewOfEvents({
  data: { events, ...list },
}: Answer<{ events: (EventCard & { semantic_score?: number })[]; count: number }>): View {
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
    markets: markets.map(
      ({
        market_card_id: _id,
        outcomes,
        status,
        liquidity: _liquidity,
        volume: _volume,
        ...market
      }) => ({
        ...market,
        outcomes: outcomes.map(({ label, current_probability }) => ({
          label,
          current_probability,
        })),
        ...(status === card.status ? {} : { status }),
      }),
    ),
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
