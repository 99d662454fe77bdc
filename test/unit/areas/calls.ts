import type { Context } from '../../../src/core/context.ts';
import type { Operation } from '../../../src/core/operation.ts';
import { type CallResult, run } from '../../../src/core/run.ts';

export const noModel: Context['embedQuery'] = async () => ({
  unavailable: 'Lexical search only: no model in this test.',
});

/** Calls an operation as the doors do; the account never runs out of credits. */
export function callWith(
  context: Omit<Context, 'report'>,
  operation: Operation,
  input: unknown,
  isForModel?: boolean,
): Promise<CallResult> {
  const account = { name: 'local', balance: () => 100, charge: () => 99 };
  return run(operation, input, {
    open: async () => ({ context, account }),
    log: (line) => process.stderr.write(`${line}\n`),
    isForModel,
  });
}

/** The envelope of a call that must succeed. */
export function successOf(result: CallResult) {
  if (!result.ok) throw new Error(result.envelope.error.message);
  return result.envelope;
}

/** The error of a call that must fail. */
export function errorOf(result: CallResult) {
  if (result.ok) throw new Error('the call did not fail');
  return result.envelope.error;
}
