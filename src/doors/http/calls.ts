import { randomUUID } from 'node:crypto';
import type { Account } from '../../core/context.ts';
import type { Operation } from '../../core/operation.ts';
import type { Caller, CallOptions, Outcome } from '../../core/run.ts';
import { isLate } from '../../core/time.ts';
import { accountOf, type RequestContext } from './context.ts';

/** `run`, with the shelf that is served. */
export type RunCall = (
  operation: Operation,
  input: unknown,
  by: Required<Pick<Caller, 'requestId'>> & CallOptions & { account: Account },
) => Promise<Outcome>;

/** One call on behalf of a request. */
export type CallOperation = (
  operation: Operation,
  input: unknown,
  request: RequestContext,
  options?: CallOptions,
) => Promise<Outcome>;

/** A call counts as in flight until it has ended, even if the client has left. */
export function trackCalls(runCall: RunCall, inFlight: InFlightCounter): CallOperation {
  return async (operation, input, request, options) => {
    const account = accountOf(request);
    const leave = inFlight.enter();
    // Each call of an MCP batch has a ledger row of its own.
    const requestId = request.operations.length === 0 ? request.requestId : randomUUID();
    request.operations.push(operation.name);
    const running = runCall(operation, input, { ...options, account, requestId });
    request.running.add(running);
    try {
      const outcome = await running;
      if (outcome.ok) request.credits += operation.price;
      return outcome;
    } finally {
      request.running.delete(running);
      leave();
    }
  };
}

export type InFlightCounter = ReturnType<typeof createInFlightCounter>;

/** Counts work in flight, so that a shutdown can wait for it. */
export function createInFlightCounter() {
  let count = 0;
  let whenDrained = () => {};
  return {
    /** Begins one piece of work; the returned function ends it. */
    enter() {
      count += 1;
      return () => {
        count -= 1;
        if (count === 0) whenDrained();
      };
    },
    /** Resolves when nothing is in flight, or after `ms` milliseconds. */
    async drained(ms: number): Promise<void> {
      if (count === 0) return;
      const drained = new Promise<void>((resolve) => {
        whenDrained = resolve;
      });
      await isLate(drained, ms);
    },
  };
}
