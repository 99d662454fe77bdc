import type { Database } from 'better-sqlite3';
import { type EventDelivery, storeEvent } from '../../src/areas/markets/ingest.ts';
import { findStored } from '../../src/areas/markets/queries.ts';

/**
 * Inserts or replaces events with their markets, tags, assets and index entries; repeating a
 * delivery changes nothing. The caller checks the scope (`isFinance`). One transaction. Throws on a
 * vector that is not of unit length.
 */
export function insertEvents(db: Database, deliveries: readonly EventDelivery[]): void {
  db.transaction(() => {
    for (const delivery of deliveries) {
      storeEvent(db, delivery, findStored(db, delivery.event));
    }
  }).immediate();
}
