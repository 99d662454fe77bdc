import type { Database } from 'better-sqlite3';
import { pause } from '../../core/pause.ts';
import { indexVectors, removeFromIndex } from '../../store/search/index.ts';
import type { EventFacts } from './facts.ts';
import { hashFacts } from './fingerprint.ts';
import { markSeen, type PreparedEvent, prepareEvent, writeEvent } from './ingest.ts';
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
  /** Ids of those that were closed and are no more; they count as changed, too. */
  reopened: number[];
}

/** An event that the source has not known for so long is gone. */
const GONE_AFTER_MS = 24 * 60 * 60 * 1_000;
/** Written at once at most: a call in another process waits for no more than these. */
const SLICE = { events: 10, markets: 200 };
/** Between two slices another process has its turn, in milliseconds. */
const TURN_MS = 1;

/**
 * Brings the shelf to what was seen at `seenAt`: events in scope are added or replaced, those that
 * are held as they are only get their new date, those that left the scope go. In small
 * transactions, so that a stop in between leaves whole events.
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
    await pause(TURN_MS);
  }
  intake.unchanged = same.length;
  touchEvents(db, same, seenAt);
  return intake;
}

/** One event at least in each, whatever its size. */
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
  /** Ids of events that left the scope, and of those that are as they were. */
  left: number[];
  same: number[];
}

/** What has to be done about some events, worked out before the store is locked for writing. */
function planSlice(
  db: Database,
  events: readonly EventFacts[],
  seenAt: Date,
  intake: Intake,
): Plan {
  const plan: Plan = { fresh: [], left: [], same: [] };
  for (const facts of events) {
    const id = Number(facts.id);
    const held = findSight(db, id);
    if (!isFinance(facts)) {
      intake[held === undefined ? 'outside' : 'removed'] += 1;
      if (held !== undefined) plan.left.push(id);
      continue;
    }
    const factsHash = hashFacts(facts);
    if (held?.origin === 'polymarket' && held.gone === 0 && held.factsHash === factsHash) {
      plan.same.push(id);
      continue;
    }
    const prepared = prepareEvent(
      { facts, seenAt: seenAt.toISOString(), origin: 'polymarket', vector: null },
      held,
      factsHash,
    );
    intake[held === undefined ? 'added' : 'changed'] += 1;
    if (held?.status === 'closed' && prepared.card.status !== 'closed') intake.reopened.push(id);
    plan.fresh.push(prepared);
  }
  return plan;
}

function touchEvents(db: Database, ids: readonly number[], at: Date): void {
  if (ids.length === 0) return;
  db.transaction(() => {
    markSeen(db, ids, at.getTime());
    db.prepare(`
      UPDATE market_event_sight SET missing_since = NULL
      WHERE id IN (SELECT value FROM json_each(@ids)) AND missing_since IS NOT NULL`).run({
      ids: JSON.stringify(ids),
    });
  }).immediate();
}

function removeEvent(db: Database, id: number): void {
  db.prepare('DELETE FROM market_event WHERE id = @id').run({ id });
  removeFromIndex(db, eventIndex, id);
}

/**
 * The source says that it has no such event. Nothing happens the first time; a day later the event
 * counts as gone and becomes inactive with its markets, for it may have closed, and nobody says
 * how; a closed one stays closed. A starter event stays the snapshot that it is. True when it is
 * gone now.
 */
export function recordMissing(db: Database, id: number, at: Date): boolean {
  const moment = { id, at: at.toISOString() };
  const goneBefore = new Date(at.getTime() - GONE_AFTER_MS).toISOString();
  return db
    .transaction(() => {
      // A moment in the future is that of a clock that ran ahead.
      db.prepare(`
        INSERT INTO market_event_sight (id, facts_hash, words_hash, vector_due, missing_since)
        VALUES (@id, '', '', 0, @at)
        ON CONFLICT (id) DO UPDATE SET
          missing_since = min(coalesce(missing_since, @at), @at)`).run(moment);
      const { changes } = db
        .prepare(`
          UPDATE market_event_sight SET gone = 1
          WHERE id = @id AND gone = 0 AND missing_since <= @goneBefore`)
        .run({ id, goneBefore });
      if (changes === 0) return false;
      const isOurs = db
        .prepare(`
          UPDATE market_event SET status = 'inactive', sort_rank = 1, sort_closing = 0
          WHERE id = @id AND origin = 'polymarket' AND sort_rank < 2`)
        .run({ id }).changes;
      if (isOurs > 0) {
        db.prepare(`
          UPDATE market SET status = 'inactive'
          WHERE event_id = @id AND status = 'active'`).run({ id });
      }
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
