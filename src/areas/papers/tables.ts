import fitted from '../../../data/fitted.json' with { type: 'json' };
import synonymFile from '../../../data/paper-synonyms.json' with { type: 'json' };
import type { SearchProfile } from '../../search/profile.ts';
import { Synonyms } from '../../search/synonyms.ts';
import type { Migration } from '../../store/migrations.ts';
import { plainIdIn } from './own-hidden.ts';

/** The search index of the paper cards: text and embeddings, keyed by `paper.id`. */
export const paperIndex: SearchProfile = {
  name: 'paper',
  // `names` has author keys; see restrictions.ts.
  columns: { title: 3, abstract: 1, tags: 1, authors: 0.5, names: 0 },
  fitted: fitted.papers,
  synonyms: new Synonyms(synonymFile.groups),
  // A year in a question is usually a publication date, which texts do not mention.
  aside: /^(?:19|20)\d\d$/,
  hint: 'name a subject, a method or an asset, such as "hedging options under rough volatility"',
};

const viewsOf = (cardId: string, sourceId: string) =>
  `CREATE VIEW papers AS
      SELECT ${cardId} AS paperCardId, ${sourceId} AS sourcePaperId, p.title, p.authors, p.abstract,
        p.summary, p.tags, p.published, p.updated, p.version,
        json_extract(p.categories, '$[0]') AS primaryCategory, p.categories, p.pdf_url AS pdfUrl,
        p.license_url AS licenseUrl, p.doi, p.journal_ref AS journalRef, p.comment,
        (SELECT count(*) FROM paper_section s WHERE s.paper_id = p.id) AS sectionCount,
        (SELECT coalesce(sum(s.char_count), 0) FROM paper_section s WHERE s.paper_id = p.id)
          AS fullTextCharCount,
        p.added, p.as_of AS asOf
      FROM paper p WHERE p.withdrawn = 0;
      -- Full texts are for the user's own reading, unless licenseUrl permits more.
      CREATE VIEW paper_sections AS
      SELECT ${cardId} AS paperCardId, ${sourceId} AS sourcePaperId, s.section_key, s.section_type,
        s.title, s.char_count, s.section_order, s.content, p.license_url AS licenseUrl
      FROM paper p JOIN paper_section s ON s.paper_id = p.id WHERE p.withdrawn = 0`;

/** Frozen: a store records each step by name, so a released step must never change. */
export const paperMigrations: readonly Migration[] = [
  {
    name: 'paper-1',
    sql: `
      CREATE TABLE paper (
        id INTEGER PRIMARY KEY,           -- negative for the user's own papers, see own-hidden.ts
        card_id TEXT NOT NULL UNIQUE,
        source_id TEXT NOT NULL UNIQUE,
        version INTEGER,
        title TEXT NOT NULL,
        authors TEXT NOT NULL,            -- JSON array of display names
        abstract TEXT NOT NULL,           -- as shown; a starter card holds our digest
        summary TEXT NOT NULL,
        tags TEXT NOT NULL,               -- JSON array
        categories TEXT NOT NULL,         -- JSON array, primary first
        published TEXT NOT NULL,          -- first submission, YYYY-MM-DD or as far as known; '' for an own paper without a date
        updated TEXT,                     -- date of the current version
        license_url TEXT,
        pdf_url TEXT NOT NULL,
        comment TEXT,
        journal_ref TEXT,
        doi TEXT,
        origin TEXT NOT NULL CHECK (origin IN ('starter', 'arxiv', 'own')),
        as_of TEXT NOT NULL,              -- when these facts were taken, ISO 8601
        added TEXT NOT NULL,              -- when the paper came to the shelf, ISO 8601
        datestamp TEXT,                   -- last change of the OAI record, YYYY-MM-DD
        version_checked TEXT,             -- when arXiv last told its versions, ISO 8601
        withdrawn INTEGER NOT NULL DEFAULT 0,
        digested INTEGER NOT NULL DEFAULT 0  -- 1: summary, tags and vector fit title and abstract
      ) STRICT;
      CREATE INDEX paper_undigested ON paper (id) WHERE digested = 0 AND withdrawn = 0;
      CREATE INDEX paper_title ON paper (title COLLATE NOCASE);
      CREATE INDEX paper_doi ON paper (doi COLLATE NOCASE) WHERE doi IS NOT NULL;
      CREATE INDEX paper_added ON paper (added);
      -- Covers the questions that ask for dates or categories.
      CREATE INDEX paper_facts ON paper (published, categories);
      -- Counting the tags reads no cards.
      CREATE INDEX paper_tags ON paper (tags) WHERE withdrawn = 0;

      -- The long columns come last: the others are read without them. WITHOUT ROWID, each step of a
      -- look-up would read them.
      CREATE TABLE paper_section (
        paper_id INTEGER NOT NULL REFERENCES paper (id) ON DELETE CASCADE ON UPDATE CASCADE,
        section_order INTEGER NOT NULL,
        section_key TEXT NOT NULL,
        section_type TEXT NOT NULL,
        title TEXT NOT NULL,
        char_count INTEGER NOT NULL,
        content TEXT NOT NULL,            -- Markdown
        embedding BLOB,                   -- int8 vectors of its passages, concatenated, or NULL
        PRIMARY KEY (paper_id, section_order),
        UNIQUE (paper_id, section_key)
      ) STRICT;
      -- Every card lists its sections; this index does so without reading their text.
      CREATE INDEX paper_manifest ON paper_section
        (paper_id, section_order, section_key, section_type, title, char_count);

      -- The full text held, or why there is none.
      CREATE TABLE paper_text (
        paper_id INTEGER PRIMARY KEY REFERENCES paper (id) ON DELETE CASCADE ON UPDATE CASCADE,
        source TEXT CHECK (source IN ('html', 'ar5iv', 'pdf')),  -- NULL: none is held
        version INTEGER,                  -- of the paper; NULL where the source does not say
        parser INTEGER,                   -- version of our parser
        fetched TEXT,                     -- ISO 8601
        embedded INTEGER NOT NULL DEFAULT 0,  -- 1: its sections have vectors
        fault TEXT,                       -- why the last attempt failed, for users
        retry_at TEXT                     -- earliest next attempt, ISO 8601
      ) STRICT;

      -- The user's own files that were read, each with its paper.
      CREATE TABLE own_file (
        path TEXT PRIMARY KEY,
        size INTEGER NOT NULL,
        modified INTEGER NOT NULL,        -- milliseconds since 1970
        sha256 TEXT NOT NULL,
        parser INTEGER NOT NULL,          -- version of our parser
        paper_id INTEGER NOT NULL REFERENCES paper (id) ON DELETE CASCADE ON UPDATE CASCADE
      ) STRICT;
      CREATE INDEX own_file_paper ON own_file (paper_id);
      CREATE INDEX own_file_sha256 ON own_file (sha256);

      -- Progress of the harvest of each set.
      CREATE TABLE harvest (
        set_name TEXT PRIMARY KEY,
        next_from TEXT,                   -- where the next run begins, YYYY-MM-DD
        run_from TEXT,                    -- of the unfinished run; NULL when there is none
        run_token TEXT,                   -- of its next page; NULL at its beginning
        run_answered TEXT,                -- date of its first response
        run_records INTEGER NOT NULL DEFAULT 0,
        covered_from TEXT,                -- changes since then are stored as of finished_at
        finished_at TEXT                  -- when a run last finished, ISO 8601
      ) STRICT;

      -- The search index of the cards.
      CREATE VIRTUAL TABLE paper_terms USING fts5(
        title, abstract, tags, authors, names,
        tokenize = 'unicode61 remove_diacritics 0'
      );
      CREATE VIRTUAL TABLE paper_vocabulary USING fts5vocab(paper_terms, 'row');
      CREATE VIEW paper_indexed AS SELECT id FROM paper_terms_docsize;
      CREATE TABLE paper_vector (
        id INTEGER PRIMARY KEY,
        signs BLOB NOT NULL,              -- a bit per component: 1 above 0
        vector BLOB NOT NULL              -- int8
      ) STRICT;
      CREATE INDEX paper_vector_signs ON paper_vector (signs) WHERE length(signs) = 48;
      CREATE TABLE paper_passages (
        id INTEGER PRIMARY KEY,
        vectors BLOB NOT NULL             -- int8, concatenated
      ) STRICT;

      -- The words of every section, where quotations are looked up. It holds no text of its own; its rowid
      -- is paper_id * 4096 + section_order, also where paper_id is negative. Rows whose section is gone may stay.
      CREATE VIRTUAL TABLE paper_section_terms USING fts5(
        content, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
      );

      -- For other programs (docs/python.md): names and columns stay as they are.
      ${viewsOf('p.card_id', 'p.source_id')}`,
  },
  {
    name: 'paper-2',
    sql: `
      -- What is to be embedded of a section: a JSON array of passages, NULL when there is nothing to do.
      ALTER TABLE paper_section ADD COLUMN passages TEXT;
      -- When it was withdrawn, YYYY-MM-DD; NULL where unknown.
      ALTER TABLE paper ADD COLUMN withdrawn_on TEXT;
      -- Of a PDF that was read in part: the last page read, and how many there are.
      ALTER TABLE paper_text ADD COLUMN last_page INTEGER;
      ALTER TABLE paper_text ADD COLUMN pages INTEGER`,
  },
  {
    // Earlier builds stored own files' texts with arXiv's cards; the next `add` rereads the files.
    name: 'paper-3',
    sql: `
      DELETE FROM own_file WHERE paper_id IS NULL;
      DELETE FROM paper_section_terms WHERE rowid IN (
        SELECT paper_id * 4096 + section_order FROM paper_section JOIN own_file USING (paper_id)
        WHERE paper_id > 0 AND section_order > 0);
      DELETE FROM paper_section
      WHERE paper_id > 0 AND section_order > 0 AND paper_id IN (SELECT paper_id FROM own_file);
      DELETE FROM paper_text WHERE paper_id > 0 AND paper_id IN (SELECT paper_id FROM own_file);
      DELETE FROM own_file WHERE paper_id > 0`,
  },
  {
    // The views now show ids without the prefix `own:`, and the index serves joins by these ids.
    name: 'paper-4',
    sql: `
      CREATE INDEX paper_plain_id ON paper (${plainIdIn('card_id')});
      DROP VIEW papers;
      DROP VIEW paper_sections;
      ${viewsOf(plainIdIn('card_id', 'p.'), plainIdIn('source_id', 'p.'))}`,
  },
];
