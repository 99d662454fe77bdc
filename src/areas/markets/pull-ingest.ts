import type { Database } from 'better-sqlite3';
import { readStrings } from '../../core/json-lists.ts';
import { type EmbeddedEvent, embeddingText } from './event-text.ts';
import { recentSince } from './filters.ts';
import { nextPull, type Pull } from './freshness.ts';
import { listMarkets, listPulls } from './queries.ts';

/** Claims the pull that is due, so that no other process on the store runs it; null when none is due. */
export function claimPull(db: Database, now: Date): Pull | null {
  return db
    .transaction(() => {
      // Under the write lock: another process may have claimed it.
      const pull = nextPull(listPulls(db), now);
      if (pull !== null) beginPull(db, pull, now);
      return pull;
    })
    .immediate();
}

export function beginPull(db: Database, pull: Pull, at: Date): void {
  db.prepare(`
    INSERT INTO market_pull (source, scope, begun_at) VALUES (@source, @scope, @at)
    ON CONFLICT (source, scope) DO UPDATE SET begun_at = excluded.begun_at, over_at = NULL`).run({
    ...pull,
    at: at.getTime(),
  });
}

/** `finished`: every list was read to its end. */
export function endPull(db: Database, pull: Pull, at: Date, finished: boolean): void {
  db.prepare(`
    UPDATE market_pull
    SET over_at = @at, finished_at = CASE @finished WHEN 1 THEN @at ELSE finished_at END
    WHERE source = @source AND scope = @scope`).run({
    ...pull,
    at: at.getTime(),
    finished: Number(finished),
  });
}

/** Queues events for the running pull. */
export function queueEvents(db: Database, ids: readonly number[]): void {
  db.prepare(`
    INSERT OR IGNORE INTO market_event_refresh_queue (id)
    SELECT id FROM market_event WHERE id IN (SELECT value FROM json_each(@ids))`).run({
    ids: JSON.stringify(ids),
  });
}

/** An event that is asked for by itself. */
export interface SingleEvent {
  id: number;
  sourceId: string;
  alias: string;
}

/**
 * Takes from a venue's part of the queue the events that were not listed since `since`, the longest unseen
 * first; those that were listed leave it, too.
 */
export function takeQueued(
  db: Database,
  source: string,
  { since, limit }: { since: Date; limit: number },
): SingleEvent[] {
  return db
    .transaction(() => {
      const events = db
        .prepare<object, SingleEvent>(`
          SELECT e.id, e.source_id AS sourceId, e.alias
          FROM market_event_refresh_queue q JOIN market_event e ON e.id = q.id
            JOIN market_event_state s ON s.id = e.id
          WHERE e.source = @source AND s.seen_at < @since
          ORDER BY s.seen_at, e.id
          LIMIT @limit`)
        .all({ source, limit, since: since.getTime() });
      db.prepare(`
        DELETE FROM market_event_refresh_queue
        WHERE id IN (SELECT value FROM json_each(@taken)) OR id IN (
          SELECT e.id FROM market_event e JOIN market_event_state s ON s.id = e.id
          WHERE e.source = @source AND s.seen_at >= @since)`).run({
        ...{ source, since: since.getTime() },
        taken: JSON.stringify(events.map(({ id }) => id)),
      });
      return events;
    })
    .immediate();
}

/** An event that its venue has not known for so long counts as gone. */
const GONE_AFTER_MS = 24 * 60 * 60 * 1_000;

/**
 * Events that a whole pull, begun at `since`, should have listed but did not: live ones before starter
 * events, active ones first, then the longest unseen. What the venue did not know is asked for again
 * a day later; one that was active is gone if it is missing then.
 */
export function listUnseen(
  db: Database,
  source: string,
  { since, limit }: { since: Date; limit: number },
): SingleEvent[] {
  return db
    .prepare<object, SingleEvent>(`
      SELECT e.id, e.source_id AS sourceId, e.alias
      FROM market_event e JOIN market_event_state s ON s.id = e.id
      WHERE e.source = @source AND (e.sort_rank < 2 OR (e.closed_time >= @recentlyClosed AND EXISTS (
          SELECT 1 FROM market m WHERE m.event_id = e.id AND m.winning_outcome IS NULL)))
        AND s.seen_at < @since
        AND (s.missing_since IS NULL OR (e.sort_rank <> 1 AND s.missing_since < @missingBefore))
      ORDER BY e.origin, e.sort_rank, s.seen_at, e.id
      LIMIT @limit`)
    .all({
      ...{ source, limit, since: since.getTime() },
      // Their results may still come.
      recentlyClosed: recentSince(since),
      missingBefore: since.getTime() - GONE_AFTER_MS,
    });
}

/**
 * Records that the venue does not know an event. If that has been so for a day, an active event and its
 * markets become inactive, since the result is unknown.
 */
export function recordMissing(db: Database, id: number, at: Date): void {
  const isGone = `status = 'active' AND EXISTS (
    SELECT 1 FROM market_event_state WHERE id = @id AND missing_since <= @goneBefore)`;
  const goneBefore = at.getTime() - GONE_AFTER_MS;
  db.transaction(() => {
    // Without its hash, the event is written anew when it comes back.
    db.prepare(`
      UPDATE market_event_state SET missing_since = coalesce(missing_since, @at), facts_hash = ''
      WHERE id = @id`).run({ id, at: at.getTime() });
    db.prepare(`
      UPDATE market SET status = 'inactive' WHERE event_id = @id AND ${isGone}
        AND (SELECT status FROM market_event WHERE id = @id) = 'active'`).run({ id, goneBefore });
    db.prepare(`
      UPDATE market_event SET status = 'inactive' WHERE id = @id AND ${isGone}`).run({
      id,
      goneBefore,
    });
  }).immediate();
}

/** An event whose vector is missing or out of date. */
export interface UnembeddedEvent {
  id: number;
  /** The text to embed. */
  text: string;
  /** Must be returned with the vector. */
  wordsHash: string;
}

/** In browse order. */
export function listUnembeddedEvents(db: Database, limit: number): UnembeddedEvent[] {
  return db
    .prepare<
      { limit: number },
      Pick<EmbeddedEvent, 'title' | 'description'> & { id: number; wordsHash: string; tags: string }
    >(`
      SELECT e.id, s.words_hash AS wordsHash, e.title, e.tags, e.description
      FROM market_event_state s JOIN market_event e ON e.id = s.id
      WHERE s.vector_due = 1
      ORDER BY e.sort_rank, e.sort_closing, e.sort_liquidity, e.id
      LIMIT @limit`)
    .all({ limit })
    .map(({ id, wordsHash, tags, ...event }) => {
      const markets = listMarkets(db, id);
      return { id, wordsHash, text: embeddingText({ ...event, tags: readStrings(tags), markets }) };
    });
}
