import { expect } from 'vitest';
import { Database } from '../../src/store/sqlite.ts';
import { storeIn } from './support.ts';

/** Changes a store behind the server's back. */
export function edit(path: string, sql: string): void {
  const db = new Database(path);
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}

/** Runs queries on the store in a home. */
export function inspect<T>(home: string, question: (db: Database.Database) => T): T {
  const db = new Database(storeIn(home), { readonly: true });
  try {
    return question(db);
  } finally {
    db.close();
  }
}

/** Fails unless the store is intact, without damaged pages or orphaned rows. */
export function expectSound(home: string): void {
  inspect(home, (db) => {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
  });
}

/** The balance and the ledger of an account in a home. Expects the store to be intact. */
export function books(home: string, account = 'local') {
  expectSound(home);
  return inspect(home, (db) => {
    const balance = db
      .prepare<[string], number>('SELECT credits FROM accounts WHERE name = ?')
      .pluck()
      .get(account);
    const ledger = db
      .prepare<[string], { request_id: string; credits: number }>(
        'SELECT request_id, credits FROM ledger WHERE account = ? ORDER BY id',
      )
      .all(account);
    const spent = ledger.reduce((sum, { credits }) => sum + credits, 0);
    const paid = ledger.map(({ request_id }) => request_id).sort();
    return { balance, spent, granted: (balance ?? 0) + spent, paid };
  });
}

/** Source ids of the stand-in's papers that are on the shelf, in order. */
export function syncedPapers(home: string): string[] {
  return inspect(home, (db) =>
    db
      .prepare<[], string>(
        "SELECT source_id FROM paper WHERE source_id LIKE 'arxiv:2609.%' ORDER BY source_id",
      )
      .pluck()
      .all(),
  );
}
