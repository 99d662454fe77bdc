import { describe, expect, it } from 'vitest';
import { notFound } from '../../../src/core/errors.ts';
import { call, operation, purse } from './probe.ts';

describe('run', () => {
  it('wraps an answer and charges its price under the request of the envelope', async () => {
    const { account, charged } = purse(5);
    const outcome = await call(
      operation(() => ({ answer: 42 })),
      { query: 'x' },
      account,
    );
    expect(outcome).toEqual({
      ok: true,
      status: 200,
      envelope: {
        data: { answer: 42 },
        meta: { creditsUsed: 1, remainingCredits: 4, requestId: 'request-1', asOf: '2026-01-01' },
      },
    });
    expect(charged).toEqual([{ operation: 'probe', credits: 1, requestId: 'request-1' }]);
  });

  it('checks arguments before it looks at the balance, and the balance before it works', async () => {
    const calls: string[] = [];
    const op = operation(() => ({ answer: 1 }), { calls });
    const broke = purse(0).account;
    const bad = await call(op, { query: 'x', other: 'bad' }, broke);
    expect(bad).toMatchObject({ status: 400, envelope: { error: { code: 'invalid_request' } } });
    const poor = await call(op, { query: 'x' }, broke);
    expect(poor).toMatchObject({
      status: 402,
      envelope: { error: { code: 'insufficient_credits' } },
    });
    expect(calls).toEqual(['check', 'check']);
  });

  it('tells which command grants more', async () => {
    const poor = await call(
      operation(() => ({ answer: 1 })),
      { query: 'x' },
      purse(0).account,
    );
    expect(JSON.stringify(poor.envelope)).toContain('quantshelf keys grant test');
  });

  it('answers free calls on an empty account', async () => {
    const { account, charged } = purse(0);
    const outcome = await call(
      operation(() => ({ answer: 1 }), { price: 0 }),
      { query: 'x' },
      account,
    );
    expect(outcome.ok).toBe(true);
    expect(charged).toEqual([]);
  });

  it('charges nothing for a failure, and keeps its words', async () => {
    const { account, charged } = purse(5);
    const op = operation(() => {
      throw notFound('No such thing. Take one from probe.', 'query');
    });
    const outcome = await call(op, { query: 'x' }, account);
    expect(outcome.envelope).toEqual({
      error: {
        code: 'not_found',
        message: 'No such thing. Take one from probe.',
        param: 'query',
        requestId: 'request-1',
      },
      meta: { creditsUsed: 0, remainingCredits: 5 },
    });
    expect(charged).toEqual([]);
  });

  it('hides a bug behind a fixed sentence and logs its cause under the request', async () => {
    const logged: string[] = [];
    const op = operation(() => {
      throw new Error('SELECT secret FROM /home/someone');
    });
    const outcome = await call(op, { query: 'x' }, purse(5).account, logged);
    expect(outcome.status).toBe(500);
    expect(JSON.stringify(outcome)).not.toContain('secret');
    expect(logged.join()).toContain('request-1');
    expect(logged.join()).toContain('SELECT secret');
  });

  it.each(['SQLITE_BUSY', 'SQLITE_IOERR_READ', 'SQLITE_CORRUPT_VTAB'])(
    'calls %s a shelf out of service, not a bug',
    async (code) => {
      const op = operation(() => {
        throw Object.assign(new Error('sql'), { code });
      });
      const outcome = await call(op, { query: 'x' }, purse(5).account);
      expect(outcome).toMatchObject({
        status: 503,
        envelope: { error: { code: 'service_unavailable' } },
      });
    },
  );

  it('says that the disk is full, and what helps', async () => {
    const op = operation(() => {
      throw Object.assign(new Error('sql'), { code: 'SQLITE_FULL' });
    });
    const outcome = await call(op, { query: 'x' }, purse(5).account);
    expect(outcome).toMatchObject({
      status: 503,
      envelope: {
        error: {
          code: 'service_unavailable',
          message: expect.stringMatching(/^The disk is full.* Free some space and call again\./),
        },
      },
    });
  });

  it('lets no field out that the output does not declare', async () => {
    const leak = await call(
      operation(() => ({ answer: 1, secret: 2 })),
      { query: 'x' },
      purse(5).account,
    );
    expect(leak).toMatchObject({ ok: true });
    expect(JSON.stringify(leak)).not.toContain('secret');
  });
});
