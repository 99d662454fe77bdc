import type { Migration } from '../../store/migrations.ts';

export const macroMigrations: readonly Migration[] = [
  {
    name: 'macro-1-series',
    up(db) {
      // The key of macro_vintage serves both modes: a series is one run of dates, and the last N
      // of it are read from the end. Superseded values are few, so no second index pays.
      db.exec(`
        CREATE TABLE macro_series (
          series_id TEXT PRIMARY KEY,
          position INTEGER NOT NULL,        -- order of the catalogue
          indicator TEXT NOT NULL UNIQUE,   -- our alias, lower case
          category TEXT NOT NULL,
          title TEXT NOT NULL,
          frequency TEXT NOT NULL,
          native_frequency TEXT NOT NULL,   -- as FRED says it: "Weekly, Ending Saturday"
          units TEXT NOT NULL,
          seasonal_adjustment TEXT NOT NULL,
          source TEXT NOT NULL,
          copyright_status TEXT NOT NULL,
          observation_start TEXT,           -- first and last date held; NULL while none is
          observation_end TEXT,
          last_updated TEXT,                -- when the series last changed, as its origin says
          taken TEXT,                       -- when the figures were fetched, ISO 8601
          origin TEXT CHECK (origin IN ('starter', 'fred'))
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE macro_vintage (
          series_id TEXT NOT NULL REFERENCES macro_series (series_id),
          date TEXT NOT NULL,               -- FRED's own date, unchanged
          rt_start TEXT NOT NULL,           -- first day on which the value was published
          rt_end TEXT,                      -- last day on which it was current; NULL while it is
          value REAL,                       -- NULL where the source publishes a missing value
          exact INTEGER NOT NULL CHECK (exact IN (0, 1)),  -- 0: rt_start is an estimate
          PRIMARY KEY (series_id, date, rt_start)
        ) STRICT, WITHOUT ROWID`);
    },
  },
  {
    name: 'macro-2-fred',
    up(db) {
      db.exec(`
        -- Last day of change that is held, as FRED tells it; NULL while nothing came from FRED.
        ALTER TABLE macro_series ADD COLUMN last_vintage TEXT;
        -- When FRED was last asked with success, ISO 8601; as with the other times.
        ALTER TABLE macro_series ADD COLUMN checked_at TEXT;
        ALTER TABLE macro_series ADD COLUMN next_due TEXT;
        -- 1: the last attempt at a due refresh failed.
        ALTER TABLE macro_series ADD COLUMN stale INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1));
        ALTER TABLE macro_series ADD COLUMN retry_at TEXT;
        -- Why it failed, in our words.
        ALTER TABLE macro_series ADD COLUMN fault TEXT`);
    },
  },
];
