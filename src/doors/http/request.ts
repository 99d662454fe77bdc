import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { RequestIdVariables } from 'hono/request-id';
import type { Account, Quota } from '../../core/context.ts';
import { invalidRequest, ServiceError } from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';
import { CANCELLED, type Caller, type CallOptions, type Outcome } from '../../core/run.ts';
import type { InFlight } from '../in-flight.ts';

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

const limitSize = bodyLimit({
  maxSize: 64 * 1024,
  onError() {
    throw new ServiceError('payload_too_large', 'The body must stay under 64 KiB.');
  },
});

/**
 * Leaves the text of the body in `c.var.body`. Throws `unsupported_media_type` unless it is JSON,
 * `payload_too_large` beyond 64 KiB, and `invalid_request` if it ends early or is not UTF-8.
 */
export const jsonBody: MiddlewareHandler<Env> = async (c, next) => {
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new ServiceError(
      'unsupported_media_type',
      'The body must be JSON in UTF-8: send the header "Content-Type: application/json".',
    );
  }
  try {
    // Its `next` is empty, so that an error of the handler does not count as one of the body.
    await limitSize(c, async () => {});
    // Not `c.req.text()`, which would replace what is not valid UTF-8.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await c.req.arrayBuffer());
    c.set('body', text);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalidRequest('The body is not valid UTF-8, or ended before its announced length.');
  }
  await next();
};
