import type { Database } from 'better-sqlite3';
import { ServiceError } from '../../core/errors.ts';
import type { MarketCard } from './normalise.ts';
import { type EventRow, listHeldTags, summariseMarkets } from './queries.ts';
import { listFinanceWords } from './scope.ts';

/** Characters of the events in one reply; with the envelope it stays under 90,000. */
const MAX_EVENTS_CHARACTERS = 88_000;

/** Cards of the first items, as many as one reply holds; the first is served whatever its size. */
export function takeFitting<T, C extends MarketsShown>(
  items: readonly T[],
  marketsOf: (item: T) => readonly MarketCard[],
  toCard: (item: T, markets: readonly MarketCard[]) => C,
): C[] {
  const cards: C[] = [];
  let characters = 0;
  for (const item of items) {
    const markets = marketsOf(item);
    const card = toCard(item, markets);
    characters += countCharacters(markets, card) + 1;
    if (cards.length > 0 && characters > MAX_EVENTS_CHARACTERS) break;
    cards.push(card);
  }
  return cards;
}

interface MarketsShown {
  markets: readonly unknown[];
}

/** Characters of the markets of an event, which are most of its card, as far as they were counted. */
const counted = new WeakMap<readonly MarketCard[], number>();

/** Characters of a card as JSON. */
function countCharacters(markets: readonly MarketCard[], card: MarketsShown): number {
  const known = counted.get(markets) ?? JSON.stringify(card.markets).length;
  counted.set(markets, known);
  return JSON.stringify({ ...card, markets: [] }).length - '[]'.length + known;
}

/** What a caller should know about the events served out of `found`, as sentences. */
export function describeAnswer(db: Database, served: readonly EventRow[], found: number): string[] {
  if (served.length === 0) return [describeNothing(db)];
  return [describeCut(served.length, found), describeSnapshot(served)];
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
