import * as z from 'zod';
import type { Account, Context } from '../../../src/core/context.ts';
import { text } from '../../../src/core/fields.ts';
import { defineOperation, type Operation } from '../../../src/core/operation.ts';
import { run } from '../../../src/core/run.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { offline } from '../../context.ts';

const db = new Database(':memory:');
export const context: Context = {
  ...offline,
  db,
  now: () => new Date('2026-11-21T00:00:00Z'),
  embedQuery: async () => ({ unavailable: 'none' }),
};

/** An account in memory. */
export function purse(credits: number) {
  const charged: { operation: string; credits: number; requestId: string }[] = [];
  const account: Account = {
    name: 'test',
    balance: () => credits,
    charge(entry) {
      if (credits < entry.credits) return null;
      credits -= entry.credits;
      charged.push(entry);
      return credits;
    },
  };
  return { account, charged };
}

export function operation(handler: () => unknown, price = 1): Operation {
  return defineOperation({
    name: 'probe',
    title: 'Probe',
    description: 'Probes.',
    area: 'papers',
    price,
    method: 'POST',
    path: '/probe',
    input: z.object({ query: text(10, 'q') }),
    output: z.object({ answer: z.number() }),
    example: { query: 'x' },
    async handler() {
      const data = z.object({ answer: z.number() }).loose().parse(handler());
      return { data, meta: { asOf: '2026-01-01' } };
    },
  });
}

export function call(op: Operation, account: Account, logged: string[] = []) {
  return run(op, op.example, {
    open: async () => ({ context, account }),
    log: (line) => logged.push(line),
    requestId: 'request-1',
  });
}
