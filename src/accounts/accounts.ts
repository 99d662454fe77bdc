import type { Database } from 'better-sqlite3';
import type { Account } from '../core/context.ts';
import { ServiceError } from '../core/errors.ts';
import type { Migration } from '../store/migrations.ts';

/** The account of stdio and the command line; it exists in every store. */
export const LOCAL_ACCOUNT = 'local';

export const accountMigrations: readonly Migration[] = [
  {
    name: 'accounts-1-ledger',
    up(db) {
      db.exec(`
        CREATE TABLE accounts (
          name TEXT PRIMARY KEY,
          credits INTEGER NOT NULL CHECK (credits >= 0),
          created TEXT NOT NULL
        ) STRICT;
        CREATE TABLE ledger (
          id INTEGER PRIMARY KEY,
          at TEXT NOT NULL,
          account TEXT NOT NULL REFERENCES accounts (name),
          operation TEXT NOT NULL,
          credits INTEGER NOT NULL,
          request_id TEXT NOT NULL
        ) STRICT;
        CREATE INDEX ledger_by_account ON ledger (account, id)`);
    },
  },
];

/** Makes the built-in account with its first grant; an existing one keeps its balance. */
export function ensureLocalAccount(db: Database, credits: number, at: Date): void {
  db.prepare(`
    INSERT INTO accounts (name, credits, created) VALUES (@name, @credits, @created)
    ON CONFLICT (name) DO NOTHING`).run({
    name: LOCAL_ACCOUNT,
    credits,
    created: at.toISOString(),
  });
}

/** Adds credits to an account and returns the new balance; `not_found` for an unknown name. */
export function grantCredits(db: Database, name: string, credits: number): number {
  const balance = db
    .prepare<{ name: string; credits: number }, number>(`
      UPDATE accounts SET credits = credits + @credits WHERE name = @name RETURNING credits`)
    .pluck()
    .get({ name, credits });
  if (balance === undefined) {
    throw new ServiceError('not_found', `There is no account of this name; "${LOCAL_ACCOUNT}" is.`);
  }
  return balance;
}

/**
 * The account `name` over a writable connection. Charging is one transaction of a conditional
 * update and its ledger row, so parallel processes can never overdraw.
 */
export function openAccount(db: Database, name: string, now: () => Date): Account {
  const read = db
    .prepare<{ name: string }, number>('SELECT credits FROM accounts WHERE name = @name')
    .pluck();
  const take = db
    .prepare<{ name: string; credits: number }, number>(`
      UPDATE accounts SET credits = credits - @credits
      WHERE name = @name AND credits >= @credits
      RETURNING credits`)
    .pluck();
  const enter = db.prepare(`
    INSERT INTO ledger (at, account, operation, credits, request_id)
    VALUES (@at, @account, @operation, @credits, @requestId)`);
  const charge = db.transaction((entry: Parameters<Account['charge']>[0]): number | null => {
    const left = take.get({ name, credits: entry.credits });
    if (left === undefined) return null;
    enter.run({ at: now().toISOString(), account: name, ...entry });
    return left;
  });
  return {
    name,
    balance: () => read.get({ name }) ?? 0,
    charge: (entry) => charge.immediate(entry),
  };
}
