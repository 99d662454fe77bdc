import type { Database } from 'better-sqlite3';
import fitted from '../data/fitted.json' with { type: 'json' };
import type { SearchProfile } from '../src/search/profile.ts';
import { type Answer, type SearchQuery, search } from '../src/search/search.ts';

/** An index of papers or events with columns of its own. */
export function makeProfile(
  change: Partial<SearchProfile> = {},
  kind: 'papers' | 'events' = 'papers',
): SearchProfile {
  const columns = { title: 2, body: 1 };
  return { name: 'card', columns, fitted: fitted[kind], hint: 'name a subject', ...change };
}

/** Asks with an embedding that is given instead of computed; without one, by words alone. */
export function searchWith(
  db: Database,
  profile: SearchProfile,
  query: Partial<SearchQuery> & { vector?: Float32Array | null },
): Promise<Answer> {
  const { vector = null, ...rest } = query;
  const context = {
    db,
    now: () => new Date('2026-06-01T00:00:00Z'),
    isWord: async () => false,
    embedQuery: async () => (vector === null ? { unavailable: 'no model' } : { vector }),
  };
  return search(context, profile, { text: 'unheard', limit: 10, ...rest });
}
