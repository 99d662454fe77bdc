import type { Database } from 'better-sqlite3';
import {
  EVENT_COLUMNS,
  eventChecksum,
  MARKET_COLUMNS,
  marketChecksum,
  pricesChecksum,
  type SealedEvent,
} from './checksum.ts';

type MarketRow = [
  eventId: number,
  checksum: number,
  pricesChecksum: number,
  priceSince: number | null,
  past: string | null,
  ...columns: (string | number | null)[],
];

/** The events of which the card, a market or an earlier price is damaged. Reads all of them. */
export function listDamagedEvents(db: Database): number[] {
  const damaged = new Set<number>();
  const events = db.prepare<[], SealedEvent & { id: number; checksum: number }>(
    `SELECT ${EVENT_COLUMNS}, e.checksum FROM market_event e`,
  );
  for (const event of events.iterate()) {
    if (event.checksum !== eventChecksum(event)) damaged.add(event.id);
  }
  const markets = db
    .prepare<[], MarketRow>(`
      SELECT event_id, checksum, prices_checksum, price_since, past, ${MARKET_COLUMNS}
      FROM market`)
    .raw();
  for (const [eventId, checksum, prices, priceSince, past, ...columns] of markets.iterate()) {
    const isSound =
      checksum === marketChecksum(eventId, columns) && prices === pricesChecksum(priceSince, past);
    if (!isSound) damaged.add(eventId);
  }
  return [...damaged];
}
