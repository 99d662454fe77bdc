import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  accountMigrations,
  ensureLocalAccount,
  grantCredits,
  LOCAL_ACCOUNT,
  openAccount,
} from '../../../src/accounts/accounts.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { call, operation } from '../core/probe.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
let directory: string;
let path: string;
let db: Database;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-accounts-'));
  path = join(directory, 'store.sqlite');
  db = openForWriting(path);
  migrate(db, accountMigrations, NOW);
});
afterEach(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

const spent = () =>
  db.prepare<[], number>('SELECT coalesce(sum(credits), 0) FROM ledger').pluck().get() ?? 0;

describe('an account', () => {
  it('is granted its credits once', () => {
    ensureLocalAccount(db, 100, NOW);
    ensureLocalAccount(db, 999, NOW);
    expect(openAccount(db, LOCAL_ACCOUNT, () => NOW).balance()).toBe(100);
  });

  it('keeps a ledger row of every charge, with the request that it belongs to', () => {
    ensureLocalAccount(db, 5, NOW);
    const account = openAccount(db, LOCAL_ACCOUNT, () => NOW);
    expect(account.charge({ operation: 'paper_search', credits: 2, requestId: 'r1' })).toBe(3);
    expect(account.charge({ operation: 'paper_search', credits: 4, requestId: 'r2' })).toBeNull();
    expect(
      db.prepare('SELECT at, account, operation, credits, request_id FROM ledger').all(),
    ).toEqual([
      {
        at: NOW.toISOString(),
        account: 'local',
        operation: 'paper_search',
        credits: 2,
        request_id: 'r1',
      },
    ]);
  });

  it('never overdraws, and the ledger tells where every credit went', () => {
    ensureLocalAccount(db, 0, NOW);
    const account = openAccount(db, LOCAL_ACCOUNT, () => NOW);
    const step = fc.record({ grant: fc.boolean(), credits: fc.integer({ min: 1, max: 9 }) });
    let granted = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        for (const { grant, credits } of steps) {
          if (grant) {
            grantCredits(db, LOCAL_ACCOUNT, credits);
            granted += credits;
          }
          if (!grant) account.charge({ operation: 'x', credits, requestId: 'r' });
        }
        expect(account.balance()).toBeGreaterThanOrEqual(0);
        expect(granted - spent()).toBe(account.balance());
      }),
    );
  });
});

const account = () => openAccount(db, LOCAL_ACCOUNT, () => NOW);
const ledger = () => db.prepare('SELECT * FROM ledger').all();

describe('a call on a real account', () => {
  it('gets no answer when another call spends the credits while it works', async () => {
    ensureLocalAccount(db, 2, NOW);
    const other = { operation: 'other', credits: 1, requestId: 'request-2' };
    const dear = operation(
      () => {
        account().charge(other);
        return { answer: 1 };
      },
      { price: 2 },
    );
    const outcome = await call(dear, { query: 'x' }, account());
    expect(outcome).toMatchObject({
      status: 402,
      envelope: {
        error: { code: 'insufficient_credits' },
        meta: { creditsUsed: 0, remainingCredits: 1 },
      },
    });
    expect(outcome.envelope).not.toHaveProperty('data');
    expect(ledger()).toHaveLength(1);
  });
});

describe('charging', () => {
  it('takes nothing when the ledger cannot be written', () => {
    ensureLocalAccount(db, 5, NOW);
    const entry = { operation: 'x', credits: 1, requestId: 'r' };
    db.exec(`
      CREATE TRIGGER full BEFORE INSERT ON ledger
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    expect(() => account().charge(entry)).toThrow('the disk is full');
    expect(account().balance()).toBe(5);
  });
});
