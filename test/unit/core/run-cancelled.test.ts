import { describe, expect, it } from 'vitest';
import type { Account } from '../../../src/core/context.ts';
import { defineOperation } from '../../../src/core/operation.ts';
import { CANCELLED, run } from '../../../src/core/run.ts';
import { context, operation, purse } from './probe.ts';

const work = (handler: () => unknown = () => ({ answer: 1 })) => operation(handler);

/** A call with a signal; `logged` holds what it wrote. */
function start(op: ReturnType<typeof work>, account: Account, signal: AbortSignal) {
  const logged: string[] = [];
  const log = (line: string) => logged.push(line);
  const open = async () => ({ context, account });
  return { logged, outcome: run(op, { query: 'x' }, { open, log, signal, requestId: 'r' }) };
}

describe('a call that is cancelled', () => {
  it('before it begins does nothing at all', async () => {
    const { account, charged } = purse(5);
    const calls: string[] = [];
    const op = operation(() => ({ answer: 1 }), { calls });
    const { outcome } = start(op, account, AbortSignal.abort());
    expect(await outcome).toMatchObject({ ok: false, status: CANCELLED });
    expect(calls).toEqual([]);
    expect(charged).toEqual([]);
  });

  it.each([1, 0])(
    'while it works costs nothing, at a price of %i, and logs nothing',
    async (price) => {
      const { account, charged } = purse(5);
      const cancelling = new AbortController();
      const op = operation(
        () => {
          cancelling.abort();
          return { answer: 1 };
        },
        { price },
      );
      const { outcome, logged } = start(op, account, cancelling.signal);
      expect(await outcome).toMatchObject({
        status: CANCELLED,
        envelope: { error: { requestId: 'r' }, meta: { creditsUsed: 0, remainingCredits: 5 } },
      });
      expect(charged).toEqual([]);
      expect(logged).toEqual([]);
    },
  );

  it('hears so in its signal, and whatever it then throws is no failure', async () => {
    const cancelling = new AbortController();
    const op = defineOperation({
      ...work(),
      async handler(_, { signal, report }) {
        cancelling.abort();
        report('nobody listens');
        expect(signal.aborted).toBe(true);
        throw new TypeError('the database connection is not open');
      },
    });
    const reported: string[] = [];
    const logged: string[] = [];
    const outcome = await run(
      op,
      { query: 'x' },
      {
        open: async () => ({ context, account: purse(5).account }),
        log: (line) => logged.push(line),
        report: (message) => reported.push(message),
        signal: cancelling.signal,
      },
    );
    expect(outcome.status).toBe(CANCELLED);
    expect(logged).toEqual([]);
    expect(reported).toEqual([]);
  });

  it('while its charge waits is not charged', async () => {
    const cancelling = new AbortController();
    const account: Account = {
      ...purse(5).account,
      charge: async (_, signal) => {
        cancelling.abort();
        signal.throwIfAborted();
        return 4;
      },
    };
    const { outcome } = start(work(), account, cancelling.signal);
    expect(await outcome).toMatchObject({ status: CANCELLED });
  });

  it('after its charge was committed has been answered', async () => {
    const cancelling = new AbortController();
    const { account, charged } = purse(5);
    const charge: Account['charge'] = (entry, signal) => {
      const left = account.charge(entry, signal);
      cancelling.abort();
      return left;
    };
    const { outcome } = start(work(), { ...account, charge }, cancelling.signal);
    expect(await outcome).toMatchObject({ ok: true, envelope: { meta: { creditsUsed: 1 } } });
    expect(charged).toHaveLength(1);
  });
});
