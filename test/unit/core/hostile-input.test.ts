import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/core/errors.ts';
import { parseInput } from '../../../src/core/input.ts';
import type { Operation } from '../../../src/core/operation.ts';
import { operations } from '../../../src/operations.ts';
import { anyText } from '../../arbitrary.ts';

/** Longer than any message needs to be, even with all argument names in it. */
const MAX_MESSAGE = 500;

/** The error for these arguments before any look-up, or null if they pass. */
function refusal(operation: Operation, input: unknown): ServiceError | null {
  try {
    const parsed = parseInput(operation, input);
    operation.check?.(parsed);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Fit to show to an agent: short, one line, nothing invisible. */
function expectClean({ code, message, param = '' }: ServiceError): void {
  const faulty = [message, param].filter(
    (said) => said.length >= MAX_MESSAGE || /[\p{C}\p{Zl}\p{Zp}<>]/u.test(said),
  );
  // No matcher on success, since this is called some 50,000 times.
  if (code === 'invalid_request' && faulty.length === 0) return;
  expect([code, ...faulty]).toEqual(['invalid_request']);
}

describe('arbitrary input', () => {
  it.each(operations)('is either accepted or cleanly rejected by $name', (operation) => {
    const names = fc.oneof(fc.constantFrom(...Object.keys(operation.input.shape)), fc.string());
    const values = fc.oneof(fc.jsonValue(), anyText(10), fc.double());
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(names, values), fc.jsonValue()), (input) => {
        const error = refusal(operation, input);
        if (error !== null) expectClean(error);
      }),
    );
  });

  it('is cleanly rejected if it is nested 100,000 levels deep', () => {
    let deep: unknown = 'x';
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    for (const operation of operations) {
      const names = Object.keys(operation.input.shape);
      const inputs = names.map((name) => ({ ...operation.example, [name]: deep }));
      for (const input of [deep, ...inputs]) {
        const error = refusal(operation, input);
        if (error === null) throw new Error(`${operation.name} took it`);
        expectClean(error);
      }
    }
  });
});
