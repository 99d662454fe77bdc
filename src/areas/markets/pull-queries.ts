import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import { embeddingText } from './text.ts';

/** What is known of an event from its last sight; the hashes are null where none was written. */
export interface Sight {
  origin: 'starter' | 'polymarket';
  /** ISO 8601, like all times. */
  syncedAt: string;
  closedTime: string | null;
  factsHash: string | null;
  wordsHash: string | null;
  vectorDue: number | null;
  gone: number | null;
}

export function findSight(db: Database, id: number): Sight | undefined {
  return db
    .prepare<{ id: number }, Sight>(`
      SELECT e.origin, e.synced_at AS syncedAt, e.closed_time AS closedTime,
        s.facts_hash AS factsHash, s.words_hash AS wordsHash, s.vector_due AS vectorDue, s.gone
      FROM market_event e LEFT JOIN market_event_sight s ON s.id = e.id
      WHERE e.id = @id`)
    .get({ id });
}

/**
 * Events that are not closed and that a pull which began at `since` has not seen: active ones
 * first, then the oldest. One that the source did not know at or after `askedSince` has to wait.
 */
export function listUnseenEvents(
  db: Database,
  bounds: { since: string; askedSince: string; limit: number },
): number[] {
  return db
    .prepare<typeof bounds, number>(`
      SELECT e.id FROM market_event e LEFT JOIN market_event_sight s ON s.id = e.id
      WHERE e.sort_rank < 2 AND e.synced_at < @since
        AND coalesce(s.gone, 0) = 0 AND coalesce(s.missing_since, '') < @askedSince
      ORDER BY e.origin, e.sort_rank, e.synced_at, e.id
      LIMIT @limit`)
    .pluck()
    .all(bounds);
}

/** An event whose vector is missing or no longer fits its words. */
export interface UnembeddedEvent {
  id: number;
  /** What the vector is to be made from. */
  text: string;
  /** To be handed back with the vector. */
  wordsHash: string;
}

const wordList = z.array(z.string());

/** Those that come first in browsing come first here. */
export function listUnembeddedEvents(db: Database, limit: number): UnembeddedEvent[] {
  return db
    .prepare<{ limit: number }, RawUnembedded>(`
      SELECT e.id, s.words_hash AS wordsHash, e.title, e.tags, e.description
      FROM market_event_sight s JOIN market_event e ON e.id = s.id
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

function listLabels(db: Database, id: number): { groupLabel: string | null; question: string }[] {
  return db
    .prepare<{ id: number }, { groupLabel: string | null; question: string }>(`
      SELECT group_label AS groupLabel, question FROM market
      WHERE event_id = @id ORDER BY position`)
    .all({ id });
}
