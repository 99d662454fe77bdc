import type { Database } from 'better-sqlite3';
import { ServiceError } from '../../../core/errors.ts';
import { browseEvents, type EventRow, listHeldTags, summariseMarkets } from '../queries.ts';
import { listFinanceWords } from '../scope/scope.ts';
import { isOld, type Reach } from '../sync/freshness.ts';
import type { EventFilters } from './filters.ts';
import type { MarketCard } from './normalise.ts';

/** Characters of the events in one reply; with the envelope it stays under 90,000. */
const MAX_EVENTS_CHARACTERS = 88_000;

/** What of a card may be left out. */
interface Card {
  market_count: number;
  markets: readonly unknown[];
}

/**
 * Cards of the first items, as many as one reply holds, and at least one. Where the first alone is
 * too long its last markets are left out: `hidden` of them.
 */
export function takeFitting<T, C extends Card>(
  items: readonly T[],
  marketsOf: (item: T) => readonly MarketCard[],
  toCard: (item: T, markets: readonly MarketCard[]) => C,
): { cards: C[]; hidden: number } {
  const cards: C[] = [];
  let hidden = 0;
  let characters = 0;
  for (const item of items) {
    const markets = marketsOf(item);
    const whole = toCard(item, markets);
    const length = countCharacters(markets, whole);
    const card = cards.length === 0 && length > MAX_EVENTS_CHARACTERS ? cutMarkets(whole) : whole;
    characters += (card === whole ? length : JSON.stringify(card).length) + 1;
    if (cards.length > 0 && characters > MAX_EVENTS_CHARACTERS) break;
    cards.push(card);
    hidden += whole.markets.length - card.markets.length;
  }
  return { cards, hidden };
}

/** A card without the last of its markets, as far as it would be too long for a reply. */
export function cutMarkets<C extends Card>(card: C): C {
  if (JSON.stringify(card).length <= MAX_EVENTS_CHARACTERS) return card;
  const lengths = card.markets.map((market) => JSON.stringify(market).length + 1);
  let characters = JSON.stringify({ ...card, markets: [] }).length;
  const shown = lengths.findIndex((length) => {
    characters += length;
    return characters > MAX_EVENTS_CHARACTERS;
  });
  return { ...card, market_count: shown, markets: card.markets.slice(0, shown) };
}

/** Characters of the markets of an event, which are most of its card, as far as they were counted. */
const counted = new WeakMap<readonly MarketCard[], number>();

/** Characters of a card as JSON. */
function countCharacters(markets: readonly MarketCard[], card: Card): number {
  const known = counted.get(markets) ?? JSON.stringify(card.markets).length;
  counted.set(markets, known);
  return JSON.stringify({ ...card, markets: [] }).length - '[]'.length + known;
}

/** What a caller should know about the events served out of `found`, as sentences. */
export function describeAnswer(
  db: Database,
  served: readonly EventRow[],
  found: number,
  hidden: number,
): string[] {
  if (served.length === 0) return [describeNothing(db)];
  return [describeCut(served.length, found), describeHidden(hidden), describeSnapshot(served)];
}

/** Says how many markets of the first event were left out. */
function describeHidden(hidden: number): string {
  return hidden === 0
    ? ''
    : `${hidden} markets of the first event, the least liquid ones, do not fit into one reply and are not shown.`;
}

/** Says of starter events that their odds are history; nothing of others. */
function describeSnapshot(events: readonly EventRow[]): string {
  const starters = events.filter((event) => event.origin === 'starter');
  if (starters.length === 0) return '';
  const days = [...new Set(starters.map((event) => event.syncedAt.slice(0, 10)))].sort();
  return `Starter data: a snapshot of ${days.join(', ')}, not live odds.`;
}

/** Says what is held when nothing was found. */
function describeNothing(db: Database): string {
  const { count, active, closed } = summariseMarkets(db);
  const tags = listHeldTags(db, listFinanceWords()).join(', ');
  return (
    `No event matches. The shelf holds ${count} finance events (${active} active, ` +
    `${count - active - closed} inactive, ${closed} closed) with the tags ${tags}.`
  );
}

/** A day of which no time is given; `end_time` then is its midnight. */
const BARE_DAY = /^\d{4}-\d{2}-\d{2}$/;
const LAST_SECOND_MS = (24 * 60 * 60 - 1) * 1_000;

/** Says where a bare last day leaves out events that resolve later on that day, as most do at noon. */
export function describeLastDay(
  db: Database,
  filters: EventFilters,
  endTime: string | undefined,
  now: Date,
): string {
  if (filters.end === null || endTime === undefined || !BARE_DAY.test(endTime)) return '';
  const midnight = Date.parse(filters.end);
  const start = new Date(midnight + 1).toISOString();
  const end = new Date(midnight + LAST_SECOND_MS).toISOString();
  const missed = browseEvents(db, { ...filters, start, end }, now, { limit: 1, after: null });
  return missed.length === 0
    ? ''
    : `Events under the same filters resolve later on ${endTime} and are left out, because a bare day is its midnight; end_time ${endTime}T23:59:59Z takes them in.`;
}

/** Says that a reply was cut to its size. */
function describeCut(served: number, found: number): string {
  return served < found
    ? `Only ${served} of ${found} events fit into one reply; narrow the filters to see the others.`
    : '';
}

/**
 * An answer is as old as its oldest event; an empty one as the newest the shelf holds.
 * Throws `service_unavailable` where it holds none.
 */
export function asOfEvents(db: Database, events: readonly EventRow[]): string {
  const oldest = events.map((event) => event.syncedAt).sort()[0];
  const asOf = oldest ?? summariseMarkets(db).newest;
  if (asOf === null) {
    throw new ServiceError(
      'service_unavailable',
      'The shelf holds no prediction markets. Run `quantshelf doctor` to see why.',
    );
  }
  return asOf;
}

/** Ids of served events whose odds are old and may be had fresher: closed ones are settled. */
export function listRefreshable(events: readonly EventRow[], now: Date): number[] {
  return events
    .filter(({ status, isMissing, syncedAt }) => {
      return status !== 'closed' && !isMissing && isOld(syncedAt, now);
    })
    .map(({ id }) => id);
}

/**
 * Says what a refresh under way will bring: odds of the `old` events, which it asks for one by one
 * where no list holds them; to an empty answer nothing but a whole one can add much.
 */
export function describeRefresh(reach: Reach | null, old: readonly number[]): string {
  if (reach === null) return '';
  if (old.length > 0) {
    return 'Fresher odds are being fetched in the background; call again in a minute or two.';
  }
  return reach === 'whole'
    ? 'All events are being fetched in the background; call again in a few minutes.'
    : '';
}
