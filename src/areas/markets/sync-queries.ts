import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import { type EmbeddedMarket, embeddingText } from './event-text.ts';
import type { PullStamp } from './freshness.ts';
import type { Status } from './normalise.ts';

/** Stored state of an event for the next sync; the hashes are null if none was written. */
export interface EventSyncState {
  origin: 'starter' | 'polymarket';
  status: Status;
  /** Milliseconds since 1970. */
  seenAt: number;
  /** ISO 8601. */
  closedTime: string | null;
  factsHash: string | null;
  wordsHash: string | null;
  vectorDue: number | null;
  gone: number | null;
}

export function findSyncState(db: Database, id: number): EventSyncState | undefined {
  return db
    .prepare<{ id: number }, EventSyncState>(`
      SELECT e.origin, e.status, v.seen_at AS seenAt, e.closed_time AS closedTime,
        s.facts_hash AS factsHash, s.words_hash AS wordsHash, s.vector_due AS vectorDue, s.gone
      FROM market_event e
      JOIN market_event_last_seen v ON v.id = e.id
      LEFT JOIN market_event_sync_state s ON s.id = e.id
      WHERE e.id = @id`)
    .get({ id });
}

/** Which events a pull should have listed, and when to ask for a missing one again. */
export interface UnseenBounds {
  /** Start of the pull, and the present. */
  since: Date;
  now: Date;
  /** Closed events that ended, or closed, before these times are no longer listed. */
  endedSince: Date;
  closedSince: Date;
  /** Events that were missing at or after this time are not asked for again yet. */
  askedSince: Date;
  limit: number;
}

/**
 * Events that a pull should have listed but did not: live ones before starter events, active ones
 * first, then the longest unseen. A time in the future, from a clock that was ahead, counts as long
 * ago.
 */
export function listUnseenEvents(db: Database, bounds: UnseenBounds): number[] {
  const { since, now, endedSince, closedSince, askedSince, limit } = bounds;
  return db
    .prepare<object, number>(`
      SELECT e.id
      FROM market_event e
      JOIN market_event_last_seen v ON v.id = e.id
      LEFT JOIN market_event_sync_state s ON s.id = e.id
      WHERE (e.sort_rank < 2 OR e.end_time >= @endedSince OR e.closed_time >= @closedSince)
        AND (v.seen_at < @since OR v.seen_at > @now)
        AND coalesce(s.gone, 0) = 0
        AND (s.missing_since IS NULL OR s.missing_since < @askedSince OR s.missing_since > @nowIso)
      ORDER BY e.origin, e.sort_rank, v.seen_at, e.id
      LIMIT @limit`)
    .pluck()
    .all({
      since: since.getTime(),
      now: now.getTime(),
      nowIso: now.toISOString(),
      endedSince: endedSince.toISOString(),
      closedSince: closedSince.toISOString(),
      askedSince: askedSince.toISOString(),
      limit,
    });
}

/** An event whose vector is missing or out of date. */
export interface UnembeddedEvent {
  id: number;
  /** The text to embed. */
  text: string;
  /** Must be returned with the vector. */
  wordsHash: string;
}

const wordList = z.array(z.string());

/** In browse order. */
export function listUnembeddedEvents(db: Database, limit: number): UnembeddedEvent[] {
  return db
    .prepare<{ limit: number }, RawUnembedded>(`
      SELECT e.id, s.words_hash AS wordsHash, e.title, e.tags, e.description
      FROM market_event_sync_state s JOIN market_event e ON e.id = s.id
      WHERE s.vector_due = 1
      ORDER BY e.sort_rank, e.sort_closing, e.sort_liquidity, e.id
      LIMIT @limit`)
    .all({ limit })
    .map(({ id, wordsHash, title, tags, description }) => ({
      id,
      wordsHash,
      text: embeddingText({
        title,
        description,
        tags: wordList.parse(JSON.parse(tags)),
        markets: listLabels(db, id),
      }),
    }));
}

interface RawUnembedded {
  id: number;
  wordsHash: string;
  title: string;
  tags: string;
  description: string | null;
}

function listLabels(db: Database, id: number): EmbeddedMarket[] {
  return db
    .prepare<{ id: number }, EmbeddedMarket>(`
      SELECT id, group_label AS groupLabel, question, status, liquidity FROM market
      WHERE event_id = @id`)
    .all({ id });
}

/** The last pull of each scope. */
export function listPulls(db: Database): PullStamp[] {
  return db
    .prepare<[], PullStamp>(`
      SELECT scope, begun_at AS begunAt, over_at AS overAt, finished_at AS finishedAt
      FROM market_pull`)
    .all();
}

/** How many of the events are in the refresh queue. */
export function countQueued(db: Database, ids: readonly number[]): number {
  const count = db
    .prepare<{ ids: string }, number>(`
      SELECT count(*) FROM market_event_refresh_queue WHERE id IN (SELECT value FROM json_each(@ids))`)
    .pluck()
    .get({ ids: JSON.stringify(ids) });
  return count ?? 0;
}

/** Result of the last comparison of our tags with the source's. */
export interface TagCheck {
  /** Milliseconds since 1970; null before the first one. */
  checkedAt: number | null;
  /** Our tags that the source no longer knows, as texts for users. */
  unknown: string[];
}

export function readTagCheck(db: Database): TagCheck {
  const row = db
    .prepare<[], { checkedAt: number; unknown: string }>(`
      SELECT checked_at AS checkedAt, unknown FROM market_tag_check`)
    .get();
  if (row === undefined) return { checkedAt: null, unknown: [] };
  return { checkedAt: row.checkedAt, unknown: wordList.parse(JSON.parse(row.unknown)) };
}
