import type { Context } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import type { Account, Quota } from '../../core/context.ts';
import type { ErrorStatus } from '../../core/errors.ts';
import { encodeBody } from './encoding.ts';

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
  /** Whether its only call was cancelled, perhaps after the head of a streamed answer was sent. */
  isCancelled?: boolean;
  /** Ends such an answer where it is. */
  endStream?: () => void;
}

/** Hono's environment at this door. */
export interface Env {
  Bindings: {
    /** Aborted, with what to answer, when the rest of the body will not come. */
    broken?: AbortSignal | undefined;
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

/** An answer with its length, which a HEAD has to tell without a body; compressed if it is long. */
export async function send(
  c: Context<Env>,
  status: 200 | 406 | 408 | ErrorStatus,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const encoded = await encodeBody(body, c.req.header('Accept-Encoding'));
  return c.body(encoded.bytes, status, {
    'Content-Type': 'application/json',
    ...encoded.headers,
    ...headers,
  });
}
