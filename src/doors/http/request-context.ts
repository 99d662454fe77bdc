import { randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import type { Account, Quota } from '../../core/context.ts';
import type { ErrorStatus } from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';
import { CANCELLED, type Caller, type CallOptions, type Outcome } from '../../core/run.ts';

/** What becomes known of a request on its way through the door. */
export interface RequestContext {
  requestId: string;
  /** Set once the key is known. */
  account?: Account;
  quota?: Quota;
  /** Names of the operations called; an MCP batch may call several. */
  operations: string[];
  /** Calls that have not ended. */
  running: Set<Promise<unknown>>;
  /** Credits charged so far. */
  credits: number;
  /** Resolves when a streamed answer has ended; undefined if the answer is not a stream. */
  streamEnded?: Promise<void>;
  /** Whether a call was cancelled, perhaps after the head of a streamed answer was sent. */
  isCancelled?: boolean;
}

/** Hono's environment at this door. */
export interface Env {
  Bindings: {
    /** Whether the answers that clients have not read leave no room for others. */
    isFull?: boolean;
  };
  Variables: RequestIdVariables & {
    request: RequestContext;
    /** Text of the body, on routes behind `jsonBody`. */
    body: string;
  };
}

/** The account of a request that has passed `requireKey`. */
export function accountOf({ account }: RequestContext): Account {
  if (account === undefined) throw new Error('this route asks for no key');
  return account;
}

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

/** A call is in flight until it has ended, even if the client has left. */
export function trackCalls(runCall: RunCall, inFlight: InFlight): CallOperation {
  return async (operation, input, request, options) => {
    const account = accountOf(request);
    // Each call of an MCP batch has a ledger row of its own.
    const requestId = request.operations.length === 0 ? request.requestId : randomUUID();
    request.operations.push(operation.name);
    const work = async () => {
      const outcome = await runCall(operation, input, { ...options, account, requestId });
      if (outcome.ok) request.credits += operation.price;
      if (outcome.status === CANCELLED) request.isCancelled = true;
      return outcome;
    };
    const running = inFlight.track(work());
    request.running.add(running);
    return running.finally(() => request.running.delete(running));
  };
}

/** Work that a shutdown waits for. */
export class InFlight {
  readonly #work = new Set<Promise<unknown>>();

  track<T>(work: Promise<T>): Promise<T> {
    this.#work.add(work);
    return work.finally(() => this.#work.delete(work));
  }

  /** Resolves when nothing is in flight. */
  async ended(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }
}

/**
 * An answer with its length, which a HEAD has to tell without a body. As bytes, because Node reserves
 * three times its length for a string that it sends.
 */
export function send(
  c: Context<Env>,
  status: 200 | ErrorStatus,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const bytes = new TextEncoder().encode(body);
  return c.body(bytes, status, {
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
    ...headers,
  });
}
