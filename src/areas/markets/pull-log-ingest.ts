import type { Database } from 'better-sqlite3';
import { nextScope, type PullScope } from './freshness.ts';
import { countQueued, listPulls } from './sync-queries.ts';

/** Capacity of the refresh queue. */
const MAX_QUEUED = 200;

/** Claims the due pull, so that no other process on the store runs it; null when none is due. */
export function claimPull(db: Database, now: Date): PullScope | null {
  return db
    .transaction(() => {
      // Under the write lock: another process may have claimed it.
      const scope = nextScope(listPulls(db), now);
      if (scope !== null) beginPull(db, scope, now);
      return scope;
    })
    .immediate();
}

export function beginPull(db: Database, scope: PullScope, at: Date): void {
  db.prepare(`
    INSERT INTO market_pull (scope, begun_at) VALUES (@scope, @at)
    ON CONFLICT (scope) DO UPDATE SET begun_at = excluded.begun_at, over_at = NULL`).run({
    scope,
    at: at.getTime(),
  });
}

/** `finished`: every list was read to its end. */
export function endPull(db: Database, scope: PullScope, at: Date, finished: boolean): void {
  db.prepare(`
    UPDATE market_pull
    SET over_at = @at, finished_at = CASE @finished WHEN 1 THEN @at ELSE finished_at END
    WHERE scope = @scope`).run({ scope, at: at.getTime(), finished: Number(finished) });
}

/** Queues events for the running pull. Returns false, and queues none, when the queue is full. */
export function queueEvents(db: Database, ids: readonly number[]): boolean {
  if (countQueued(db, ids) === ids.length) return true;
  const { changes } = db
    .prepare(`
      INSERT OR IGNORE INTO market_event_refresh_queue (id)
      SELECT e.id FROM market_event e
      WHERE e.id IN (SELECT value FROM json_each(@ids))
        AND (SELECT count(*) FROM market_event_refresh_queue) + json_array_length(@ids) <= @most`)
    .run({ ids: JSON.stringify(ids), most: MAX_QUEUED });
  return changes > 0;
}

/** Empties the refresh queue and returns the events in it that were not listed since `since`. */
export function takeQueued(db: Database, since: Date, now: Date): number[] {
  const isEmpty = db.prepare('SELECT 1 FROM market_event_refresh_queue').get() === undefined;
  if (isEmpty) return [];
  return db
    .transaction(() => {
      const ids = db
        .prepare<{ since: number; now: number }, number>(`
          SELECT w.id FROM market_event_refresh_queue w
          JOIN market_event_last_seen v ON v.id = w.id
          WHERE v.seen_at < @since OR v.seen_at > @now`)
        .pluck()
        .all({ since: since.getTime(), now: now.getTime() });
      db.prepare('DELETE FROM market_event_refresh_queue').run();
      return ids;
    })
    .immediate();
}

/** Records the result of comparing our tags with the source's. */
export function recordTagCheck(db: Database, unknown: readonly string[], at: Date): void {
  db.prepare(`
    INSERT INTO market_tag_check (id, checked_at, unknown) VALUES (1, @at, @unknown)
    ON CONFLICT (id) DO UPDATE SET
      checked_at = excluded.checked_at, unknown = excluded.unknown`).run({
    at: at.getTime(),
    unknown: JSON.stringify(unknown),
  });
}
