import type { Database } from 'better-sqlite3';
import { indexVectors, removeFromIndex } from '../../store/search/search-index.ts';
import type { EventFacts } from './facts.ts';
import { hashFacts } from './fingerprint.ts';
import { insertEvents } from './ingest.ts';
import { findSight } from './pull-queries.ts';
import { isFinance } from './scope.ts';
import { eventIndex } from './tables.ts';

/** What became of the events of a page. */
export interface Intake {
  added: number;
  changed: number;
  unchanged: number;
  /** Left the scope of the shelf. */
  removed: number;
  /** Never entered it. */
  outside: number;
}

/** An event that the source has not known for so long is gone. */
const GONE_AFTER_MS = 24 * 60 * 60 * 1_000;

/**
 * Brings the shelf to what was seen at `seenAt`: events in scope are added or replaced, those that
 * are held as they are only get their new date, those that left the scope go. One transaction.
 */
export function storeSeenEvents(db: Database, events: readonly EventFacts[], seenAt: Date): Intake {
  const at = seenAt.toISOString();
  const intake: Intake = { added: 0, changed: 0, unchanged: 0, removed: 0, outside: 0 };
  db.transaction(() => {
    const fresh: EventFacts[] = [];
    const same: number[] = [];
    for (const facts of events) {
      const held = findSight(db, Number(facts.id));
      if (!isFinance(facts)) {
        if (held === undefined) intake.outside += 1;
        else {
          removeEvent(db, Number(facts.id));
          intake.removed += 1;
        }
      } else if (
        held?.origin === 'polymarket' &&
        held.gone === 0 &&
        held.factsHash === hashFacts(facts)
      ) {
        same.push(Number(facts.id));
      } else {
        fresh.push(facts);
        intake[held === undefined ? 'added' : 'changed'] += 1;
      }
    }
    insertEvents(
      db,
      fresh.map((facts) => ({ facts, seenAt: at, origin: 'polymarket', vector: null })),
    );
    touchEvents(db, same, at);
    intake.unchanged = same.length;
  }).immediate();
  return intake;
}

function touchEvents(db: Database, ids: readonly number[], at: string): void {
  if (ids.length === 0) return;
  const seen = { ids: JSON.stringify(ids), at };
  db.prepare(`
    UPDATE market_event SET synced_at = @at
    WHERE id IN (SELECT value FROM json_each(@ids)) AND synced_at < @at`).run(seen);
  db.prepare(`
    UPDATE market_event_sight SET missing_since = NULL
    WHERE id IN (SELECT value FROM json_each(@ids)) AND missing_since IS NOT NULL`).run({
    ids: seen.ids,
  });
}

function removeEvent(db: Database, id: number): void {
  db.prepare('DELETE FROM market_event WHERE id = @id').run({ id });
  removeFromIndex(db, eventIndex, id);
}

/**
 * The source says that it has no such event. Nothing happens the first time; a day later the event
 * becomes inactive and counts as gone, for it may have closed, and nobody says how. A starter
 * event stays the snapshot that it is. True when it is gone now.
 */
export function recordMissing(db: Database, id: number, at: Date): boolean {
  const moment = { id, at: at.toISOString() };
  const goneBefore = new Date(at.getTime() - GONE_AFTER_MS).toISOString();
  return db
    .transaction(() => {
      db.prepare(`
        INSERT INTO market_event_sight (id, facts_hash, words_hash, vector_due, missing_since)
        VALUES (@id, '', '', 0, @at)
        ON CONFLICT (id) DO UPDATE SET
          missing_since = coalesce(missing_since, excluded.missing_since)`).run(moment);
      const { changes } = db
        .prepare(`
          UPDATE market_event_sight SET gone = 1
          WHERE id = @id AND gone = 0 AND missing_since <= @goneBefore`)
        .run({ id, goneBefore });
      if (changes === 0) return false;
      db.prepare(`
        UPDATE market_event SET status = 'inactive', sort_rank = 1, sort_closing = 0
        WHERE id = @id AND origin = 'polymarket'`).run({ id });
      return true;
    })
    .immediate();
}

/** A vector of the words that had this hash. */
export interface EventVector {
  id: number;
  vector: Float32Array;
  wordsHash: string;
}

/**
 * Keeps the vectors whose words are still those of the event; the others stay due. Returns how
 * many were kept. One transaction. Throws on a vector that is no unit vector.
 */
export function storeEventVectors(db: Database, vectors: readonly EventVector[]): number {
  const settle = db.prepare(`
    UPDATE market_event_sight SET vector_due = 0
    WHERE id = @id AND words_hash = @wordsHash AND vector_due = 1`);
  return db
    .transaction(() => {
      let kept = 0;
      for (const { id, vector, wordsHash } of vectors) {
        if (settle.run({ id, wordsHash }).changes === 0) continue;
        indexVectors(db, eventIndex, [{ id, vector }]);
        kept += 1;
      }
      return kept;
    })
    .immediate();
}
