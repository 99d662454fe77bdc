import type { LazyApp } from '../app/lazy-app.ts';
import { UsageError } from '../core/errors.ts';
import { nearest, printable } from '../core/input.ts';
import { run } from '../core/run.ts';
import { findOperation, operations } from '../operations.ts';
import type { Terminal } from './terminal.ts';

/** `quantshelf call`: prints the envelope of one operation. Throws a UsageError for an unknown one. */
export async function callOperation(
  app: LazyApp,
  { operation: name, input }: { operation: string; input: string },
  { log, print }: Terminal,
): Promise<number> {
  const operation = findOperation(name);
  if (operation === undefined) {
    const names = operations.map((each) => each.name);
    const near = nearest(name, names);
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
    throw new UsageError(
      `Unknown operation "${printable(name)}".${hint} The operations are: ${names.join(', ')}.`,
    );
  }
  const outcome = await run(operation, parseJson(input), { open: app.open, log });
  print(JSON.stringify(outcome.envelope, null, 2));
  return outcome.ok ? 0 : 1;
}

/** What is not JSON stays a text, which `run` refuses. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
