import type { Database } from 'better-sqlite3';
import { DAY_MS, HOUR_MS } from '../../core/time.ts';
import { write } from '../../store/connection.ts';
import { toMissing } from './event.ts';
import { recentSince } from './filters.ts';
import { markSeen, storePrices } from './ingest.ts';
import { findStored, listPulls, type Pull, type PullStamp, readCard } from './queries.ts';
import type { VenueMarket } from './sources/event-card.ts';
import { VENUES, type VenueName, venuesOf } from './sources/venues.ts';

/**
 * The venues that a user's sync queries. An optional venue is enabled from its first pull. Choosing
 * a venue that is not optional disables the optional ones, but their stored events stay.
 */
export function chooseVenues(db: Database, chosen: VenueName | undefined): VenueName[] {
  if (chosen === undefined) return venuesOf(listPulls(db));
  if (VENUES.some(({ name, isOptional }) => name === chosen && !isOptional)) {
    const drop = db.prepare('DELETE FROM market_pull WHERE source <> @chosen');
    write(db, () => drop.run({ chosen }));
  }
  return [chosen];
}

/** Minimum time between automatic pulls from a venue. */
const PAUSE_MS = 60_000;
/** Time between full pulls; in between, only served events are fetched. */
const FULL_EVERY_MS = 6 * HOUR_MS;
/** Minimum time before an unfinished full pull is repeated. */
const FULL_RETRY_MS = HOUR_MS;

/** The automatic pull that is due, or null. `served`: venues of recently returned events with old odds. */
export function nextPull(
  pulls: readonly PullStamp[],
  served: readonly string[],
  now: Date,
): Pull | null {
  for (const source of venuesOf(pulls)) {
    const own = pulls.filter((pull) => pull.source === source);
    if (own.some(({ begunAt }) => isRecent(begunAt, PAUSE_MS, now))) continue;
    const full = own.find(({ scope }) => scope === 'full');
    const isFullDue =
      full === undefined ||
      (!isRecent(full.finishedAt ?? 0, FULL_EVERY_MS, now) &&
        !isRecent(full.begunAt, FULL_RETRY_MS, now));
    if (isFullDue) return { source, scope: 'full' };
    if (served.includes(source)) return { source, scope: 'served' };
  }
  return null;
}

/** Whether a moment is less than `ms` milliseconds ago. */
function isRecent(moment: number, ms: number, now: Date): boolean {
  const age = now.getTime() - moment;
  // A fast clock may have written a time in the future.
  return age >= 0 && age < ms;
}

/**
 * Claims the pull that is due, so that no other process on the store runs it; null if none is due.
 * `served` has the keys of events with old odds; `ids` has only those at the pull's venue.
 */
export function claimPull(
  db: Database,
  served: readonly number[],
  now: Date,
): { pull: Pull; ids: number[] } | null {
  return write(db, () => {
    const events = listServed(db, served);
    const venues = events.map(({ source }) => source);
    // Look under the write lock, so that no two processes claim the same pull.
    const pull = nextPull(listPulls(db), venues, now);
    if (pull === null) return null;
    beginPull(db, pull, now);
    return { pull, ids: events.flatMap(({ id, source }) => (source === pull.source ? id : [])) };
  });
}

export function beginPull(db: Database, pull: Pull, at: Date): void {
  const begin = db.prepare(`
    INSERT INTO market_pull (source, scope, begun_at) VALUES (@source, @scope, @at)
    ON CONFLICT (source, scope) DO UPDATE SET begun_at = excluded.begun_at, over_at = NULL`);
  write(db, () => begin.run({ ...pull, at: at.getTime() }));
}

/** Records the end of a pull; `finished` means that it ended without a fault. */
export function endPull(db: Database, pull: Pull, at: Date, finished: boolean): void {
  const end = db.prepare(`
    UPDATE market_pull
    SET over_at = @at, finished_at = CASE @finished WHEN 1 THEN @at ELSE finished_at END
    WHERE source = @source AND scope = @scope`);
  write(db, () => end.run({ ...pull, at: at.getTime(), finished: Number(finished) }));
}

/** A stored event to fetch on its own. */
export interface SingleEvent {
  id: number;
  source: string;
  sourceId: string;
  alias: string;
}

/** The events with these keys; those whose last request failed come last. */
export function listServed(db: Database, ids: readonly number[]): SingleEvent[] {
  return db
    .prepare<object, SingleEvent>(`
      SELECT id, source, source_id AS sourceId, alias
      FROM market_event JOIN market_event_state USING (id)
      WHERE id IN (SELECT value FROM json_each(@ids)) ORDER BY coalesce(failed_at, 0), id`)
    .all({ ids: JSON.stringify(ids) });
}

/**
 * Events without a final result that no list of a full pull begun at `since` contained: live before
 * bundled, active first, longest unseen first; those whose last request failed come last.
 */
export function listUnseen(
  db: Database,
  source: string,
  { since, limit }: { since: Date; limit: number },
): SingleEvent[] {
  return db
    .prepare<object, SingleEvent>(`
      SELECT e.id, e.source, e.source_id AS sourceId, e.alias
      FROM market_event e JOIN market_event_state s ON s.id = e.id
      WHERE e.source = @source AND s.seen_at < @since
        AND CASE WHEN e.card ->> '$.settlement.status' IN ('settled', 'void') THEN 0
          WHEN e.sort_rank = 2 THEN e.closed_time >= @recentlyClosed
            OR max(s.seen_at, coalesce(s.failed_at, 0)) < @dayBefore
          WHEN e.card ->> '$.settlement.status' = 'ended' THEN coalesce(s.missing_at, 0) < @monthBefore
          ELSE 1 END
      ORDER BY coalesce(s.failed_at, 0), e.origin, e.sort_rank, s.seen_at, e.id
      LIMIT @limit`)
    .all({
      source,
      limit,
      since: since.getTime(),
      // From 30 days after its close, an event without a result is requested at most once a day.
      recentlyClosed: recentSince(since),
      // An event that its venue no longer has may return, so it is requested again after 30 days.
      monthBefore: Date.parse(recentSince(since)),
      dayBefore: since.getTime() - DAY_MS,
    });
}

/** Records a failed request for an event, so that the next pull requests others first. */
export function recordFailure(db: Database, id: number, at: Date): void {
  const mark = db.prepare('UPDATE market_event_state SET failed_at = @at WHERE id = @id');
  write(db, () => mark.run({ id, at: at.getTime() }));
}

/** Records that a venue no longer has an event, and any results from the venue's archive. */
export function recordMissing(
  db: Database,
  event: Pick<SingleEvent, 'source' | 'sourceId'>,
  at: Date,
  archive: readonly VenueMarket[] = [],
): void {
  write(db, () => {
    const stored = findStored(db, event);
    if (stored === undefined) return;
    const { id } = stored;
    const target = toMissing(readCard(stored.card), event.sourceId, at, archive);
    const update = db.prepare('UPDATE market_event SET card = @card WHERE id = @id');
    update.run({ id, card: JSON.stringify(target) });
    storePrices(db, id, target, at.getTime(), stored);
    if (archive.length > 0) return markSeen(db, [id], at);
    const mark = 'UPDATE market_event_state SET failed_at = @at, missing_at = @at WHERE id = @id';
    db.prepare(mark).run({ id, at: at.getTime() });
  });
}
