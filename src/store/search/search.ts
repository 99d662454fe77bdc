import type { Database } from 'better-sqlite3';
import { readTotals } from './cards.ts';
import { forgetMatrix } from './matrix.ts';
import { recallRanking } from './recent-rankings.ts';
import { type Hit, type SearchQuery, searchHere } from './search-here.ts';
import type { SearchIndex } from './search-index.ts';
import { threadOf } from './thread.ts';

export type { Hit, SearchQuery, Within } from './search-here.ts';

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
    // Another connection does not see what an open transaction has written.
    const thread = db.inTransaction ? undefined : threadOf(db);
    if (thread === undefined || readTotals(db, index.name).cards < thread.from) {
      return searchHere(db, index, query);
    }
    // The index was small when this process began.
    forgetMatrix(db, index.name);
    return thread.search(index, query);
  });
}
