import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { INTERNAL_ERROR_MESSAGE, ServiceError } from '../../../src/core/errors.ts';
import { run } from '../../../src/core/run.ts';
import { call, context, operation, purse } from './probe.ts';

const answers = () => operation(() => ({ answer: 1 }));
const fails = (thrown: unknown) =>
  operation(() => {
    throw thrown;
  });

describe('the balance', () => {
  it('is looked at against the whole price', async () => {
    const dear = operation(() => ({ answer: 1 }), { price: 3 });
    expect(await call(dear, { query: 'x' }, purse(2).account)).toMatchObject({ status: 402 });
    expect(await call(dear, { query: 'x' }, purse(3).account)).toMatchObject({
      ok: true,
      envelope: { meta: { creditsUsed: 3, remainingCredits: 0 } },
    });
  });
});

describe('an answer that breaks its own schema', () => {
  it('is a bug: nothing of it gets out, nothing is charged, the log says what was wrong', async () => {
    const logged: string[] = [];
    const { account, charged } = purse(5);
    const wrong = { ...answers(), output: z.object({ missing: z.string() }) };
    const outcome = await call(wrong, { query: 'x' }, account, logged);
    expect(outcome.envelope).toEqual({
      error: { code: 'internal_error', message: INTERNAL_ERROR_MESSAGE, requestId: 'request-1' },
      meta: { creditsUsed: 0, remainingCredits: 5 },
    });
    expect(charged).toEqual([]);
    expect(logged.join()).toMatch(/request-1 probe: .*missing/s);
  });
});

describe('whatever is thrown', () => {
  it.each([['a text'], [undefined], [null], [{ code: 'SQLITE_BUSY' }]])(
    '%j is a bug too',
    async (thrown) => {
      const outcome = await call(fails(thrown), { query: 'x' }, purse(5).account);
      expect(outcome).toMatchObject({
        status: 500,
        envelope: { error: { code: 'internal_error', message: INTERNAL_ERROR_MESSAGE } },
      });
    },
  );

  it.each(['SQLITE_ERROR', 'SQLITE_CONSTRAINT_CHECK', 'ERR_INVALID_ARG_TYPE', 'SQLITE'])(
    'an error of code %s is a bug, not a shelf out of service',
    async (code) => {
      const thrown = Object.assign(new Error('sql'), { code });
      const outcome = await call(fails(thrown), { query: 'x' }, purse(5).account);
      expect(outcome).toMatchObject({ status: 500 });
    },
  );

  it('keeps the cause of a known failure to the log', async () => {
    const logged: string[] = [];
    const thrown = new ServiceError('service_unavailable', 'Not now.');
    thrown.cause = new Error('an upstream said something');
    const outcome = await call(fails(thrown), { query: 'x' }, purse(5).account, logged);
    expect(JSON.stringify(outcome)).not.toContain('upstream');
    expect(logged.join()).toContain('request-1 probe: Error: an upstream said something');
  });

  it('says nothing in the log about a failure that is the caller’s', async () => {
    const logged: string[] = [];
    await call(answers(), {}, purse(5).account, logged);
    await call(answers(), { query: 'x' }, purse(0).account, logged);
    expect(logged).toEqual([]);
  });
});

describe('a shelf in trouble', () => {
  const locked = () => {
    throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' });
  };

  it('drops the answer that it cannot charge for', async () => {
    const account = { name: 'test', balance: () => 5, charge: locked };
    const outcome = await call(answers(), { query: 'x' }, account);
    expect(outcome).toMatchObject({ status: 503, envelope: { meta: { creditsUsed: 0 } } });
    expect(outcome.envelope).not.toHaveProperty('data');
  });

  it('fails with an error even where the balance cannot be read', async () => {
    const account = { name: 'test', balance: locked, charge: locked };
    const outcome = await call(answers(), { query: 'x' }, account);
    expect(outcome).toMatchObject({
      status: 503,
      envelope: { error: { code: 'service_unavailable' } },
    });
    expect(outcome.envelope).not.toHaveProperty('meta');
  });

  it('passes the words of a shelf that will not open on, without meta', async () => {
    const open = async () => {
      throw new ServiceError('service_unavailable', 'Set QUANTSHELF_HOME.');
    };
    const outcome = await run(answers(), { query: 'x' }, { open, log: () => {} });
    expect(outcome.envelope).toEqual({
      error: {
        code: 'service_unavailable',
        message: 'Set QUANTSHELF_HOME.',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
  });
});

it('gives every call a request of its own', async () => {
  const { account } = purse(5);
  const caller = { open: async () => ({ context, account }), log: () => {} };
  const ids = new Set<string>();
  for (const query of ['x', 'y', '']) {
    const { envelope } = await run(answers(), { query }, caller);
    ids.add('data' in envelope ? envelope.meta.requestId : envelope.error.requestId);
  }
  expect(ids.size).toBe(3);
});

describe('a fault of SQL', () => {
  const fault = Object.assign(new Error('no such column: title'), { code: 'SQLITE_ERROR' });
  const outcomeWhen = (isOutdated: () => boolean) =>
    run(
      fails(fault),
      { query: 'x' },
      { open: async () => ({ context, account: purse(5).account, isOutdated }), log: () => {} },
    );

  it('on a store that a newer version changed asks for a restart', async () => {
    expect((await outcomeWhen(() => true)).envelope).toMatchObject({
      error: { code: 'service_unavailable', message: expect.stringMatching(/Restart this one/) },
    });
  });

  it('is a bug where the store cannot say', async () => {
    const mute = () => {
      throw new Error('gone');
    };
    expect((await outcomeWhen(mute)).status).toBe(500);
  });
});
