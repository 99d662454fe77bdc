import type { Database } from 'better-sqlite3';
import { readTotals } from './cards.ts';
import { type Hit, type SearchQuery, searchHere } from './hybrid.ts';
import { recallRanking } from './recent-rankings.ts';
import type { SearchIndex } from './search-index.ts';
import { threadOf } from './thread.ts';

export type { Hit, SearchQuery, Within } from './hybrid.ts';

/**
 * The best cards for a query, best first; ties go to the smaller id. A large index is searched in
 * the connection's search thread, where it has one. Throws when the vector is no unit vector.
 */
export function searchHybrid(
  db: Database,
  index: SearchIndex,
  query: SearchQuery,
): Promise<readonly Hit[]> {
  return recallRanking(db, index, query, () => {
    const thread = threadOf(db);
    const isAside = thread !== undefined && readTotals(db, index.name).cards >= thread.from;
    return isAside ? thread.search(index, query) : searchHere(db, index, query);
  });
}
