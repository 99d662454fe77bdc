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

/**
 * Stored fields of an event: what is written and what is read follow from these. The column of a field
 * is its name in snake case.
 */
export const EVENT_FIELDS = [
  ...['source', 'sourceId', 'cardId', 'alias', 'url', 'slug', 'title', 'description', 'tags'],
  ...['category', 'status', 'coverage', 'startTime', 'endTime', 'closedTime', 'volume'],
  ...['volumeUnit', 'volume24h', 'liquidity', 'openInterest', 'mutuallyExclusive'],
  ...['resolutionSource', 'indicator', 'moreMarkets', 'origin'],
] as const;
export const MARKET_FIELDS = [
  ...['id', 'question', 'groupLabel', 'status', 'liquidity', 'volume', 'endTime'],
  ...['winningOutcome', 'outcomes', 'priceBasis', 'strike', 'priceSince', 'past'],
] as const;

const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** For a SELECT: each column under the name of its field. */
export function selectList(fields: readonly string[], table: string): string {
  return fields.map((field) => `${table}.${columnOf(field)} AS ${field}`).join(', ');
}

/** Inserts a row, its values named by field, or updates all columns but the key. */
export function upsertSql(
  table: string,
  key: readonly string[],
  fields: readonly string[],
): string {
  const columns = fields.map(columnOf);
  const updates = fields.filter((field) => !key.includes(field)).map(columnOf);
  return `
    INSERT INTO ${table} (${columns.join(', ')})
    VALUES (${fields.map((field) => `@${field}`).join(', ')})
    ON CONFLICT (${key.map(columnOf).join(', ')}) DO UPDATE SET
      ${updates.map((column) => `${column} = excluded.${column}`).join(', ')}`;
}

/** Frozen: a store records the name, so a step never changes once it has been released. */
export const marketMigrations: readonly Migration[] = [
  {
    name: 'market-1',
    sql: `
      -- Browse order is one ascending index, so descending keys are negated. Long texts have tables
      -- of their own, because a scan for a filter should not page through them.
      CREATE TABLE market_event (
        id INTEGER PRIMARY KEY,
        source TEXT NOT NULL,             -- name of the venue
        source_id TEXT NOT NULL,          -- the venue's id
        card_id TEXT NOT NULL UNIQUE,
        alias TEXT NOT NULL UNIQUE COLLATE NOCASE,
        url TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'closed')),
        liquidity REAL,                   -- US dollars; NULL where the venue tells none
        volume_unit TEXT NOT NULL CHECK (volume_unit IN ('usd', 'contracts')),
        volume REAL NOT NULL,
        volume24h REAL,
        open_interest REAL,
        coverage TEXT NOT NULL CHECK (coverage IN ('complete', 'partial', 'metadata_only')),
        start_time TEXT,                  -- all times ISO 8601 UTC with milliseconds
        end_time TEXT,
        closed_time TEXT,                 -- NULL unless closed
        mutually_exclusive INTEGER NOT NULL CHECK (mutually_exclusive IN (0, 1)),
        origin TEXT NOT NULL CHECK (origin IN ('starter', 'live')),
        slug TEXT NOT NULL,
        title TEXT NOT NULL,
        tags TEXT NOT NULL,               -- JSON array, as shown
        category TEXT,
        resolution_source TEXT,
        description TEXT,
        indicator TEXT,
        more_markets INTEGER NOT NULL,    -- beyond those stored
        resolution_time TEXT AS (coalesce(closed_time, end_time)),
        sort_rank INTEGER NOT NULL AS (CASE status WHEN 'active' THEN 0 WHEN 'inactive' THEN 1 ELSE 2 END),
        sort_closing INTEGER NOT NULL AS (coalesce(-unixepoch(closed_time), 0)),
        sort_liquidity REAL NOT NULL AS (-coalesce(liquidity, 0)),
        sort_volume REAL NOT NULL AS (-volume),
        UNIQUE (source, source_id)
      ) STRICT;
      CREATE INDEX market_event_order ON market_event (
        sort_rank, sort_closing, sort_liquidity, sort_volume, id,
        resolution_time, liquidity, volume
      );
      CREATE INDEX market_event_slug ON market_event (slug);
      CREATE INDEX market_event_end ON market_event (end_time);

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
        id TEXT NOT NULL,                 -- market_card_id
        question TEXT NOT NULL,
        group_label TEXT,
        status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'closed')),
        liquidity REAL,
        volume REAL NOT NULL,
        end_time TEXT,
        winning_outcome TEXT,
        outcomes TEXT NOT NULL,           -- JSON: [{label, tokenId, probability}, ...]
        price_basis TEXT,                 -- where the probability comes from
        strike TEXT,                      -- what the figure must do: '>110000', '=-25'
        price_since INTEGER NOT NULL,     -- when the prices were first observed, milliseconds since 1970
        past TEXT,                        -- JSON: [[from, until, price, ...], ...]
        PRIMARY KEY (event_id, position)
      ) STRICT, WITHOUT ROWID;

      -- Narrow rows: most events of a pull are unchanged, and only these are written for them.
      CREATE TABLE market_event_state (
        id INTEGER PRIMARY KEY REFERENCES market_event (id) ON DELETE CASCADE,
        seen_at INTEGER NOT NULL,         -- when the venue last confirmed it, milliseconds since 1970
        facts_hash TEXT NOT NULL,         -- of all that the event is made from
        words_hash TEXT NOT NULL,         -- of the text that is indexed and embedded
        vector_due INTEGER NOT NULL CHECK (vector_due IN (0, 1)),
        failed_at INTEGER                 -- when it was last asked for in vain
      ) STRICT;
      CREATE INDEX market_event_vector_due ON market_event_state (id) WHERE vector_due = 1;
      CREATE TABLE market_pull (
        source TEXT NOT NULL,             -- name of the venue; an optional one is on once it has a row
        scope TEXT NOT NULL CHECK (scope IN ('full', 'served')),
        begun_at INTEGER NOT NULL,        -- milliseconds since 1970
        over_at INTEGER,                  -- NULL while it runs
        finished_at INTEGER,              -- when one last read every list to its end
        PRIMARY KEY (source, scope)
      ) STRICT, WITHOUT ROWID;

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
      ) STRICT;

      -- For other programs (docs/python.md): names and columns stay as they are.
      CREATE VIEW events AS
      SELECT e.card_id AS event_card_id, e.alias, e.source, e.title, e.url, e.slug, e.status,
        e.start_time, e.end_time, e.closed_time, e.volume, e.volume_unit, e.volume24h AS volume_24h,
        e.liquidity, e.open_interest, e.mutually_exclusive, e.coverage, e.tags, e.category, e.description,
        e.resolution_source,
        (SELECT count(*) FROM market m WHERE m.event_id = e.id) AS market_count,
        strftime('%Y-%m-%dT%H:%M:%fZ', s.seen_at / 1000.0, 'unixepoch') AS synced_at
      FROM market_event e JOIN market_event_state s ON s.id = e.id;
      -- A row per outcome of a market.
      CREATE VIEW event_markets AS
      SELECT e.card_id AS event_card_id, e.title AS event_title, e.status AS event_status, e.source,
        e.url, m.id AS market_card_id, m.question AS market_question, m.group_label, m.status,
        json_extract(o.value, '$.label') AS label,
        json_extract(o.value, '$.tokenId') AS outcome_token_id,
        json_extract(o.value, '$.probability') AS current_probability, m.price_basis,
        m.winning_outcome, m.liquidity, m.volume, e.volume_unit,
        coalesce(m.end_time, e.end_time) AS end_time,
        strftime('%Y-%m-%dT%H:%M:%fZ', s.seen_at / 1000.0, 'unixepoch') AS synced_at
      FROM market m JOIN market_event e ON e.id = m.event_id
      JOIN market_event_state s ON s.id = e.id, json_each(m.outcomes) o`,
  },
];
