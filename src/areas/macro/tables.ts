import type { Migration } from '../../store/migrations.ts';

/** Frozen: a store records each step by name, so a released step must never change. */
export const macroMigrations: readonly Migration[] = [
  {
    name: 'macro-1',
    sql: `
      CREATE TABLE macro_series (
        series_id TEXT PRIMARY KEY,
        position INTEGER NOT NULL,        -- catalogue order
        indicator TEXT NOT NULL UNIQUE,   -- our alias, lower case
        category TEXT NOT NULL,
        title TEXT NOT NULL,
        frequency TEXT NOT NULL,
        units TEXT NOT NULL,
        seasonal_adjustment TEXT NOT NULL,
        source TEXT NOT NULL,
        copyright_status TEXT NOT NULL,
        observation_start TEXT,           -- first and last date stored; NULL while none is
        observation_end TEXT,
        last_updated TEXT,                -- when the series last changed, according to its origin
        taken TEXT,                       -- when the figures were fetched, ISO 8601
        origin TEXT CHECK (origin IN ('starter', 'fred')),
        agency TEXT,                      -- that brought the newest figures; NULL: the origin did
        last_vintage TEXT,                -- latest vintage date stored; NULL while none came from FRED
        checked_at TEXT,                  -- last successful query of the source, ISO 8601
        next_due TEXT,                    -- ISO 8601
        stale INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1)),  -- 1: the last due refresh failed
        retry_at TEXT,                    -- earliest next attempt, ISO 8601
        fault TEXT,                       -- why it failed, for users
        -- Figures held back until a later reply confirms them, a JSON object of values by date.
        doubted TEXT
      ) STRICT, WITHOUT ROWID;

      -- The key serves recent and range mode alike. Superseded values are few, so a second index
      -- would not pay.
      CREATE TABLE macro_vintage (
        series_id TEXT NOT NULL REFERENCES macro_series (series_id),
        date TEXT NOT NULL,               -- as FRED dates the observation
        rt_start TEXT NOT NULL,           -- first day on which the value was published
        rt_end TEXT,                      -- last day on which it was current; NULL while it is
        value REAL,                       -- NULL where the source publishes a missing value
        exact INTEGER NOT NULL CHECK (exact IN (0, 1)),  -- 0: rt_start is an estimate
        -- First day on which it is certain to have been current, where that is after rt_start: an
        -- estimate of figures that are revised, which are certain from the day on which they were seen.
        known_from TEXT CHECK (known_from > rt_start),
        units TEXT,                       -- of then, where they were others than those of the series
        PRIMARY KEY (series_id, date, rt_start)
      ) STRICT, WITHOUT ROWID;

      -- The version of each agency's file whose figures are stored.
      CREATE TABLE agency_file (
        url TEXT PRIMARY KEY,
        etag TEXT,
        last_modified TEXT                -- as the header gave it
      ) STRICT;

      -- For readers of the file; docs/vintages.md describes the columns.
      CREATE VIEW macro_latest AS
        SELECT indicator, series_id, date, value, coalesce(known_from, rt_start) AS known_from, exact,
          coalesce(v.units, s.units) AS units
        FROM macro_vintage v JOIN macro_series s USING (series_id) WHERE rt_end IS NULL;

      CREATE VIEW macro_as_of AS
        SELECT indicator, series_id, date, value, coalesce(known_from, rt_start) AS known_from,
          rt_end AS known_to, exact, coalesce(v.units, s.units) AS units
        FROM macro_vintage v JOIN macro_series s USING (series_id)`,
  },
  {
    name: 'macro-2',
    sql: `
      -- The last date to which FRED's figures are those that were stored before FRED brought any.
      ALTER TABLE macro_series ADD COLUMN own_until TEXT`,
  },
];
