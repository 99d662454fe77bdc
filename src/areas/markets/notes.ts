import type { Database } from 'better-sqlite3';
import { ServiceError } from '../../core/errors.ts';
import { type EventRow, listTagWords, summariseMarkets } from './queries.ts';

/** Finance words named to a caller who found nothing. */
const TAGS_NAMED = 8;

/** Says of starter events that their odds are history; nothing of others. */
export function describeSnapshot(events: readonly EventRow[]): string {
  const starters = events.filter((event) => event.origin === 'starter');
  if (starters.length === 0) return '';
  const days = [...new Set(starters.map((event) => event.syncedAt.slice(0, 10)))].sort();
  return `These are a snapshot of ${days.join(', ')}, not live odds.`;
}

/** Says what is held when nothing was found. */
export function describeNothing(db: Database): string {
  const { count, active, closed } = summariseMarkets(db);
  const tags = listTagWords(db, TAGS_NAMED).join(', ');
  return (
    `No event matches. The shelf holds ${count} finance events (${active} active, ` +
    `${count - active - closed} inactive, ${closed} closed); common tags: ${tags}.`
  );
}

/** Says that a reply was cut to its size. */
export function describeCut(served: number, found: number): string {
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
