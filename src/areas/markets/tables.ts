import synonymFile from '../../../data/event-synonyms.json' with { type: 'json' };
import fitted from '../../../data/fitted.json' with { type: 'json' };
import type { SearchProfile } from '../../search/profile.ts';
import { Synonyms } from '../../search/synonyms.ts';
import type { Migration } from '../../store/migrations.ts';
import { compareEvents } from './twins.ts';

/** Search index of the events, keyed by `market_event.id`. */
export const eventIndex: SearchProfile = {
  name: 'market_event',
  columns: { title: 2, description: 0.5, tags: 1, questions: 1, labels: 1 },
  fitted: fitted.events,
  hint: 'name an event, an asset or a date, such as "will the Fed cut rates in December"',
  synonyms: new Synonyms(synonymFile.groups),
  compare: compareEvents,
  // A match competes only with events at its own venue: the same event elsewhere is no rival.
  peersOf(db, id, ids) {
    const find = db.prepare<object, number>(`
      SELECT e.id FROM json_each(@ids) candidate
      CROSS JOIN market_event e ON e.id = candidate.value
      WHERE e.source = (SELECT source FROM market_event WHERE id = @id)`);
    return new Set(find.pluck().all({ id, ids: JSON.stringify(ids) }));
  },
};

/** A store records each step by name, so a released step must never change. */
export const marketMigrations: readonly Migration[] = [
  {
    name: 'market-1',
    sql: `
      -- An event is one JSON document; beside it stands what queries filter, order or look up.
      -- Browse order is one ascending index, so descending keys are negated.
      CREATE TABLE market_event (
        id INTEGER PRIMARY KEY,
        source TEXT NOT NULL,             -- name of the venue
        source_id TEXT NOT NULL,          -- the venue's id
        origin TEXT NOT NULL CHECK (origin IN ('starter', 'live')),
        card_id TEXT NOT NULL UNIQUE AS (json_extract(card, '$.event_card_id')) STORED,
        alias TEXT NOT NULL UNIQUE COLLATE NOCASE AS (json_extract(card, '$.alias')) STORED,
        slug TEXT NOT NULL AS (json_extract(card, '$.slug')) STORED,
        title TEXT NOT NULL AS (json_extract(card, '$.title')) STORED,
        status TEXT NOT NULL CHECK (status IN ('active', 'inactive', 'closed'))
          AS (json_extract(card, '$.status')) STORED,
        liquidity REAL AS (json_extract(card, '$.liquidity')) STORED,    -- US dollars; NULL where the venue tells none
        volume REAL NOT NULL AS (json_extract(card, '$.volume')) STORED,
        start_time TEXT AS (json_extract(card, '$.start_time')) STORED,  -- all times ISO 8601 UTC with milliseconds
        end_time TEXT AS (json_extract(card, '$.end_time')) STORED,
        closed_time TEXT AS (json_extract(card, '$.closed_time')) STORED,    -- NULL unless closed
        indicator TEXT AS (json_extract(card, '$.indicator')) STORED,
        resolution_time TEXT AS (coalesce(closed_time, end_time)),
        sort_rank INTEGER NOT NULL AS (CASE status WHEN 'active' THEN 0 WHEN 'inactive' THEN 1 ELSE 2 END),
        sort_closing INTEGER NOT NULL AS (coalesce(-CAST(strftime('%s', closed_time) AS INTEGER), 0)),
        sort_liquidity REAL NOT NULL AS (-coalesce(liquidity, 0)),
        sort_volume REAL NOT NULL AS (-volume),
        card TEXT NOT NULL,               -- the shape of storedEvent
        UNIQUE (source, source_id)
      ) STRICT;
      CREATE INDEX market_event_order ON market_event (
        sort_rank, sort_closing, sort_liquidity, sort_volume, id,
        resolution_time, liquidity, volume
      );
      CREATE INDEX market_event_slug ON market_event (slug);

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

      -- Open markets with a strike, by what the same question at another venue shares with them.
      CREATE TABLE market_event_strike (
        settlement_day TEXT NOT NULL,     -- YYYY-MM-DD
        about TEXT NOT NULL,              -- the indicator of the event, else its only asset
        strike TEXT NOT NULL,
        source TEXT NOT NULL,
        event_id INTEGER NOT NULL REFERENCES market_event (id) ON DELETE CASCADE,
        market_card_id TEXT NOT NULL,
        market_question TEXT NOT NULL,
        probability REAL NOT NULL,        -- of the first outcome
        volume REAL NOT NULL,
        PRIMARY KEY (settlement_day, about, strike, source, event_id, market_card_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX market_event_strike_of ON market_event_strike (event_id);

      CREATE TABLE market_event_prices (
        id INTEGER PRIMARY KEY REFERENCES market_event (id) ON DELETE CASCADE,
        moved_at INTEGER,                 -- of the last market that moved, milliseconds since 1970
        history TEXT NOT NULL             -- JSON, the shape in prices.ts
      ) STRICT;

      -- Narrow rows: most events of a pull are unchanged, and only these are written for them.
      CREATE TABLE market_event_state (
        id INTEGER PRIMARY KEY REFERENCES market_event (id) ON DELETE CASCADE,
        seen_at INTEGER NOT NULL,         -- when the venue last confirmed it, milliseconds since 1970
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
      CREATE VIEW market_event_indexed AS SELECT id FROM market_event_terms_docsize;
      CREATE TABLE market_event_vector (
        id INTEGER PRIMARY KEY,
        signs BLOB NOT NULL,              -- a bit per component: 1 above 0
        vector BLOB NOT NULL              -- int8
      ) STRICT;
      CREATE INDEX market_event_vector_signs ON market_event_vector (signs)
        WHERE length(signs) = 48;
      CREATE TABLE market_event_passages (
        id INTEGER PRIMARY KEY,
        vectors BLOB NOT NULL             -- int8, concatenated
      ) STRICT;

      -- For other programs (docs/python.md): names and columns stay as they are.
      CREATE VIEW events AS
      SELECT e.card_id AS event_card_id, e.alias, e.source, e.title, json_extract(e.card, '$.url') AS url,
        e.slug, e.status, e.start_time, e.end_time, e.closed_time,
        e.volume, json_extract(e.card, '$.volume_unit') AS volume_unit,
        json_extract(e.card, '$.volume_24h') AS volume_24h,
        e.liquidity, json_extract(e.card, '$.open_interest') AS open_interest,
        json_extract(e.card, '$.mutually_exclusive') AS mutually_exclusive,
        json_extract(e.card, '$.coverage_status') AS coverage,
        json_extract(e.card, '$.tags') AS tags,
        json_extract(e.card, '$.category') AS category,
        json_extract(e.card, '$.description') AS description,
        json_extract(e.card, '$.resolution_source') AS resolution_source,
        json_array_length(e.card, '$.markets') AS market_count,
        strftime('%Y-%m-%dT%H:%M:%fZ', s.seen_at / 1000.0, 'unixepoch') AS synced_at,
        json_extract(e.card, '$.settlement.status') AS settlement
      FROM market_event e JOIN market_event_state s ON s.id = e.id;
      -- A row per outcome of a market.
      CREATE VIEW event_markets AS
      SELECT e.card_id AS event_card_id, e.title AS event_title, e.status AS event_status, e.source,
        json_extract(e.card, '$.url') AS url,
        json_extract(m.value, '$.market_card_id') AS market_card_id,
        json_extract(m.value, '$.market_question') AS market_question,
        json_extract(m.value, '$.group_label') AS group_label,
        json_extract(m.value, '$.status') AS status,
        json_extract(o.value, '$.label') AS label,
        json_extract(o.value, '$.outcome_token_id') AS outcome_token_id,
        json_extract(o.value, '$.current_probability') AS current_probability,
        json_extract(m.value, '$.price_basis') AS price_basis,
        json_extract(m.value, '$.settlement.winning_outcome') AS winning_outcome,
        CASE WHEN e.liquidity IS NOT NULL THEN json_extract(m.value, '$.liquidity') END AS liquidity,
        json_extract(m.value, '$.volume') AS volume, json_extract(e.card, '$.volume_unit') AS volume_unit,
        coalesce(json_extract(m.value, '$.end_time'), e.end_time) AS end_time,
        strftime('%Y-%m-%dT%H:%M:%fZ', s.seen_at / 1000.0, 'unixepoch') AS synced_at,
        coalesce(json_extract(m.value, '$.settlement.status'), 'open') AS settlement,
        json_extract(m.value, '$.settlement.value') AS settlement_value
      FROM market_event e JOIN market_event_state s ON s.id = e.id,
        json_each(e.card, '$.markets') m, json_each(m.value, '$.outcomes') o`,
  },
  {
    name: 'market-2',
    sql: `
      -- When its venue last replied that it has neither the event nor its markets; NULL once it has.
      ALTER TABLE market_event_state ADD COLUMN missing_at INTEGER`,
  },
];
