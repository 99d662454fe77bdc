import type * as z from 'zod';
import { withoutNulls } from '../../core/envelope.ts';
import { sum } from '../../core/numbers.ts';
import type { Reader } from '../../core/reader.ts';
import type { ReplySize } from '../../core/reply.ts';
import { DAY_MS } from '../../core/time.ts';
import { listPairs } from './pairs.ts';
import { findPast, listDays, type PastPrices, toSeries } from './prices.ts';
import { type EventRow, getHistory } from './queries.ts';
import { settleEvent } from './settlement.ts';
import {
  eventCard,
  fullEventCard,
  isFinal,
  type Settlement,
  type StoredMarket,
} from './sources/event-card.ts';

type EventCard = z.output<typeof eventCard>;
type FullEventCard = z.output<typeof fullEventCard>;

/** An event's card at a given time, with the odds of paired markets at other venues. */
export function toEventCard(db: Reader, event: EventRow, now: Date): EventCard {
  return eventCard.parse(withPairs(db, event, now));
}

function withPairs(db: Reader, event: EventRow, now: Date) {
  const hasStrikes = event.markets.some(({ strike }) => strike !== undefined);
  const pairs = hasStrikes ? listPairs(db, event.id) : [];
  const others = new Map(pairs.map(({ markets: [own, other] }) => [own.market_card_id, other]));
  const markets = event.markets.map((market) => {
    const { settlement, end_time = event.end_time } = market;
    const other = others.get(market.market_card_id);
    return {
      ...market,
      ...withoutNulls({
        also: other ?? null,
        settlement: settlement ?? (isPastUnseen(event, end_time, now) ? ENDED : null),
      }),
    };
  });
  const hasEnded = endedUnseen(event, now) !== null;
  return {
    ...event,
    coverage_status: isStale(event, now) ? 'stale' : event.coverage_status,
    // With status `closed`, the event counts as ended even if a market lacks a settlement.
    settlement: hasEnded ? settleEvent({ ...event, status: 'closed', markets }) : event.settlement,
    markets,
  };
}

const ENDED: Settlement = { status: 'ended' };

/**
 * The latest end time of an event and its markets, if that has passed since the event was last
 * seen; null if it has not, or if the result is final.
 */
export function endedUnseen(event: EventRow, now: Date): string | null {
  if (isFinal(event.settlement)) return null;
  const ends = [event, ...event.markets].flatMap(({ end_time }) => end_time ?? []);
  const last = ends.sort().at(-1);
  return last !== undefined && isPastUnseen(event, last, now) ? last : null;
}

function isPastUnseen({ synced_at }: EventRow, end: string | undefined, now: Date): boolean {
  return end !== undefined && synced_at < end && end <= now.toISOString();
}

/** An event's full card, cut to fit one reply; `hidden` counts the omitted markets. */
export function readEvent(
  db: Reader,
  event: EventRow,
  now: Date,
  { event: limit, histories }: ReplySize,
): { data: FullEventCard; hidden: number } {
  const stored = getHistory(db, event.id);
  const seenAt = Date.parse(event.synced_at);
  const seriesOf = (market: StoredMarket) =>
    toSeries(market, stored[market.market_card_id], seenAt);
  const { markets, ...card } = withPairs(db, event, now);
  const whole = fullEventCard.parse({
    ...card,
    markets: markets.map((market) => ({
      ...market,
      outcomes: withPriceChange(market, seriesOf(market)),
    })),
  });
  const size = { limit, least: Number.POSITIVE_INFINITY };
  const { cards, hidden } = fitCards([whole], (each) => each, size);
  const [shown = whole] = cards;
  let left = limit - JSON.stringify(shown).length;
  // Markets take precedence; histories get the remaining room.
  for (const market of byInterest(shown).slice(0, histories)) {
    const history = listDays(seriesOf(market));
    left -= JSON.stringify({ history }).length;
    if (history.length > 1 && left > 0) market.history = history;
  }
  return { data: shown, hidden };
}

function withPriceChange({ outcomes }: StoredMarket, series: readonly PastPrices[]) {
  const previous = series.at(-2);
  const [dayAgo, weekAgo] = [findPast(series, 'day'), findPast(series, 'week')];
  return outcomes.map((each, index) => ({
    ...each,
    ...(previous !== undefined && {
      previous_probability: previous.prices[index],
      previous_at: new Date(previous.until).toISOString(),
    }),
    ...(dayAgo !== null && { day_ago_probability: dayAgo[index] }),
    ...(weekAgo !== null && { week_ago_probability: weekAgo[index] }),
  }));
}

/** Age beyond which an event counts as stale, by status. */
const STALE_AFTER_MS = { active: DAY_MS, other: 7 * DAY_MS };
/** How far a stored time may be ahead of the clock, which may have been set back. */
const CLOCK_TOLERANCE_MS = 60_000;

function isStale({ origin, status, synced_at, isMissing }: EventRow, now: Date): boolean {
  const limit = status === 'active' ? STALE_AFTER_MS.active : STALE_AFTER_MS.other;
  const age = now.getTime() - Date.parse(synced_at);
  return origin === 'starter' || isMissing || age > limit || age < -CLOCK_TOLERANCE_MS;
}

/** Whether a read should refresh the event: its odds are old, and its venue may change them. */
export function isDue({ synced_at, settlement, isMissing }: EventRow, now: Date): boolean {
  return isOld(synced_at, now) && !isMissing && !isFinal(settlement);
}

/** Age from which odds count as old. */
const FRESH_MS = 15 * 60_000;

/** Whether odds last seen at `seenAt` (ISO 8601) need a refresh. */
export function isOld(seenAt: string, now: Date): boolean {
  const age = now.getTime() - Date.parse(seenAt);
  // A fast clock may have written a time in the future.
  return age < 0 || age >= FRESH_MS;
}

interface Card {
  status: string;
  market_count: number;
  more_markets?: number | undefined;
  markets: readonly Market[];
}
type Market = Pick<StoredMarket, 'status' | 'volume' | 'outcomes'>;

/** If neither all events nor this many fit, a list omits aliases and URLs to make room. */
const ENOUGH = 10;

/** Cards of as many items as fit in one reply; `hidden` counts the markets omitted from them. */
export function fitList<T, C extends EventCard>(
  items: readonly T[],
  toCard: (item: T) => C,
  { list: limit, markets: least }: ReplySize,
): { cards: Omit<C, 'alias' | 'url'>[]; hidden: number } {
  const fitting = fitCards(items, toCard, { limit, least });
  const target = Math.min(items.length, ENOUGH);
  if (fitting.cards.length >= target || least === Number.POSITIVE_INFINITY) return fitting;
  const toShort = (item: T) => {
    const { alias: _, url: __, ...card } = toCard(item);
    return card;
  };
  return fitCards(items, toShort, { limit, least });
}

/**
 * As many cards as fit into `limit` characters with `least` markets each, but at least one card;
 * any room left goes to more markets. `hidden` counts the markets omitted from these cards.
 */
function fitCards<T, C extends Card>(
  items: readonly T[],
  toCard: (item: T) => C,
  { limit, least }: { limit: number; least: number },
): { cards: C[]; hidden: number } {
  const drafts: ReturnType<typeof toDraft<C>>[] = [];
  const sizeWith = (most: number) =>
    sum(drafts.map(({ bare, lengths }) => bare + sum(lengths.slice(0, most))));
  for (const item of items) {
    drafts.push(toDraft(toCard(item)));
    if (sizeWith(least) <= limit) continue;
    // The first card stays even if it exceeds the limit by itself.
    if (drafts.length > 1) drafts.pop();
    break;
  }
  const largest = Math.max(0, ...drafts.map(({ lengths }) => lengths.length));
  let shown = sizeWith(least) > limit ? 1 : least;
  while (shown < largest && sizeWith(shown + 1) <= limit) shown += 1;
  return {
    cards: drafts.map(({ card, ranked }) => keepMarkets(card, ranked.slice(0, shown))),
    hidden: sum(drafts.map(({ lengths }) => Math.max(0, lengths.length - shown))),
  };
}

function toDraft<C extends Card>(card: C) {
  const ranked = byInterest(card);
  const lengths = ranked.map((market) => JSON.stringify(market).length + 1);
  const bare = JSON.stringify({ ...card, markets: [], more_markets: 1_000 }).length + 1;
  return { card, ranked, lengths, bare };
}

/**
 * Alternates between the most likely and the most traded markets; those whose status differs from
 * the event's come last.
 */
function byInterest<M extends Market>({
  status,
  markets,
}: Pick<Card, 'status'> & { markets: readonly M[] }): M[] {
  const isOpen = (market: M) => Number(market.status === status);
  const chance = ({ outcomes: [first] }: M) => first?.current_probability ?? 0;
  const likely = markets.toSorted((a, b) => isOpen(b) - isOpen(a) || chance(b) - chance(a));
  const traded = markets.toSorted((a, b) => isOpen(b) - isOpen(a) || b.volume - a.volume);
  return [...new Set(likely.flatMap((market, at) => [market, traded[at] ?? market]))];
}

/** The card with only the chosen markets, in their original order. */
function keepMarkets<C extends Card>(card: C, chosen: readonly Market[]): C {
  const hidden = card.markets.length - chosen.length;
  if (hidden === 0) return card;
  const kept = new Set(chosen);
  const markets = card.markets.filter((market) => kept.has(market));
  const more_markets = (card.more_markets ?? 0) + hidden;
  return { ...card, more_markets, market_count: markets.length, markets };
}
