import type { Database } from 'better-sqlite3';
import { pause } from '../../core/time.ts';
import { indexVectors } from '../../search/profile.ts';
import { listDamagedVectors, removeVectors } from '../../search/vectors.ts';
import { hashFacts } from './event-text.ts';
import { markSeen, type PreparedEvent, prepareEvent, removeEvent, writeEvent } from './ingest.ts';
import { isFinance } from './scope.ts';
import type { EventFacts } from './sources/gamma.ts';
import { findSyncState } from './sync-queries.ts';
import { eventIndex } from './tables.ts';

/** Outcome counts of a page of events. */
export interface Intake {
  added: number;
  changed: number;
  unchanged: number;
  /** Left the finance scope. */
  removed: number;
  /** Outside the scope and not stored. */
  outside: number;
  /** Ids of events that were closed and reopened; also counted as changed. */
  reopened: number[];
}

/** How long the source must not know an event before it counts as gone. */
const GONE_AFTER_MS = 24 * 60 * 60 * 1_000;
/** Limits per transaction, so that other processes wait only briefly. */
const SLICE = { events: 10, markets: 200 };
/** Pause between transactions, for writers in other processes. */
const PAUSE_MS = 1;

/**
 * Stores events observed at `seenAt`: those in scope are added or replaced, unchanged ones only get
 * the new time, those that left the scope are removed. Transactions are small and never split an
 * event.
 */
export async function storeSeenEvents(
  db: Database,
  events: readonly EventFacts[],
  seenAt: Date,
): Promise<Intake> {
  const intake: Intake = {
    ...{ added: 0, changed: 0, unchanged: 0, removed: 0, outside: 0, reopened: [] },
  };
  const same: number[] = [];
  for (const part of cutIntoSlices(events)) {
    const slice = planSlice(db, part, seenAt, intake);
    same.push(...slice.same);
    if (slice.fresh.length + slice.left.length === 0) continue;
    db.transaction(() => {
      for (const prepared of slice.fresh) writeEvent(db, prepared);
      for (const id of slice.left) removeEvent(db, id);
    }).immediate();
    await pause(PAUSE_MS);
  }
  intake.unchanged = same.length;
  touchEvents(db, same, seenAt);
  return intake;
}

/** Each slice has at least one event, whatever its size. */
function* cutIntoSlices(events: readonly EventFacts[]): Generator<EventFacts[]> {
  let slice: EventFacts[] = [];
  let markets = 0;
  for (const facts of events) {
    const isFull = slice.length === SLICE.events || markets + facts.markets.length > SLICE.markets;
    if (isFull && slice.length > 0) {
      yield slice;
      slice = [];
      markets = 0;
    }
    slice.push(facts);
    markets += facts.markets.length;
  }
  if (slice.length > 0) yield slice;
}

interface Plan {
  fresh: PreparedEvent[];
  /** Ids of events that left the scope, and of unchanged ones. */
  left: number[];
  same: number[];
}

/** Sorts events by what has to be written, before the write lock is taken. */
function planSlice(
  db: Database,
  events: readonly EventFacts[],
  seenAt: Date,
  intake: Intake,
): Plan {
  const plan: Plan = { fresh: [], left: [], same: [] };
  for (const facts of events) {
    const id = Number(facts.id);
    const stored = findSyncState(db, id);
    if (!isFinance(facts)) {
      intake[stored === undefined ? 'outside' : 'removed'] += 1;
      if (stored !== undefined) plan.left.push(id);
      continue;
    }
    const factsHash = hashFacts(facts);
    if (stored?.origin === 'polymarket' && stored.gone === 0 && stored.factsHash === factsHash) {
      plan.same.push(id);
      continue;
    }
    const prepared = prepareEvent(
      { facts, seenAt: seenAt.toISOString(), origin: 'polymarket', vector: null },
      stored,
      factsHash,
    );
    intake[stored === undefined ? 'added' : 'changed'] += 1;
    if (stored?.status === 'closed' && prepared.card.status !== 'closed') intake.reopened.push(id);
    plan.fresh.push(prepared);
  }
  return plan;
}

function touchEvents(db: Database, ids: readonly number[], at: Date): void {
  if (ids.length === 0) return;
  db.transaction(() => {
    markSeen(db, ids, at.getTime());
    db.prepare(`
      UPDATE market_event_sync_state SET missing_since = NULL
      WHERE id IN (SELECT value FROM json_each(@ids)) AND missing_since IS NOT NULL`).run({
      ids: JSON.stringify(ids),
    });
  }).immediate();
}

/**
 * Records that the source does not know an event. If that has been so for a day, the event and its
 * markets become inactive, since its result is unknown. Closed events stay closed, and starter events
 * keep their snapshot. Returns true when the event now counts as gone.
 */
export function recordMissing(db: Database, id: number, at: Date): boolean {
  const moment = { id, at: at.toISOString() };
  const goneBefore = new Date(at.getTime() - GONE_AFTER_MS).toISOString();
  return db
    .transaction(() => {
      // min() also replaces a time in the future, which came from a clock that was ahead.
      db.prepare(`
        INSERT INTO market_event_sync_state (id, facts_hash, words_hash, vector_due, missing_since)
        VALUES (@id, '', '', 0, @at)
        ON CONFLICT (id) DO UPDATE SET
          missing_since = min(coalesce(missing_since, @at), @at)`).run(moment);
      const { changes } = db
        .prepare(`
          UPDATE market_event_sync_state SET gone = 1
          WHERE id = @id AND gone = 0 AND missing_since <= @goneBefore`)
        .run({ id, goneBefore });
      if (changes === 0) return false;
      // Its card stays as it is; who reads it sees that it is gone.
      db.prepare(`
        UPDATE market_event SET sort_rank = 1, sort_closing = 0
        WHERE id = @id AND origin = 'polymarket' AND sort_rank < 2`).run({ id });
      return true;
    })
    .immediate();
}

/** Drops the vectors that cannot be read, so that they are made again. */
export function dropDamagedVectors(db: Database): void {
  const due = db.prepare('UPDATE market_event_sync_state SET vector_due = 1 WHERE id = @id');
  const drop = db.transaction((id: number) => {
    removeVectors(db, eventIndex.name, id);
    due.run({ id });
  });
  for (const id of listDamagedVectors(db, eventIndex.name)) drop.immediate(id);
}

/** A vector, with the hash of the text that it was computed from. */
export interface EventVector {
  id: number;
  vector: Float32Array;
  wordsHash: string;
}

/**
 * Stores the vectors whose text is still current; the other events stay due. Returns how many were
 * stored. One transaction. Throws on a vector that is not of unit length.
 */
export function storeEventVectors(db: Database, vectors: readonly EventVector[]): number {
  const settle = db.prepare(`
    UPDATE market_event_sync_state SET vector_due = 0
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
