import synonymFile from '../../../data/search-synonyms.json' with { type: 'json' };
import type { Migration } from '../../store/migrations.ts';
import { createSearchIndex, type SearchIndex } from '../../store/search/index.ts';
import { Synonyms } from '../../store/search/lexical/synonyms.ts';

/** Text and embeddings of the paper cards, under the ids of the table `paper`. */
export const paperIndex: SearchIndex = {
  name: 'paper',
  columns: { title: 3, abstract: 1, tags: 1, authors: 0.5 },
  synonyms: new Synonyms(synonymFile.synonyms),
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
          embedding BLOB,             -- unit vectors of its passages, one after the other, or NULL
          PRIMARY KEY (paper_id, section_order),
          UNIQUE (paper_id, section_key)
        ) STRICT, WITHOUT ROWID`);
      createSearchIndex(db, paperIndex);
    },
  },
  {
    name: 'papers-2-arxiv',
    up(db) {
      db.exec(`
        ALTER TABLE paper ADD COLUMN datestamp TEXT;        -- last change of the record, YYYY-MM-DD
        ALTER TABLE paper ADD COLUMN updated TEXT;          -- day of the current version
        ALTER TABLE paper ADD COLUMN comment TEXT;
        ALTER TABLE paper ADD COLUMN journal_ref TEXT;
        ALTER TABLE paper ADD COLUMN doi TEXT;
        ALTER TABLE paper ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE paper ADD COLUMN version_checked TEXT;  -- when arXiv was asked for it, ISO 8601
        -- 1: summary, tags and vector were computed by the model from title and abstract as they stand
        ALTER TABLE paper ADD COLUMN digested INTEGER NOT NULL DEFAULT 0;
        UPDATE paper SET digested = 1 WHERE origin = 'starter';
        CREATE INDEX paper_undigested ON paper (id) WHERE digested = 0 AND withdrawn = 0;

        -- The full text that is held, or why there is none.
        CREATE TABLE paper_text (
          paper_id INTEGER PRIMARY KEY REFERENCES paper (id) ON DELETE CASCADE,
          source TEXT CHECK (source IN ('html', 'ar5iv', 'pdf')),  -- NULL: none is held
          version INTEGER,        -- of the paper; NULL where the source does not say
          parser INTEGER,         -- version of our parser
          fetched TEXT,           -- ISO 8601
          embedded INTEGER NOT NULL DEFAULT 0,  -- 1: its sections have their vectors
          fault TEXT,             -- why the last try brought nothing, in our words
          retry_at TEXT           -- no new try before, ISO 8601
        ) STRICT;

        -- Where the harvest of each set stands.
        CREATE TABLE harvest (
          set_name TEXT PRIMARY KEY,
          next_from TEXT,         -- where a finished run lets the next one begin, YYYY-MM-DD
          run_from TEXT,          -- the run under way; NULL when there is none
          run_token TEXT,         -- of its next page; NULL at its beginning
          run_answered TEXT,      -- day of its first answer
          run_reached TEXT,       -- last datestamp seen, while the pages come in their order
          run_records INTEGER NOT NULL DEFAULT 0,
          finished_at TEXT        -- when a run last came to its end, ISO 8601
        ) STRICT`);
    },
  },
  {
    name: 'papers-3-notes-and-coverage',
    up(db) {
      db.exec(`
        -- 1: written by us, as the reading notes of the starter shelf are; a paper's own endnotes
        -- have the type 'note' too.
        ALTER TABLE paper_section ADD COLUMN ours INTEGER NOT NULL DEFAULT 0;
        UPDATE paper_section SET ours = 1
        WHERE section_type = 'note'
          AND title IN ('Question', 'Method', 'Data', 'Findings', 'Limits');
        -- What changed since then is on the shelf as of finished_at, YYYY-MM-DD; NULL: of any day.
        ALTER TABLE harvest ADD COLUMN covered_from TEXT`);
    },
  },
  {
    name: 'papers-4-manifest',
    up(db) {
      // The list of a paper's sections is read with every card: from here it costs no page of text.
      db.exec(`
        CREATE INDEX paper_manifest ON paper_section
          (paper_id, section_order, section_key, section_type, title, char_count, ours)`);
    },
  },
  {
    name: 'papers-5-digest-anew',
    up(db) {
      // Summaries and topics follow new rules: the next sync makes them again, and until then each
      // card keeps what it has.
      db.exec("UPDATE paper SET digested = 0 WHERE origin = 'arxiv'");
    },
  },
];
