import type { Database } from 'better-sqlite3';
import {
  EVENT_COLUMNS,
  eventChecksum,
  MARKET_COLUMNS,
  marketChecksum,
  pricesChecksum,
  type SealedEvent,
} from './checksum.ts';

/** Rows per transaction. */
const SLICE = 200;

/**
 * Makes the checksums that an event and its markets lack. Call it inside the transaction that writes
 * them: a change of a row removes its own.
 */
export function sealEvent(db: Database, id: number): void {
  const event = db
    .prepare<{ id: number }, SealedEvent>(
      `SELECT ${EVENT_COLUMNS} FROM market_event e WHERE e.id = @id AND e.checksum IS NULL`,
    )
    .get({ id });
  if (event !== undefined) {
    const checksum = eventChecksum(event);
    db.prepare('UPDATE market_event SET checksum = @checksum WHERE id = @id').run({ id, checksum });
  }
  const markets = db
    .prepare<
      { id: number },
      [number, number | null, string | null, ...(string | number | null)[]]
    >(`
      SELECT position, price_since, past, ${MARKET_COLUMNS}
      FROM market WHERE event_id = @id AND checksum IS NULL`)
    .raw()
    .all({ id });
  const update = db.prepare(`
    UPDATE market SET checksum = @checksum, prices_checksum = @pricesChecksum
    WHERE event_id = @id AND position = @position`);
  for (const [position, priceSince, past, ...columns] of markets) {
    update.run({
      id,
      position,
      checksum: marketChecksum(id, columns),
      pricesChecksum: pricesChecksum(priceSince, past),
    });
  }
}

/** Seals the events of a store that an older version wrote. Yields a transaction per slice. */
export function* sealEvents(db: Database): Generator<() => void> {
  const ids = db.prepare<[], number>('SELECT id FROM market_event ORDER BY id').pluck().all();
  const seal = db.transaction((slice: readonly number[]) => {
    for (const id of slice) sealEvent(db, id);
  });
  for (let at = 0; at < ids.length; at += SLICE) {
    const slice = ids.slice(at, at + SLICE);
    yield () => seal.immediate(slice);
  }
}
