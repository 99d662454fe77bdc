import { randomUUID } from 'node:crypto';
import type { LazyApp } from '../app/lazy-app.ts';
import { UsageError } from '../config.ts';
import { invalidRequest } from '../core/errors.ts';
import { nearest, printable } from '../core/input.ts';
import type { Operation } from '../core/operation.ts';
import { type Outcome, run, toFailure } from '../core/run.ts';
import { findOperation, operations } from '../operations.ts';
import type { Terminal } from './terminal.ts';

/** `quantshelf call`: prints the envelope of one operation. Throws a UsageError for an unknown one. */
export async function callOperation(
  app: LazyApp,
  { operation: name, input }: { operation: string; input: string },
  { log, print }: Terminal,
): Promise<number> {
  const operation = findOperation(name);
  if (operation === undefined) throw unknownOperation(name);
  const parsed = parseJson(input);
  const outcome =
    'fault' in parsed
      ? await refuse(operation, parsed.fault, app, log)
      : await run(operation, parsed.value, { open: app.open, log });
  print(JSON.stringify(outcome.envelope, null, 2));
  return outcome.ok ? 0 : 1;
}

function parseJson(text: string): { value: unknown } | { fault: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return {
      fault: printable(error instanceof Error ? error.message : String(error), { most: 100 }),
    };
  }
}

function unknownOperation(name: string): UsageError {
  const names = operations.map((each) => each.name);
  const near = nearest(name, names);
  const meant = near === undefined ? '' : ` Did you mean "${near}"?`;
  return new UsageError(
    `Unknown operation "${printable(name)}".${meant} The operations are: ${names.join(', ')}.`,
  );
}

/** The outcome of a call whose arguments are not JSON. */
async function refuse(
  { name, example }: Operation,
  fault: string,
  app: LazyApp,
  log: (line: string) => void,
): Promise<Outcome> {
  const cause = invalidRequest(
    `The arguments of ${name} must be one JSON object, and these are not JSON: ${fault}. ` +
      `Write them like '${JSON.stringify(example)}', in single quotes for the shell.`,
  );
  const { account } = await app.open();
  return toFailure(cause, { requestId: randomUUID(), name, account, log });
}
