import synonymFile from '../../../data/event-synonyms.json' with { type: 'json' };
import fitted from '../../../data/fitted.json' with { type: 'json' };
import type { SearchProfile } from '../../search/profile.ts';
import { Synonyms } from '../../search/synonyms.ts';
import type { Migration } from '../../store/migrations.ts';
import { compareEvents } from './twins.ts';

/** Text and embeddings of the events, under the ids of the table `market_event`. */
export const eventIndex: SearchProfile = {
  name: 'market_event',
  columns: { title: 2, description: 0.5, tags: 1, questions: 1, labels: 1 },
  fitted: fitted.events,
  hint: 'name an event, an asset or a date, such as "will the Fed cut rates in December"',
  synonyms: new Synonyms(synonymFile.groups),
  compare: compareEvents,
};

/** Fields of an event as stored, with their columns: what is written and what is read follow from it. */
export const EVENT_COLUMNS = {
  id: 'id',
  cardId: 'card_id',
  status: 'status',
  liquidity: 'liquidity',
  volume: 'volume',
  volume24h: 'volume_24h',
  openInterest: 'open_interest',
  coverage: 'coverage',
  startTime: 'start_time',
  endTime: 'end_time',
  closedTime: 'closed_time',
  mutuallyExclusive: 'mutually_exclusive',
  origin: 'origin',
  slug: 'slug',
  title: 'title',
  tags: 'tags',
  category: 'category',
  resolutionSource: 'resolution_source',
  description: 'description',
} as const;

/** The same of a market. */
export const MARKET_COLUMNS = {
  id: 'id',
  question: 'question',
  groupLabel: 'group_label',
  status: 'status',
  liquidity: 'liquidity',
  volume: 'volume',
  endTime: 'end_time',
  winningOutcome: 'winning_outcome',
  outcomes: 'outcomes',
} as const;

/** For a SELECT: each column under the name of its field. */
export function selectList(columns: Readonly<Record<string, string>>, alias: string): string {
  return Object.entries(columns)
    .map(([field, column]) => `${alias}.${column} AS ${field}`)
    .join(', ');
}

/** Inserts a row, its values named by field, or updates all columns but the key. */
export function upsertSql(
  table: string,
  key: readonly string[],
  columns: Readonly<Record<string, string>>,
): string {
  const names = Object.values(columns);
  const updates = names.filter((name) => !key.includes(name));
  return `
    INSERT INTO ${table} (${names.join(', ')})
    VALUES (${Object.keys(columns)
      .map((field) => `@${field}`)
      .join(', ')})
    ON CONFLICT (${key.join(', ')}) DO UPDATE SET
      ${updates.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}

/** Frozen: a store records the name, so a step never changes once it has been released. */
export const marketMigrations: readonly Migration[] = [
  {
    name: 'market-1',
    sql: `
      -- Browse order is one ascending index, so descending keys are negated. Long texts have tables
      -- of their own, because a scan for a filter should not page through them.
      CREATE TABLE market_event (
        id INTEGER PRIMARY KEY,           -- Polymarket's id
        card_id TEXT NOT NULL UNIQUE,
        status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'closed')),
        sort_rank INTEGER NOT NULL,       -- 0 active, 1 inactive, 2 closed
        sort_closing INTEGER NOT NULL,    -- closing time in milliseconds since 1970, negated; 0 while open
        sort_liquidity REAL NOT NULL,     -- US dollars, negated
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
        haystack TEXT NOT NULL            -- folded text that the browse filter searches
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
        id INTEGER NOT NULL,              -- Polymarket's id
        question TEXT NOT NULL,
        group_label TEXT,
        status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'closed')),
        liquidity REAL NOT NULL,
        volume REAL NOT NULL,
        end_time TEXT,
        winning_outcome TEXT,
        outcomes TEXT NOT NULL,           -- JSON: [[label, token id, probability], ...]
        price_since INTEGER,              -- when the prices were first observed, milliseconds since 1970
        past TEXT,                        -- JSON: [[from, until, price, ...], ...]
        PRIMARY KEY (event_id, position)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE market_event_sync_state (
        id INTEGER PRIMARY KEY REFERENCES market_event (id) ON DELETE CASCADE,
        facts_hash TEXT NOT NULL,         -- of all that the card is made from
        words_hash TEXT NOT NULL,         -- of the text that is indexed and embedded
        vector_due INTEGER NOT NULL CHECK (vector_due IN (0, 1)),
        missing_since TEXT,               -- when Polymarket first did not know the event
        gone INTEGER NOT NULL DEFAULT 0 CHECK (gone IN (0, 1))
      ) STRICT;
      CREATE INDEX market_event_vector_due ON market_event_sync_state (id) WHERE vector_due = 1;
      -- Most events of a pull are unchanged: only these narrow rows are written for them.
      CREATE TABLE market_event_last_seen (
        id INTEGER PRIMARY KEY REFERENCES market_event (id) ON DELETE CASCADE,
        seen_at INTEGER NOT NULL          -- milliseconds since 1970
      ) STRICT;
      CREATE TABLE market_event_refresh_queue (  -- served with old odds
        id INTEGER PRIMARY KEY REFERENCES market_event (id) ON DELETE CASCADE
      ) STRICT;
      CREATE TABLE market_pull (
        scope TEXT PRIMARY KEY CHECK (scope IN ('full', 'top')),
        begun_at INTEGER NOT NULL,        -- milliseconds since 1970
        over_at INTEGER,                  -- NULL while it runs
        finished_at INTEGER               -- when one last read every list to its end
      ) STRICT;
      CREATE TABLE market_tag_check (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        checked_at INTEGER NOT NULL,      -- milliseconds since 1970
        unknown TEXT NOT NULL             -- JSON array: tags that Polymarket no longer knows
      ) STRICT;

      -- The search index of the events.
      CREATE VIRTUAL TABLE market_event_terms USING fts5(
        title, description, tags, questions, labels,
        tokenize = 'unicode61 remove_diacritics 0'
      );
      CREATE VIRTUAL TABLE market_event_vocabulary USING fts5vocab(market_event_terms, 'row');
      CREATE TABLE market_event_vector (
        id INTEGER PRIMARY KEY,
        signs BLOB NOT NULL,              -- a bit per component: 1 above 0
        vector BLOB NOT NULL              -- int8
      ) STRICT;
      CREATE INDEX market_event_vector_signs ON market_event_vector (signs);
      CREATE TABLE market_event_passages (
        id INTEGER PRIMARY KEY,
        vectors BLOB NOT NULL             -- int8, concatenated
      ) STRICT`,
  },
];
