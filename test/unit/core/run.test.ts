import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import type { Account } from '../../../src/core/context.ts';
import { INTERNAL_ERROR_MESSAGE, ServiceError } from '../../../src/core/errors.ts';
import { defineOperation, type Operation } from '../../../src/core/operation.ts';
import { CANCELLED, readShelf, run } from '../../../src/core/run.ts';
import { call, context, operation, purse } from './probe.ts';

/* Cases that end-to-end tests cannot provoke; the tests of parity, cancelling and charging cover the rest. */

const answers = () => operation(() => ({ answer: 1 }));
const fails = (thrown: unknown) =>
  operation(() => {
    throw thrown;
  });

const coded = (code: string) => Object.assign(new Error(code), { code });

it.each([
  [coded('SQLITE_BUSY'), 503],
  [coded('SQLITE_CORRUPT_VTAB'), 503],
  [coded('SQLITE_FULL'), 503],
  [coded('ENOSPC'), 503],
  [coded('SQLITE_ERROR'), 500],
  [coded('ERR_INVALID_ARG_TYPE'), 500],
  ['a text', 500],
  [undefined, 500],
  [null, 500],
  [{ code: 'SQLITE_BUSY' }, 500],
])('a call whose handler throws %s fails with status %i', async (thrown, status) => {
  const result = await call(fails(thrown), purse(5).account);
  const code = status === 500 ? 'internal_error' : 'service_unavailable';
  expect(result).toMatchObject({ status, envelope: { error: { code } } });
});

it('a reply contains only fields that the output schema declares', async () => {
  const leaky = operation(() => ({ answer: 1, secret: 2 }));
  const { envelope } = await call(leaky, purse(5).account);
  expect(envelope).toEqual({ data: { answer: 1 }, meta: expect.anything() });
});

it('a reply that breaks its own schema is withheld without a charge, and the log names the fault', async () => {
  const logged: string[] = [];
  const { account, charged } = purse(5);
  const wrong = { ...answers(), output: z.object({ missing: z.string() }) };
  const result = await call(wrong, account, logged);
  expect(result.envelope).toEqual({
    error: { code: 'internal_error', message: INTERNAL_ERROR_MESSAGE, requestId: 'request-1' },
    meta: { creditsUsed: 0, remainingCredits: 5 },
  });
  expect(charged).toEqual([]);
  expect(logged.join()).toMatch(/request-1 probe: .*missing/s);
});

it('the cause of a known failure appears only in the log', async () => {
  const logged: string[] = [];
  const thrown = new ServiceError('service_unavailable', 'Not now.');
  thrown.cause = new Error('an upstream said something');
  const result = await call(fails(thrown), purse(5).account, logged);
  expect(JSON.stringify(result)).not.toContain('upstream');
  expect(logged.join()).toContain('request-1 probe: Error: an upstream said something');
});

const locked = () => {
  throw coded('SQLITE_BUSY');
};

it.each([
  ['the charge fails', () => 5, { creditsUsed: 0, remainingCredits: 5 }],
  ['the charge fails and the balance cannot be read', locked, undefined],
])('a reply is replaced by an error if %s', async (_, balance, meta) => {
  const account = { name: 'test', balance, charge: locked };
  const { envelope } = await call(answers(), account);
  const error = expect.objectContaining({ code: 'service_unavailable' });
  expect(envelope).toEqual({ error, ...(meta && { meta }) });
});

/** A call with a signal; `logged` has its log lines and progress messages. */
function start(op: Operation, account: Account, signal: AbortSignal) {
  const logged: string[] = [];
  const log = (line: string) => logged.push(line);
  const open = async () => ({ context, account });
  return { logged, result: run(op, { query: 'x' }, { open, log, report: log, signal }) };
}

describe('a call that is cancelled', () => {
  it('before it begins neither runs its handler nor charges anything', async () => {
    const { account, charged } = purse(5);
    const handler = vi.fn(() => ({ answer: 1 }));
    const { result } = start(operation(handler), account, AbortSignal.abort());
    expect(await result).toMatchObject({ ok: false, status: CANCELLED });
    expect(handler).not.toHaveBeenCalled();
    expect(charged).toEqual([]);
  });

  it('sees its signal aborted, and counts as cancelled whatever it throws afterwards', async () => {
    const cancelling = new AbortController();
    const op = defineOperation({
      ...answers(),
      async handler(_, { signal, report }) {
        cancelling.abort();
        report('nobody listens');
        expect(signal.aborted).toBe(true);
        throw new TypeError('the database connection is not open');
      },
    });
    const { result, logged } = start(op, purse(5).account, cancelling.signal);
    expect((await result).status).toBe(CANCELLED);
    expect(logged).toEqual([]);
  });

  it('after its charge was committed is still answered', async () => {
    const cancelling = new AbortController();
    const { account, charged } = purse(5);
    const charge: Account['charge'] = (entry, signal) => {
      const remaining = account.charge(entry, signal);
      cancelling.abort();
      return remaining;
    };
    const { result } = start(answers(), { ...account, charge }, cancelling.signal);
    expect(await result).toMatchObject({ ok: true, envelope: { meta: { creditsUsed: 1 } } });
    expect(charged).toHaveLength(1);
  });
});

it('a resource is given only a read-only connection, the clock, the reading policy and whether it is offline', async () => {
  const open = async () => ({ context, account: purse(0).account });
  const subject = { name: 'resource:probe', area: 'papers' } as const;
  const keys = await readShelf(subject, Object.keys, { open, log: () => {} });
  expect(keys).toEqual({ ok: true, value: ['db', 'now', 'policy', 'isOffline'] });
});
