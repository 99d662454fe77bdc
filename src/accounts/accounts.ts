import type { Database } from 'better-sqlite3';
import type { Account, Charge, Quota } from '../core/context.ts';
import { invalidRequest, notFound } from '../core/errors.ts';
import { write } from '../store/connection.ts';
import type { Migration } from '../store/migrations.ts';

/** The built-in account that stdio and the command line use. */
export const LOCAL_ACCOUNT = 'local';

/** Frozen: a store records each step by name, so a released step must not change. */
export const accountMigrations: readonly Migration[] = [
  {
    name: 'accounts-1',
    sql: `
      CREATE TABLE accounts (
        name TEXT PRIMARY KEY,
        credits INTEGER NOT NULL CHECK (credits >= 0),
        created TEXT NOT NULL             -- ISO 8601
      ) STRICT;
      CREATE TABLE ledger (
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,                 -- ISO 8601
        account TEXT NOT NULL REFERENCES accounts (name),
        operation TEXT NOT NULL,
        credits INTEGER NOT NULL,
        request_id TEXT NOT NULL
      ) STRICT;
      CREATE INDEX ledger_by_account ON ledger (account, id);
      CREATE TABLE keys (
        account TEXT PRIMARY KEY REFERENCES accounts (name),
        prefix TEXT NOT NULL UNIQUE,      -- start of the key, in clear
        hash BLOB NOT NULL,               -- SHA-256 of the whole key
        scopes TEXT NOT NULL,             -- areas, comma-separated
        revoked TEXT                      -- ISO 8601; NULL while the key is valid
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE rate_window (
        account TEXT PRIMARY KEY,
        started INTEGER NOT NULL,         -- milliseconds since 1970
        calls INTEGER NOT NULL            -- calls admitted since then
      ) STRICT, WITHOUT ROWID`,
  },
];

export function hasAccount(db: Database, name: string): boolean {
  return readBalance(db, name) !== undefined;
}

/** Creates the built-in account with its initial credits; an existing one keeps its balance. */
export function ensureLocalAccount(db: Database, credits: number, at: Date): void {
  // Checked first, because an insert waits for other writers even when it has nothing to do.
  if (hasAccount(db, LOCAL_ACCOUNT)) return;
  const add = db.prepare(`
    INSERT INTO accounts (name, credits, created) VALUES (@name, @credits, @created)
    ON CONFLICT (name) DO NOTHING`);
  write(db, () => add.run({ name: LOCAL_ACCOUNT, credits, created: at.toISOString() }));
}

/** Well within the integers that a double represents exactly. */
const MAX_CREDITS = 1e15;

/** Returns the new balance. Throws `not_found`, or `invalid_request` if it would exceed the maximum. */
export function grantCredits(db: Database, name: string, credits: number): number {
  const add = db.prepare('UPDATE accounts SET credits = credits + @credits WHERE name = @name');
  return write(db, () => {
    const balance = readBalance(db, name);
    if (balance === undefined) {
      throw notFound(
        'There is no account with this name. `quantshelf keys list` shows all accounts; ' +
          `yours is "${LOCAL_ACCOUNT}".`,
      );
    }
    if (balance + credits > MAX_CREDITS) {
      throw invalidRequest(
        `An account can have at most ${MAX_CREDITS.toLocaleString('en-US')} credits.`,
      );
    }
    add.run({ name, credits });
    return balance + credits;
  });
}

function readBalance(db: Database, name: string): number | undefined {
  return db
    .prepare<{ name: string }, number>('SELECT credits FROM accounts WHERE name = @name')
    .pluck()
    .get({ name });
}

/** An account in the store; `charge` is synchronous. */
export interface StoredAccount extends Account {
  charge(entry: Charge): number | null;
}

/**
 * Opens the account `name` on a writable connection. A charge is a conditional update and a ledger
 * row in one transaction, so parallel processes cannot overdraw. Killing the process loses no charge; a power
 * failure can lose the latest charges, both from the balance and from the ledger (synchronous is NORMAL).
 */
export function openAccount(db: Database, name: string, now: () => Date): StoredAccount {
  const take = db.prepare(`
    UPDATE accounts SET credits = credits - @credits
    WHERE name = @name AND credits >= @credits`);
  const enter = db.prepare(`
    INSERT INTO ledger (at, account, operation, credits, request_id)
    VALUES (@at, @account, @operation, @credits, @requestId)`);
  const balance = () => readBalance(db, name) ?? 0;
  const charge = (entry: Charge) =>
    write(db, () => {
      if (take.run({ name, credits: entry.credits }).changes === 0) return null;
      enter.run({ at: now().toISOString(), account: name, ...entry });
      return balance();
    });
  return { name, balance, charge };
}

/** Length of the rate-limit window, in milliseconds. */
const WINDOW_MS = 60_000;

/**
 * Returns a function that counts a call and returns the account's quota: `limit` calls per window, across all
 * servers on the store. A window starts with the first call after the previous window, or when the clock is set
 * back, so up to twice the limit may pass in a minute that spans two windows. A refused call is not counted. The
 * function throws the store's error if a call cannot be counted.
 */
export function createCallLimiter(
  db: Database,
  limit: number,
  now: () => Date,
): (account: string) => Quota {
  const count = db.prepare(`
    INSERT INTO rate_window (account, started, calls) VALUES (@account, @now, 1)
    ON CONFLICT (account) DO UPDATE SET
      calls = CASE WHEN @now - started BETWEEN 0 AND @last THEN calls + 1 ELSE 1 END,
      started = CASE WHEN @now - started BETWEEN 0 AND @last THEN started ELSE @now END
    WHERE calls < @limit OR @now - started NOT BETWEEN 0 AND @last`);
  const read = db.prepare<object, { started: number; calls: number }>(
    'SELECT started, calls FROM rate_window WHERE account = @account',
  );
  return (account) => {
    const at = now().getTime();
    const { isSpent, started, calls } = write(db, () => {
      const { changes } = count.run({ account, limit, now: at, last: WINDOW_MS - 1 });
      const window = read.get({ account }) ?? { started: at, calls: limit };
      return { isSpent: changes === 0, ...window };
    });
    return {
      limit,
      // Another server on the store may have a higher limit.
      remaining: Math.max(0, limit - calls),
      resetSeconds: Math.max(1, Math.ceil((started + WINDOW_MS - at) / 1000)),
      isSpent,
    };
  };
}
