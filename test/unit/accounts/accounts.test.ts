import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  accountMigrations,
  createCallLimiter,
  ensureLocalAccount,
  grantCredits,
  LOCAL_ACCOUNT,
  openAccount,
} from '../../../src/accounts/accounts.ts';
import { createKey, createKeyFinder, listKeys, revokeKey } from '../../../src/accounts/api-keys.ts';
import { AREAS, type Area } from '../../../src/core/area.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForWriting } from '../../../src/store/open.ts';
import { temporaryDirectory } from '../../temporary.ts';
import { call, operation } from '../core/probe.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const now = () => NOW;
let path: string;
let db: Database;
beforeEach(() => {
  path = join(temporaryDirectory(), 'store.sqlite');
  db = openForWriting(path);
  onTestFinished(() => void db.close());
  migrate(db, accountMigrations, NOW);
  ensureLocalAccount(db, 100, NOW);
});

const make = (name: string, credits = 10, scopes: readonly Area[] = AREAS) =>
  createKey(db, { name, credits, scopes }, NOW);
const find = (key: string) => createKeyFinder(db, now)(key);

describe('a key', () => {
  it('is stored as its SHA-256 hash, with only its prefix in plain text', () => {
    const { key } = make('ada');
    const stored = db.prepare('SELECT * FROM keys').get();
    expect(stored).toEqual({
      account: 'ada',
      prefix: key.slice(0, 11),
      hash: createHash('sha256').update(key).digest(),
      scopes: 'papers,macro,markets',
      revoked: null,
    });
    expect(JSON.stringify(stored)).not.toContain(key.slice(11));
  });

  it('opens its own account, with its own scopes and balance', () => {
    const { key } = make('ada', 7, ['markets', 'macro']);
    make('bob', 9);
    const account = find(key);
    expect(account).toMatchObject({ name: 'ada', scopes: ['macro', 'markets'] });
    expect(account?.charge({ operation: 'x', credits: 2, requestId: 'r' })).toBe(5);
    expect(listKeys(db).map(({ name, credits }) => [name, credits])).toEqual([
      ['local', 100],
      ['ada', 5],
      ['bob', 9],
    ]);
  });

  it('opens no account if any character is different, missing or extra', () => {
    const { key } = make('ada');
    const last = key.endsWith('a') ? 'b' : 'a';
    for (const wrong of [
      ...['', 'qs_', 'local', key.slice(0, -1), `${key}0`, key.toLowerCase().replace('qs_', 'QS_')],
      ...[`${key.slice(0, -1)}${last}`, key.slice(0, 11), `${key.slice(0, 11)}${'0'.repeat(24)}`],
      ...[`${key}\n`, ` ${key}`, `qs_${'é'.repeat(32)}`],
    ]) {
      expect(find(wrong), wrong).toBeUndefined();
    }
    expect(find(key)).toBeDefined();
  });

  it('that was revoked opens no account, even if it was used before, and keeps its first revocation time', () => {
    const { key } = make('ada');
    const finder = createKeyFinder(db, now);
    expect(finder(key)).toBeDefined();
    expect(revokeKey(db, 'ada', NOW)).toBe(NOW.toISOString());
    expect(finder(key)).toBeUndefined();
    // Revoking it again returns the first time.
    expect(revokeKey(db, 'ada', new Date('2027-01-01'))).toBe(NOW.toISOString());
    expect(listKeys(db)[1]).toMatchObject({ name: 'ada', revoked: NOW.toISOString() });
    expect(() => revokeKey(db, 'nobody', NOW)).toThrow(/no key/);
    expect(() => revokeKey(db, 'local', NOW)).toThrow(/has no key/);
  });

  it('has a unique name, which stays taken after the key is revoked', () => {
    make('ada');
    expect(() => make('ada')).toThrow(/already/);
    expect(() => make('local')).toThrow(/already/);
    revokeKey(db, 'ada', NOW);
    expect(() => make('ada')).toThrow(/already exists.*revoked key cannot be reused/);
    expect(db.prepare('SELECT count(*) FROM keys').pluck().get()).toBe(1);
  });

  it('can be granted credits up to the maximum balance', () => {
    make('ada', 5);
    expect(grantCredits(db, 'ada', 10)).toBe(15);
    expect(() => grantCredits(db, 'ada', 1e15)).toThrow(/at most/);
    expect(listKeys(db).find(({ name }) => name === 'ada')?.credits).toBe(15);
    expect(() => grantCredits(db, 'nobody', 7)).toThrow(/no account/);
  });
});

describe('the rate limit', () => {
  it('applies across all servers on the store', () => {
    const second = openForWriting(path);
    const [here, there] = [db, second].map((each) => createCallLimiter(each, 4, now));
    const passed = Array.from({ length: 4 }, () => [here?.('ada'), there?.('ada')]).flat();
    expect(passed.filter((quota) => quota?.isSpent === false)).toHaveLength(4);
    expect(here?.('ada').remaining).toBe(0);
    second.close();
  });

  it('starts over when the clock is set back, and never reports negative remaining calls', () => {
    let at = NOW.getTime();
    const now = () => new Date(at);
    const take = createCallLimiter(db, 2, now);
    take('ada');
    take('ada');
    at -= 3_600_000;
    expect(take('ada')).toMatchObject({ remaining: 1, resetSeconds: 60, isSpent: false });
    expect(createCallLimiter(db, 1, now)('ada')).toMatchObject({ remaining: 0, isSpent: true });
  });
});

describe('an account', () => {
  const open = (name: string) => openAccount(db, name, now);

  it('gets its initial credits only once', () => {
    ensureLocalAccount(db, 999, NOW);
    expect(open(LOCAL_ACCOUNT).balance()).toBe(100);
  });

  it('is never overdrawn, and its ledger accounts for every spent credit', () => {
    make('ada', 0);
    const account = open('ada');
    const spent = db.prepare<[], number>('SELECT coalesce(sum(credits), 0) FROM ledger').pluck();
    const step = fc.record({ grant: fc.boolean(), credits: fc.integer({ min: 1, max: 9 }) });
    let granted = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        for (const { grant, credits } of steps) {
          if (grant) {
            grantCredits(db, 'ada', credits);
            granted += credits;
          } else account.charge({ operation: 'x', credits, requestId: 'r' });
        }
        expect(account.balance()).toBeGreaterThanOrEqual(0);
        expect(granted - (spent.get() ?? 0)).toBe(account.balance());
      }),
    );
  });

  it('cannot pay for a call if another call spends the credits first', async () => {
    make('ada', 2);
    const account = open('ada');
    const dear = operation(() => {
      account.charge({ operation: 'other', credits: 1, requestId: 'request-2' });
      return { answer: 1 };
    }, 2);
    const result = await call(dear, account);
    expect(result.envelope).toEqual({
      error: expect.objectContaining({ code: 'insufficient_credits' }),
      meta: { creditsUsed: 0, remainingCredits: 1 },
    });
    const ledger = db.prepare('SELECT account, operation, credits, request_id FROM ledger').raw();
    expect(ledger.all()).toEqual([['ada', 'other', 1, 'request-2']]);
  });

  it('loses no credits when the ledger cannot be written', () => {
    const account = open(LOCAL_ACCOUNT);
    db.exec(`
      CREATE TRIGGER full BEFORE INSERT ON ledger
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    expect(() => account.charge({ operation: 'x', credits: 1, requestId: 'r' })).toThrow(/full/);
    expect(account.balance()).toBe(100);
  });
});
