import { expect } from 'vitest';
import { inspect } from './error-cases.ts';

/** What the accounts of a home say; the store itself must be sound for it to be asked. */
export function books(home: string) {
  return inspect(home, (db) => {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    const balance = db
      .prepare<[], number>("SELECT credits FROM accounts WHERE name = 'local'")
      .pluck()
      .get();
    const ledger = db
      .prepare<[], { request_id: string; credits: number; operation: string; account: string }>(
        'SELECT request_id, credits, operation, account FROM ledger ORDER BY id',
      )
      .all();
    return { balance, ledger, spent: ledger.reduce((sum, { credits }) => sum + credits, 0) };
  });
}
