import synonymFile from '../../../data/search-synonyms.json' with { type: 'json' };
import type { Migration } from '../../store/migrations.ts';
import { createSearchIndex, type SearchIndex } from '../../store/search/index.ts';
import { Synonyms } from '../../store/search/lexical/synonyms.ts';

/** Text and embeddings of the events, under the ids of the table `market_event`. */
export const eventIndex: SearchIndex = {
  name: 'market_event',
  columns: { title: 2, description: 0.5, tags: 1, questions: 1, labels: 1 },
  synonyms: new Synonyms(synonymFile.synonyms),
};

export const marketMigrations: readonly Migration[] = [
  {
    name: 'markets-1-events',
    up(db) {
      // One ascending index serves the order of browsing and its cursor, so what comes in
      // descending order is kept negative: closing time (0 while open), liquidity, volume.
      // Long texts stand in tables of their own: a scan for a filter must not page through them.
      db.exec(`
        CREATE TABLE market_event (
          id INTEGER PRIMARY KEY,           -- the source's id
          card_id TEXT NOT NULL UNIQUE,
          status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'closed')),
          sort_rank INTEGER NOT NULL,       -- 0 active, 1 inactive, 2 closed
          sort_closing INTEGER NOT NULL,    -- milliseconds since 1970, negative
          sort_liquidity REAL NOT NULL,     -- US dollars, negative
          sort_volume REAL NOT NULL,        -- likewise
          resolution_time TEXT,             -- closing time, or end time while not closed
          liquidity REAL NOT NULL,          -- US dollars
          volume REAL NOT NULL,
          volume_24h REAL,
          open_interest REAL,
          coverage TEXT NOT NULL CHECK (coverage IN ('complete', 'partial', 'metadata_only')),
          start_time TEXT,                  -- all times ISO 8601 UTC with milliseconds
          end_time TEXT,
          closed_time TEXT,
          mutually_exclusive INTEGER NOT NULL CHECK (mutually_exclusive IN (0, 1)),
          origin TEXT NOT NULL CHECK (origin IN ('starter', 'polymarket')),
          synced_at TEXT NOT NULL,          -- the moment of these facts
          slug TEXT NOT NULL,
          title TEXT NOT NULL,
          tags TEXT NOT NULL,               -- JSON array, as shown
          category TEXT,
          resolution_source TEXT,
          description TEXT
        ) STRICT;
        CREATE INDEX market_event_order ON market_event (
          sort_rank, sort_closing, sort_liquidity, sort_volume, id,
          resolution_time, liquidity, volume
        );
        CREATE TABLE market_event_text (
          id INTEGER PRIMARY KEY REFERENCES market_event (id) ON DELETE CASCADE,
          haystack TEXT NOT NULL            -- folded: what the lexical filter looks through
        ) STRICT;
        CREATE TABLE market_event_tag (
          tag TEXT NOT NULL,
          event_id INTEGER NOT NULL REFERENCES market_event (id) ON DELETE CASCADE,
          PRIMARY KEY (tag, event_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX market_event_tag_of ON market_event_tag (event_id);
        CREATE TABLE market_event_asset (
          asset TEXT NOT NULL,
          event_id INTEGER NOT NULL REFERENCES market_event (id) ON DELETE CASCADE,
          PRIMARY KEY (asset, event_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX market_event_asset_of ON market_event_asset (event_id);
        CREATE TABLE market (
          event_id INTEGER NOT NULL REFERENCES market_event (id) ON DELETE CASCADE,
          position INTEGER NOT NULL,        -- order on the card
          id INTEGER NOT NULL,              -- the source's id
          question TEXT NOT NULL,
          group_label TEXT,
          status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'closed')),
          liquidity REAL NOT NULL,
          volume REAL NOT NULL,
          end_time TEXT,
          winning_outcome TEXT,
          outcomes TEXT NOT NULL,           -- JSON: [[label, token id, probability], ...]
          PRIMARY KEY (event_id, position)
        ) STRICT, WITHOUT ROWID`);
      createSearchIndex(db, eventIndex);
    },
  },
  {
    name: 'markets-2-live',
    up(db) {
      // Beside the events, not in them: a scan for a filter has no use for any of this.
      db.exec(`
        CREATE TABLE market_event_sight (
          id INTEGER PRIMARY KEY REFERENCES market_event (id) ON DELETE CASCADE,
          facts_hash TEXT NOT NULL,         -- of all that the card is made from
          words_hash TEXT NOT NULL,         -- of what is indexed and embedded
          vector_due INTEGER NOT NULL CHECK (vector_due IN (0, 1)),
          missing_since TEXT,               -- the source first said that it has no such event
          gone INTEGER NOT NULL DEFAULT 0 CHECK (gone IN (0, 1))
        ) STRICT;
        CREATE INDEX market_event_vector_due ON market_event_sight (id) WHERE vector_due = 1;
        ALTER TABLE market ADD COLUMN price_since INTEGER; -- milliseconds since 1970
        ALTER TABLE market ADD COLUMN past TEXT;           -- JSON: [[from, until, price, ...], ...]`);
    },
  },
  {
    name: 'markets-3-pulls',
    up(db) {
      // A pull sees thousands of events that are as they were: only these narrow rows are written
      // for them. Moments are milliseconds since 1970.
      db.exec(`
        CREATE TABLE market_event_seen (
          id INTEGER PRIMARY KEY REFERENCES market_event (id) ON DELETE CASCADE,
          seen_at INTEGER NOT NULL          -- the source showed the event so, for the last time
        ) STRICT;
        INSERT INTO market_event_seen (id, seen_at)
          SELECT id, CAST(round(1000 * unixepoch(synced_at, 'subsec')) AS INTEGER) FROM market_event;
        ALTER TABLE market_event DROP COLUMN synced_at;
        CREATE TABLE market_event_wanted (  -- served with old odds: the pull under way asks for them
          id INTEGER PRIMARY KEY REFERENCES market_event (id) ON DELETE CASCADE
        ) STRICT;
        CREATE TABLE market_pull (
          reach TEXT PRIMARY KEY CHECK (reach IN ('whole', 'busiest')),
          begun_at INTEGER NOT NULL,
          over_at INTEGER,                  -- NULL from its beginning to its end, however it ends
          finished_at INTEGER               -- all its lists came to their end, for the last time
        ) STRICT;
        CREATE TABLE market_tag_check (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          checked_at INTEGER NOT NULL,
          unknown TEXT NOT NULL             -- JSON array: tags that the source no longer knows
        ) STRICT`);
    },
  },
];
