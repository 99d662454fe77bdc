import type { Database } from 'better-sqlite3';
import { ServiceError } from '../../../core/errors.ts';
import { browseEvents, type EventRow, listHeldTags, summariseMarkets } from '../queries.ts';
import { listFinanceWords } from '../scope/scope.ts';
import { isOld, type PullScope } from '../sync/freshness.ts';
import type { EventFilters } from './filters.ts';
import type { MarketCard } from './normalise.ts';

/** Limit on the events of one reply; with the envelope it stays under 90,000 characters. */
const MAX_EVENTS_CHARACTERS = 88_000;

/** The part of a card that can be cut. */
interface Card {
  market_count: number;
  markets: readonly unknown[];
}

/**
 * Cards of the first items, as many as fit into one reply, and at least one. If the first alone is
 * too long, its last markets are cut; `hidden` counts them.
 */
export function fitToSize<T, C extends Card>(
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

/** Cuts the last markets of a card that is too long for a reply. */
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

/** Lengths of market lists, which are most of a card; cached lists are measured once. */
const counted = new WeakMap<readonly MarketCard[], number>();

/** Length of a card as JSON. */
function countCharacters(markets: readonly MarketCard[], card: Card): number {
  const known = counted.get(markets) ?? JSON.stringify(card.markets).length;
  counted.set(markets, known);
  return JSON.stringify({ ...card, markets: [] }).length - '[]'.length + known;
}

/** Sentences for the notice of a reply that serves some of `found` events. */
export function describeAnswer(
  db: Database,
  served: readonly EventRow[],
  found: number,
  hidden: number,
): string[] {
  if (served.length === 0) return [describeNothing(db)];
  return [describeCut(served.length, found), describeHidden(hidden), describeSnapshot(served)];
}

/** Tells how many markets of the first event were cut. */
function describeHidden(hidden: number): string {
  return hidden === 0
    ? ''
    : `${hidden} markets of the first event, the least liquid ones, do not fit into one reply and are omitted.`;
}

/** Tells that the odds of starter events are a snapshot; empty for others. */
function describeSnapshot(events: readonly EventRow[]): string {
  const starters = events.filter((event) => event.origin === 'starter');
  if (starters.length === 0) return '';
  const days = [...new Set(starters.map((event) => event.syncedAt.slice(0, 10)))].sort();
  return `Starter data: a snapshot of ${days.join(', ')}, not live odds.`;
}

/** Tells what is held when nothing was found. */
function describeNothing(db: Database): string {
  const { count, active, closed } = summariseMarkets(db);
  const tags = listHeldTags(db, listFinanceWords()).join(', ');
  return (
    `No event matches. The shelf holds ${count} finance events (${active} active, ` +
    `${count - active - closed} inactive, ${closed} closed) with the tags ${tags}.`
  );
}

/** A date without a time; as `end_time` it means midnight at its start. */
const BARE_DAY = /^\d{4}-\d{2}-\d{2}$/;
const LAST_SECOND_MS = (24 * 60 * 60 - 1) * 1_000;

/** Tells when a bare date as `end_time` excludes events that resolve later on that day. */
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
    : `Events that resolve later on ${endTime} are excluded, because a bare date means its midnight; end_time ${endTime}T23:59:59Z includes them.`;
}

/** Tells that events were left out to fit the reply. */
function describeCut(served: number, found: number): string {
  return served < found
    ? `Only ${served} of ${found} events fit into one reply; narrow the filters to see the others.`
    : '';
}

/**
 * `asOf` of a reply: the time of its oldest event, or for an empty reply that of the newest held.
 * Throws `service_unavailable` when no events are held.
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

/** Ids of served events whose odds are old and can be refreshed; closed ones are settled. */
export function listRefreshable(events: readonly EventRow[], now: Date): number[] {
  return events
    .filter(({ status, isMissing, syncedAt }) => {
      return status !== 'closed' && !isMissing && isOld(syncedAt, now);
    })
    .map(({ id }) => id);
}

/**
 * Tells what the running refresh will bring: fresher odds of the `old` events, or for an empty reply,
 * to which only a full refresh can add much, more events.
 */
export function describeRefresh(scope: PullScope | null, old: readonly number[]): string {
  if (scope === null) return '';
  if (old.length > 0) {
    return 'Fresher odds are being fetched in the background; call again in a minute or two.';
  }
  return scope === 'full'
    ? 'All events are being fetched in the background; call again in a few minutes.'
    : '';
}
