import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import type { PullStamp } from './freshness.ts';

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

const wordList = z.array(z.string());

export function readTagCheck(db: Database): TagCheck {
  const row = db
    .prepare<[], { checkedAt: number; unknown: string }>(`
      SELECT checked_at AS checkedAt, unknown FROM market_tag_check`)
    .get();
  if (row === undefined) return { checkedAt: null, unknown: [] };
  return { checkedAt: row.checkedAt, unknown: wordList.parse(JSON.parse(row.unknown)) };
}
