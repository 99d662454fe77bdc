import type { Database } from 'better-sqlite3';
import { indexVectors } from '../../search/profile.ts';
import { embeddingText } from './event.ts';
import { getEventById } from './queries.ts';
import { eventIndex } from './tables.ts';

/** Has the vectors of an event made again. */
export function setVectorDue(db: Database, id: number): void {
  db.prepare('UPDATE market_event_state SET vector_due = 1 WHERE id = @id').run({ id });
}

/** An event whose vector is missing or out of date. */
interface UnembeddedEvent {
  id: number;
  /** The text to embed. */
  text: string;
  /** Must be returned with the vector. */
  wordsHash: string;
}

/** In browse order. */
export function listUnembeddedEvents(db: Database, limit: number): UnembeddedEvent[] {
  const due = db
    .prepare<object, { id: number; wordsHash: string }>(`
      SELECT e.id, s.words_hash AS wordsHash
      FROM market_event_state s JOIN market_event e ON e.id = s.id
      WHERE s.vector_due = 1
      ORDER BY e.sort_rank, e.sort_closing, e.sort_liquidity, e.id
      LIMIT @limit`)
    .all({ limit });
  return due.flatMap(({ id, wordsHash }) => {
    const event = getEventById(db, id);
    return event === undefined ? [] : [{ id, wordsHash, text: embeddingText(event) }];
  });
}

/**
 * Stores the vectors of events, in their order, whose text is still current; the others stay due. One
 * transaction. Throws on a vector that is not of unit length.
 */
export function storeEventVectors(
  db: Database,
  events: readonly UnembeddedEvent[],
  vectors: readonly Float32Array[],
): void {
  if (vectors.length !== events.length)
    throw new Error('the model returned fewer vectors than texts');
  const settle = db.prepare(`
    UPDATE market_event_state SET vector_due = 0
    WHERE id = @id AND words_hash = @wordsHash AND vector_due = 1`);
  const isCurrent = ({ id, wordsHash }: UnembeddedEvent) =>
    settle.run({ id, wordsHash }).changes > 0;
  db.transaction(() => {
    for (const [index, event] of events.entries()) {
      const vector = vectors[index];
      if (vector !== undefined && isCurrent(event))
        indexVectors(db, eventIndex, [{ id: event.id, vector }]);
    }
  }).immediate();
}
