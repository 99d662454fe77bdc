import type { Database } from 'better-sqlite3';
import { type EventDelivery, prepareEvent, writeEvent } from '../../src/areas/markets/ingest.ts';
import { findSyncState } from '../../src/areas/markets/sync-queries.ts';

/**
 * Inserts or replaces events with their markets, tags, assets and index entries; repeating a
 * delivery changes nothing. The caller checks the scope (`isFinance`). One transaction. Throws on a
 * vector that is not of unit length.
 */
export function insertEvents(db: Database, deliveries: readonly EventDelivery[]): void {
  db.transaction(() => {
    for (const delivery of deliveries) {
      const held = findSyncState(db, Number(delivery.facts.id));
      writeEvent(db, prepareEvent(delivery, held));
    }
  }).immediate();
}
