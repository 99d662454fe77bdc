import type { Database } from 'better-sqlite3';
import { write } from '../store/connection.ts';

/** What a store took over from another one. */
export interface CarriedOver {
  /** Accounts that it did not have. */
  accounts: number;
  /** Its keys that were revoked in the other one. */
  revocations: number;
  /** Charges that it did not have. */
  charges: number;
  /** Its accounts whose name belongs to another account there, whose key is lost. */
  conflicts: string[];
}

/** The same account in both stores; of another store, a name says nothing. */
const SAME = 'SELECT a.name FROM accounts a JOIN former.accounts f USING (name, created)';

/**
 * Takes over from the store at `path` what an older copy of it lacks: revocations, new accounts with their
 * keys, charges, and credits granted since. Repeating it changes nothing. Throws what SQLite throws where
 * that store cannot be read; nothing has changed then.
 */
export function carryOverAccounts(db: Database, path: string): CarriedOver {
  db.prepare('ATTACH @path AS former').run({ path });
  try {
    return write(db, () => carryOver(db));
  } finally {
    db.exec('DETACH former');
  }
}

function carryOver(db: Database): CarriedOver {
  const conflicts = db
    .prepare<[], string>(`
      SELECT name FROM accounts JOIN former.accounts f USING (name)
      JOIN former.keys k ON k.account = name
      WHERE accounts.created <> f.created`)
    .pluck()
    .all();
  const accounts = db
    .prepare(`
      INSERT INTO accounts (name, credits, created)
      SELECT name, credits, created FROM former.accounts
      WHERE name NOT IN (SELECT name FROM accounts)`)
    .run().changes;
  db.prepare(`
    INSERT INTO keys (account, prefix, hash, scopes, revoked)
    SELECT account, prefix, hash, scopes, revoked FROM former.keys
    WHERE account IN (${SAME}) AND account NOT IN (SELECT account FROM keys)`).run();
  const revocations = db
    .prepare(`
      UPDATE keys SET revoked = (SELECT f.revoked FROM former.keys f WHERE f.account = keys.account)
      WHERE revoked IS NULL AND account IN (${SAME})
        AND account IN (SELECT f.account FROM former.keys f WHERE f.revoked IS NOT NULL)`)
    .run().changes;
  const granted = listGranted(db);
  const charges = db
    .prepare(`
      INSERT INTO ledger (at, account, operation, credits, request_id)
      SELECT at, account, operation, credits, request_id FROM former.ledger
      WHERE account IN (${SAME}) AND request_id NOT IN (SELECT request_id FROM ledger)
      ORDER BY id`)
    .run().changes;
  const setCredits = db.prepare(`
    UPDATE accounts SET credits = max(0, @granted -
      (SELECT coalesce(sum(l.credits), 0) FROM ledger l WHERE l.account = @name))
    WHERE name = @name`);
  for (const row of granted) setCredits.run(row);
  return { accounts, revocations, charges, conflicts };
}

/** Credits ever granted to each account that is in both stores: grants only add. */
function listGranted(db: Database): { name: string; granted: number }[] {
  const granted = (store: string) => `(
    SELECT a.credits + coalesce((SELECT sum(l.credits) FROM ${store}.ledger l WHERE l.account = a.name), 0)
    FROM ${store}.accounts a WHERE a.name = same.name)`;
  return db
    .prepare<[], { name: string; granted: number }>(`
      SELECT name, max(${granted('main')}, ${granted('former')}) AS granted FROM (${SAME}) same`)
    .all();
}
