import type { Database } from 'better-sqlite3';
import { DAY_MS } from '../../core/time.ts';
import { recentSince } from './filters.ts';
import { nextPull, type Pull, venuesOf } from './pulls.ts';
import { listPulls } from './queries.ts';
import { VENUES, type VenueName } from './sources/venue.ts';

/**
 * The venues of a sync that the user started. An optional one is on from its first pull; choosing one
 * that is not leaves it as the only one, and what is stored of the others stays.
 */
export function chooseVenues(db: Database, chosen: VenueName | undefined): VenueName[] {
  if (chosen === undefined) return venuesOf(listPulls(db));
  if (VENUES.some(({ name, isOptional }) => name === chosen && !isOptional)) {
    db.prepare('DELETE FROM market_pull WHERE source <> @chosen').run({ chosen });
  }
  return [chosen];
}

/** Claims the pull that is due, so that no other process on the store runs it; null when none is due. */
export function claimPull(db: Database, now: Date): Pull | null {
  const listQueued = db
    .prepare<[], VenueName>(`
      SELECT DISTINCT e.source FROM market_event_refresh_queue q JOIN market_event e ON e.id = q.id`)
    .pluck();
  return db
    .transaction(() => {
      // Under the write lock: another process may have claimed it.
      const pull = nextPull(listPulls(db), listQueued.all(), now);
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

/** Queues events for the next pull, or for the running one. */
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
 * Empties a venue's part of the queue. Returns the events that were not seen since `since`, the longest
 * unseen first.
 */
export function takeQueued(
  db: Database,
  source: VenueName,
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
        WHERE id IN (SELECT id FROM market_event WHERE source = @source)`).run({ source });
      return events;
    })
    .immediate();
}

/** An event that its venue has not known for so long counts as gone. */
const GONE_AFTER_MS = DAY_MS;

/**
 * Events that a full pull, begun at `since`, should have listed but did not. Those that could not be read
 * when last asked for come last; else live ones before starter events, active ones first, then the
 * longest unseen. What the venue did not know is asked for again a day later; one that was active is gone
 * if it is missing then.
 */
export function listUnseen(
  db: Database,
  source: VenueName,
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
      ORDER BY coalesce(s.failed_at, 0), e.origin, e.sort_rank, s.seen_at, e.id
      LIMIT @limit`)
    .all({
      ...{ source, limit, since: since.getTime() },
      // Their results may still come.
      recentlyClosed: recentSince(since),
      missingBefore: since.getTime() - GONE_AFTER_MS,
    });
}

/** Records that the answer for an event could not be read, so that the next pull asks for others first. */
export function recordUnreadable(db: Database, id: number, at: Date): void {
  db.prepare('UPDATE market_event_state SET failed_at = @at WHERE id = @id').run({
    id,
    at: at.getTime(),
  });
}

/**
 * Records that the venue does not know an event. If that has been so for a day, an active event and its
 * markets become inactive, since the result is unknown.
 */
export function recordMissing(db: Database, id: number, at: Date): void {
  const params = { id, at: at.getTime(), goneBefore: at.getTime() - GONE_AFTER_MS };
  db.transaction(() => {
    // Without its hash, the event is written anew when it comes back.
    db.prepare(`
      UPDATE market_event_state SET missing_since = coalesce(missing_since, @at), facts_hash = ''
      WHERE id = @id`).run(params);
    const gone = db.prepare(`
      UPDATE market_event SET status = 'inactive' WHERE id = @id AND status = 'active' AND EXISTS (
        SELECT 1 FROM market_event_state WHERE id = @id AND missing_since <= @goneBefore)`);
    if (gone.run(params).changes === 0) return;
    db.prepare("UPDATE market SET status = 'inactive' WHERE event_id = @id").run(params);
  }).immediate();
}
