import type { Database } from 'better-sqlite3';
import { removeVectors } from '../../search/vectors.ts';
import { type OwnedTable, replaceRows } from '../../store/copy.ts';
import { storedModel } from '../../store/state.ts';
import { setVectorDue } from './ingest.ts';
import { findStored } from './queries.ts';
import { eventIndex } from './tables.ts';

const STARTER_TABLES: readonly OwnedTable[] = [
  { table: 'market_event', key: 'id' },
  { table: 'market_event_text', key: 'id' },
  { table: 'market_event_tag', key: 'event_id' },
  { table: 'market_event_asset', key: 'event_id' },
  { table: 'market_event_strike', key: 'event_id' },
  { table: 'market_event_prices', key: 'id' },
  { table: 'market_event_state', key: 'id' },
  { table: 'market_event_terms', key: 'rowid' },
  { table: 'market_event_vector', key: 'id' },
  { table: 'market_event_passages', key: 'id' },
];

/**
 * Copies the events of a newer starter store, except those already received from a venue. If the
 * stores' models differ, the next sync computes the vectors. Yields one function per event, to be
 * run inside a transaction.
 */
export function* renewStarterEvents(db: Database, starter: Database): Generator<() => void> {
  const nextId = db
    .prepare<[], number>('SELECT coalesce(max(id), 0) + 1 FROM market_event')
    .pluck();
  const events = starter
    .prepare<[], { id: number; source: string; sourceId: string }>(
      "SELECT id, source, source_id AS sourceId FROM market_event WHERE origin = 'starter'",
    )
    .all();
  for (const event of events) {
    yield () => {
      const stored = findStored(db, event);
      if (stored?.origin === 'live') return;
      const to = stored?.id ?? nextId.get() ?? 1;
      replaceRows(starter, db, STARTER_TABLES, { from: event.id, to });
      // Checked inside the transaction, since the model may change.
      if (storedModel(starter) === storedModel(db)) return;
      removeVectors(db, eventIndex.name, to);
      setVectorDue(db, to);
    };
  }
}
