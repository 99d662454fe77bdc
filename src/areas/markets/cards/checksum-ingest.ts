import type { Database } from 'better-sqlite3';
import {
  EVENT_COLUMNS,
  eventChecksum,
  MARKET_COLUMNS,
  marketChecksum,
  type SealedEvent,
} from './checksum.ts';

/** Makes the checksum of an event again. Call it inside the transaction that changes the event. */
export function sealEvent(db: Database, id: number): void {
  const event = db
    .prepare<{ id: number }, SealedEvent>(
      `SELECT ${EVENT_COLUMNS} FROM market_event e WHERE e.id = @id`,
    )
    .get({ id });
  if (event === undefined) return;
  const checksum = eventChecksum(event);
  db.prepare('UPDATE market_event SET checksum = @checksum WHERE id = @id').run({ id, checksum });
}

/** Makes the checksums of its markets again, likewise; those of their earlier prices stay. */
export function sealMarkets(db: Database, eventId: number): void {
  const update = db.prepare(`
    UPDATE market SET checksum = @checksum WHERE event_id = @eventId AND position = @position`);
  const markets = db
    .prepare<{ eventId: number }, [number, ...(string | number | null)[]]>(
      `SELECT position, ${MARKET_COLUMNS} FROM market WHERE event_id = @eventId`,
    )
    .raw()
    .all({ eventId });
  for (const [position, ...columns] of markets) {
    update.run({ eventId, position, checksum: marketChecksum(eventId, columns) });
  }
}
