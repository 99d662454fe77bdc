import type { Database } from 'better-sqlite3';
import { write } from '../store/connection.ts';

/** Account data in the replaced store that is missing from the backup. */
export interface Undone {
  /** Number of keys revoked since the backup; only revocations are carried over. */
  revocations: number;
  /** Names of accounts missing from the backup; their keys are lost. */
  accounts: string[];
  charges: number;
  /** Credits granted since the backup to accounts in both stores. */
  granted: number;
}

/** The accounts in both stores. A name alone does not identify an account, since it may have been reused. */
const SAME = 'SELECT a.name FROM accounts a JOIN former.accounts f USING (name, created)';

/**
 * `db` is a backup of the store at `path`. Revokes in `db` the keys that have since been revoked in that store, and
 * returns what `db` lacked. Idempotent. Throws SQLite's error, and changes nothing, if that store cannot be read.
 */
export function carryOverRevocations(db: Database, path: string): Undone {
  db.prepare('ATTACH @path AS former').run({ path });
  try {
    const revoke = db.prepare(`
      UPDATE keys SET revoked = (SELECT f.revoked FROM former.keys f WHERE f.account = keys.account)
      WHERE revoked IS NULL AND account IN (${SAME})
        AND account IN (SELECT f.account FROM former.keys f WHERE f.revoked IS NOT NULL)`);
    return write(db, () => ({ revocations: revoke.run().changes, ...listUndone(db) }));
  } finally {
    db.exec('DETACH former');
  }
}

function listUndone(db: Database): Omit<Undone, 'revocations'> {
  const accounts = db
    .prepare<[], string>(
      `SELECT name FROM former.accounts WHERE name NOT IN (${SAME}) ORDER BY name`,
    )
    .pluck()
    .all();
  const charges = db
    .prepare<[], number>(`
      SELECT count(*) FROM former.ledger WHERE request_id NOT IN (SELECT request_id FROM ledger)`)
    .pluck()
    .get();
  // All credits ever granted: the balance plus the charges.
  const ever = (store: string) => `(
    SELECT a.credits + coalesce((SELECT sum(l.credits) FROM ${store}.ledger l WHERE l.account = a.name), 0)
    FROM ${store}.accounts a WHERE a.name = same.name)`;
  const granted = db
    .prepare<[], number>(`
      SELECT coalesce(sum(max(0, ${ever('former')} - ${ever('main')})), 0) FROM (${SAME}) same`)
    .pluck()
    .get();
  return { accounts, charges: charges ?? 0, granted: granted ?? 0 };
}
