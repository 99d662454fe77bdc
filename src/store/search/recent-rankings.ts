import type { Database } from 'better-sqlite3';
import { createLruCache, type LruCache } from '../../core/lru.ts';
import { lastRevision } from './blocks.ts';
import { wordsStamp } from './holders.ts';
import type { Hit, SearchQuery } from './search-here.ts';
import type { SearchIndex } from './search-index.ts';

/**
 * Rankings of recent questions, for as long as the index stands as it was. An agent asks again with
 * the same words, or for more of them. A search within a part of the cards is not remembered: what
 * that part holds changes without the index.
 */

/** A ranking is about two kilobytes. */
const REMEMBERED = 256;

interface Ranking {
  vector: Float32Array | null;
  /** Of the vectors and the words when it was made. */
  revision: number;
  words: Buffer;
  hits: readonly Hit[];
}

const rankings = new WeakMap<Database, LruCache<Ranking>>();

/** What `search` finds, or what it found for the same question. */
export async function recallRanking(
  db: Database,
  { name }: SearchIndex,
  { text, vector, limit, within }: SearchQuery,
  search: () => Promise<readonly Hit[]>,
): Promise<readonly Hit[]> {
  // What an open transaction has written may yet be undone.
  const words = within !== undefined || db.inTransaction ? undefined : wordsStamp(db, name);
  if (words === undefined) return search();
  const recent = rankings.get(db) ?? createLruCache<Ranking>(REMEMBERED);
  rankings.set(db, recent);
  const revision = lastRevision(db, name);
  const key = JSON.stringify([name, limit, text]);
  const known = recent.get(key);
  // The embedder gives the same question the same vector, as long as it remembers it.
  const holds = known !== undefined && known.vector === vector && known.revision === revision;
  if (holds && known.words.equals(words)) return known.hits;
  const hits = await search();
  recent.set(key, { vector, revision, words, hits });
  return hits;
}
