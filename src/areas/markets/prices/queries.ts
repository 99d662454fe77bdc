import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import type { PastPrices, PriceHistory } from './history.ts';

const pastList = z.array(z.tuple([z.number(), z.number()]).rest(z.number()));

interface RawHistory {
  position: number;
  priceSince: number;
  past: string | null;
}

/** Price histories of an event's markets, by their position on the card. */
export function listPriceHistories(db: Database, eventId: number): Map<number, PriceHistory> {
  const rows = db
    .prepare<{ eventId: number }, RawHistory>(`
      SELECT position, price_since AS priceSince, past
      FROM market WHERE event_id = @eventId AND price_since IS NOT NULL`)
    .all({ eventId });
  return new Map(
    rows.map(({ position, priceSince, past }) => [
      position,
      { since: priceSince, past: unpackPast(past) },
    ]),
  );
}

/** Earlier prices as JSON for a row; null for none. */
export function packPast(past: readonly PastPrices[]): string | null {
  if (past.length === 0) return null;
  return JSON.stringify(past.map(({ from, until, prices }) => [from, until, ...prices]));
}

export function unpackPast(packed: string | null): PastPrices[] {
  if (packed === null) return [];
  return pastList
    .parse(JSON.parse(packed))
    .map(([from, until, ...prices]) => ({ from, until, prices }));
}
