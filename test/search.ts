import type { Database } from 'better-sqlite3';
import fitted from '../data/fitted.json' with { type: 'json' };
import type { SearchProfile } from '../src/search/profile.ts';
import { type SearchQuery, type SearchResult, search } from '../src/search/search.ts';

/** A search profile of papers or events, with other columns. */
export function makeProfile(
  change: Partial<SearchProfile> = {},
  kind: 'papers' | 'events' = 'papers',
): SearchProfile {
  const columns = { title: 2, body: 1 };
  return { name: 'card', columns, fitted: fitted[kind], hint: 'name a subject', ...change };
}

/** Searches with the given vector; without one, by words alone. */
export function searchWith(
  db: Database,
  profile: SearchProfile,
  query: Partial<SearchQuery> & { vector?: Float32Array | null },
): Promise<SearchResult> {
  const { vector = null, ...rest } = query;
  const context = {
    db,
    now: () => new Date('2026-06-01T00:00:00Z'),
    isWord: async () => false,
    embedQuery: async () => (vector === null ? { unavailable: 'no model' } : { vector }),
  };
  return search(context, profile, { text: 'unheard', limit: 10, ...rest });
}

/** The tables of an index, as in each area's schema. */
export function createSearchIndex(
  db: Database,
  { name, columns }: Pick<SearchProfile, 'name' | 'columns'>,
): void {
  db.exec(`
    CREATE VIRTUAL TABLE ${name}_terms USING fts5(
      ${Object.keys(columns).join(', ')},
      tokenize = 'unicode61 remove_diacritics 0'
    );
    CREATE VIRTUAL TABLE ${name}_vocabulary USING fts5vocab(${name}_terms, 'row');
    CREATE VIEW ${name}_indexed AS SELECT id FROM ${name}_terms_docsize;
    CREATE TABLE ${name}_vector (
      id INTEGER PRIMARY KEY,
      signs BLOB NOT NULL,     -- a bit per component: 1 above 0
      vector BLOB NOT NULL     -- int8
    ) STRICT;
    CREATE INDEX ${name}_vector_signs ON ${name}_vector (signs)
      WHERE length(signs) = 48;
    CREATE TABLE ${name}_passages (
      id INTEGER PRIMARY KEY,
      vectors BLOB NOT NULL    -- int8, one after the other
    ) STRICT`);
}
