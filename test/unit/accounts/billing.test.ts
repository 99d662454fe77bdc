import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  accountMigrations,
  chargeWhenFree,
  ensureLocalAccount,
  grantCredits,
  LOCAL_ACCOUNT,
  openAccount,
} from '../../../src/accounts/accounts.ts';
import type { Context } from '../../../src/core/context.ts';
import { notFound } from '../../../src/core/errors.ts';
import { defineOperation, type Operation } from '../../../src/core/operation.ts';
import { run } from '../../../src/core/run.ts';
import { pause } from '../../../src/core/time.ts';
import { neverBlock } from '../../../src/store/busy.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openForReading, openForWriting } from '../../../src/store/open.ts';
import { offline } from '../../context.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
let directory: string;
let db: Database;
let reader: Database;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'quantshelf-billing-'));
  const path = join(directory, 'store.sqlite');
  db = openForWriting(path);
  migrate(db, accountMigrations, NOW);
  ensureLocalAccount(db, 0, NOW);
  reader = openForReading(path);
});
afterEach(() => {
  reader.close();
  db.close();
  rmSync(directory, { recursive: true });
});

const now = () => NOW;
const account = () => openAccount(db, LOCAL_ACCOUNT, now);
const ledger = () => db.prepare('SELECT account, operation, credits, request_id FROM ledger').all();

function priced(price: number, work: () => void): Operation {
  return defineOperation({
    name: 'probe',
    title: 'Probe',
    description: 'Probes.',
    area: 'papers',
    price,
    method: 'POST',
    path: '/probe',
    input: z.object({}),
    output: z.string(),
    example: {},
    async handler() {
      work();
      return { data: 'answer', meta: { asOf: '2026-01-01' } };
    },
  });
}

function call(operation: Operation) {
  const context: Context = {
    ...offline,
    db: reader,
    now,
    embedQuery: async () => ({ unavailable: 'no model in this test' }),
  };
  return run(
    operation,
    {},
    { open: async () => ({ context, account: account() }), log: () => {}, requestId: 'request-1' },
  );
}

describe('a call on a real account', () => {
  it('leaves one ledger row under the request of its answer', async () => {
    grantCredits(db, LOCAL_ACCOUNT, 5);
    const { envelope } = await call(priced(2, () => {}));
    expect(envelope.meta).toMatchObject({
      creditsUsed: 2,
      remainingCredits: 3,
      requestId: 'request-1',
    });
    expect(ledger()).toEqual([
      { account: 'local', operation: 'probe', credits: 2, request_id: 'request-1' },
    ]);
  });

  it('gets no answer when another call spends the credits while it works', async () => {
    grantCredits(db, LOCAL_ACCOUNT, 2);
    const other = { operation: 'other', credits: 1, requestId: 'request-2' };
    const outcome = await call(priced(2, () => account().charge(other)));
    expect(outcome).toMatchObject({
      status: 402,
      envelope: {
        error: { code: 'insufficient_credits' },
        meta: { creditsUsed: 0, remainingCredits: 1 },
      },
    });
    expect(JSON.stringify(outcome)).not.toContain('answer');
    expect(ledger()).toHaveLength(1);
  });

  it('leaves no trace when it is free or fails', async () => {
    grantCredits(db, LOCAL_ACCOUNT, 2);
    await call(priced(0, () => {}));
    const failing = priced(2, () => {
      throw notFound('None.');
    });
    expect(await call(failing)).toMatchObject({ status: 404 });
    expect(ledger()).toEqual([]);
    expect(account().balance()).toBe(2);
  });
});

describe('charging', () => {
  it('takes nothing when the ledger cannot be written', () => {
    grantCredits(db, LOCAL_ACCOUNT, 5);
    const entry = { operation: 'x', credits: 1, requestId: 'r' };
    db.exec(`
      CREATE TRIGGER full BEFORE INSERT ON ledger
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    expect(() => account().charge(entry)).toThrow('the disk is full');
    expect(account().balance()).toBe(5);
  });

  it('takes the last credit, and then no more', () => {
    grantCredits(db, LOCAL_ACCOUNT, 3);
    expect(account().charge({ operation: 'x', credits: 3, requestId: 'r1' })).toBe(0);
    expect(account().charge({ operation: 'x', credits: 1, requestId: 'r2' })).toBeNull();
  });

  it('has nothing to take from an account that does not exist', () => {
    const stranger = openAccount(db, 'nobody', now);
    expect(stranger.balance()).toBe(0);
    expect(stranger.charge({ operation: 'x', credits: 1, requestId: 'r' })).toBeNull();
    expect(ledger()).toEqual([]);
  });
});

describe('charging while another process writes', () => {
  const entry = { operation: 'x', credits: 1, requestId: 'r' };

  /** Another connection that holds the write lock until it is released. */
  function lock(): () => void {
    const other = openForWriting(db.name);
    other.exec('BEGIN IMMEDIATE');
    return () => {
      if (other.open) other.exec('COMMIT').close();
    };
  }

  it('waits without holding up anything else, and takes the credits once', async () => {
    grantCredits(db, LOCAL_ACCOUNT, 5);
    neverBlock(db);
    const release = lock();
    let left: number | null | undefined;
    const charging = Promise.resolve(
      chargeWhenFree(account()).charge(entry, new AbortController().signal),
    ).then((credits) => {
      left = credits;
    });
    // Timers go on meanwhile.
    for (let tick = 0; tick < 5; tick += 1) await pause(10);
    expect(left).toBeUndefined();
    release();
    await charging;
    expect(left).toBe(4);
    expect(ledger()).toHaveLength(1);
  });

  it('takes nothing when it is cancelled meanwhile', async () => {
    grantCredits(db, LOCAL_ACCOUNT, 5);
    neverBlock(db);
    const release = lock();
    const cancelling = new AbortController();
    const charging = chargeWhenFree(account()).charge(entry, cancelling.signal);
    cancelling.abort('cancelled');
    await expect(charging).rejects.toBe('cancelled');
    release();
    await pause(20);
    expect(account().balance()).toBe(5);
    expect(ledger()).toEqual([]);
  });
});
