import type { Migration } from '../../store/migrations.ts';
import { createSearchIndex, type SearchIndex } from '../../store/search.ts';

/** Words and vectors of the paper cards, under the ids of the table `paper`. */
export const paperIndex: SearchIndex = {
  name: 'paper',
  columns: { title: 2, abstract: 1, tags: 1, authors: 0.5 },
};

export const paperMigrations: readonly Migration[] = [
  {
    name: 'papers-1-cards',
    up(db) {
      db.exec(`
        CREATE TABLE paper (
          id INTEGER PRIMARY KEY,
          card_id TEXT NOT NULL UNIQUE,
          source_id TEXT NOT NULL UNIQUE,
          version INTEGER,
          title TEXT NOT NULL,
          authors TEXT NOT NULL,      -- JSON array of display names
          abstract TEXT NOT NULL,     -- as shown; a starter card holds our digest
          summary TEXT NOT NULL,
          tags TEXT NOT NULL,         -- JSON array
          categories TEXT NOT NULL,   -- JSON array, primary first
          published TEXT,             -- first submission, YYYY-MM-DD
          license_url TEXT,
          pdf_url TEXT NOT NULL,
          origin TEXT NOT NULL CHECK (origin IN ('starter', 'arxiv')),
          as_of TEXT NOT NULL         -- when these facts were taken, ISO 8601
        ) STRICT;
        CREATE TABLE paper_section (
          paper_id INTEGER NOT NULL REFERENCES paper (id) ON DELETE CASCADE,
          section_order INTEGER NOT NULL,
          section_key TEXT NOT NULL,
          section_type TEXT NOT NULL,
          title TEXT NOT NULL,
          content TEXT NOT NULL,      -- Markdown
          char_count INTEGER NOT NULL,
          embedding BLOB,             -- unit vector of title and content, or NULL
          PRIMARY KEY (paper_id, section_order),
          UNIQUE (paper_id, section_key)
        ) STRICT, WITHOUT ROWID`);
      createSearchIndex(db, paperIndex);
    },
  },
];
