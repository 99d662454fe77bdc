import { isIP } from 'node:net';
import type { MiddlewareHandler } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { bodyLimit } from 'hono/body-limit';
import type { Account, Quota } from '../../core/context.ts';
import {
  type ErrorCode,
  invalidRequest,
  ServiceError,
  serviceUnavailable,
} from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';
import {
  CANCELLED,
  type CallOptions,
  type CallResult,
  type OpenShelf,
  run,
} from '../../core/run.ts';
import { InFlight } from '../in-flight.ts';

/** State collected about a request on its way through the door. */
export interface RequestState {
  requestId: string;
  /** Set once the key is accepted. */
  account?: Account;
  quota?: Quota;
  /** Names of the operations called, and of the resources, prompts and completions read. */
  operations: string[];
  /** The request's calls and its streamed response. */
  inFlight: InFlight;
  /** Credits charged so far. */
  credits: number;
  /** Whether a call was cancelled, possibly after the head of a streamed response was sent. */
  isCancelled?: boolean;
}

export interface Env {
  Bindings: {
    /** Whether this client pipelines too many requests, or unread responses take up too much memory. */
    isFull?: boolean;
    /** Whether too many connections are busy. */
    isCrowded?: boolean;
  };
  Variables: {
    request: RequestState;
    /** Text of the body, on routes behind `jsonBody`. */
    body: string;
  };
}

/** Assigns our own request id, because the ledger records it; an id from the client is ignored. */
export const openRequest: MiddlewareHandler<Env> = async (c, next) => {
  const requestId = crypto.randomUUID();
  c.set('request', { requestId, operations: [], inFlight: new InFlight(), credits: 0 });
  await next();
};

/** The account of a request that has passed `requireKey`. */
export function accountOf({ account }: RequestState): Account {
  if (account === undefined) throw new Error('this route does not require a key');
  return account;
}

export type CallOperation = (
  operation: Operation,
  input: unknown,
  request: RequestState,
  options?: CallOptions,
) => Promise<CallResult>;

/** Creates a runner of operations. A call is in flight until it ends, even if its client disconnects. */
export function callFor(
  { openFor, log }: { openFor(account: Account): Promise<OpenShelf>; log(line: string): void },
  inFlight: InFlight,
): CallOperation {
  return (operation, input, request, options) => {
    const { requestId } = request;
    const open = () => openFor(accountOf(request));
    request.operations.push(operation.name);
    const work = async () => {
      const result = await run(operation, input, { ...options, requestId, log, open });
      if (result.ok) request.credits += operation.price;
      if (result.status === CANCELLED) request.isCancelled = true;
      return result;
    };
    return inFlight.track(request.inFlight.track(work()));
  };
}

/** Host names by which browsers on this machine reach the server; DNS rebinding cannot use them. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Headers that proxies and tunnels add to forwarded requests. */
const FORWARDED =
  /^(?:(?:x-)?forwarded|via|cdn-loop|(?:x-(?:forwarded|original|arr|amzn|azure)|cf|tailscale)-.*|x-(?:real|client|cluster-client)-ip|(?:true|fly|fastly)-client-ip|x-envoy-external-address)$/;

/** Whether an address is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** An address as written in a URL: IPv6 in brackets. */
export function inUrl(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/**
 * Creates a guard that throws `forbidden` for requests that a foreign web page makes the user's browser send, as
 * in DNS rebinding. The Host must name this server, and any Origin must have the same name and port. A server on
 * loopback accepts only the machine's own names as Host. Any other server also accepts IP addresses, because only
 * a name can be rebound. Allowed names are always accepted. A tunnel may send this machine's name as Host, so a
 * server on loopback rejects forwarded requests unless a name is allowed.
 */
export function createHostGuard(
  boundTo: string,
  allowed: readonly string[],
): (headers: Headers, host: string) => void {
  const allowedNames = new Set(allowed.map((name) => name.toLowerCase()));
  const names = new Set([...LOOPBACK_NAMES, inUrl(boundTo).toLowerCase(), ...allowedNames]);
  const takesAddresses = !isLoopback(boundTo);
  const isOurs = (name: string) =>
    names.has(name) || (takesAddresses && isIP(name.replace(/^\[|\]$/g, '')) !== 0);
  return (headers, host) => {
    const origin = headers.get('origin');
    const name = nameOf(host);
    if (name === undefined || !isOurs(name)) {
      refuse(
        'forbidden',
        'The Host header names another server. Call this one by its address, or start it with ' +
          '`--allow-host NAME` to serve it under that name.',
      );
    }
    if (
      isLoopback(boundTo) &&
      allowed.length === 0 &&
      [...headers.keys()].some((name) => FORWARDED.test(name))
    ) {
      refuse(
        'forbidden',
        'This request came through a proxy, but this server accepts calls only from its own machine. Start it with ' +
          '`--allow-host NAME` to serve other machines under that name.',
      );
    }
    if (origin === null) return;
    const [, tls, page = ''] = /^http(s?):\/\/([^/?#@]+)$/.exec(origin.toLowerCase()) ?? [];
    // Browsers omit the default port, but some proxies add it to the Host header.
    const addresses = [page, `${page}:${tls ? 443 : 80}`];
    // A page on another local port is a different origin and may be anyone's.
    if (!addresses.includes(host.toLowerCase()) && !allowedNames.has(nameOf(page) ?? '')) {
      refuse(
        'forbidden',
        'Pages from another origin may not call this server. Call it from a program, or start it ' +
          'with `--allow-host NAME` to accept pages from that host.',
      );
    }
  };
}

/** The name or address in `host[:port]`, in lower case; undefined if malformed. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(host.toLowerCase())?.[1];
}

/** Throws `service_unavailable`, with Retry-After, unless there is room for another call. */
export const requireRoom: MiddlewareHandler<Env> = async (c, next) => {
  const { isFull, isCrowded } = c.env ?? {};
  if (isFull) {
    c.header('Retry-After', '10');
    throw serviceUnavailable(
      'Too many requests are unanswered, or too many replies unread. Call again in ten seconds.',
    );
  }
  if (isCrowded) {
    c.header('Retry-After', '1');
    throw serviceUnavailable('Too many calls are in progress. Call again in a second.');
  }
  await next();
};

/** Identifies the account by the key in the Authorization header. Throws `unauthorized`. */
export function requireKey(
  findAccount: (key: string) => Promise<Account | undefined>,
): MiddlewareHandler<Env> {
  return bearerAuth<Env>({
    async verifyToken(key, c) {
      const account = await findAccount(key);
      if (account === undefined) return false;
      c.var.request.account = account;
      return true;
    },
    noAuthenticationHeader: { message: () => refuse('unauthorized', NO_KEY) },
    invalidAuthenticationHeader: { message: () => refuse('unauthorized', MALFORMED) },
    invalidToken: { message: () => refuse('unauthorized', UNKNOWN_KEY) },
  });
}

const NO_KEY =
  'This call needs a key: send the header "Authorization: Bearer <key>". `quantshelf keys create NAME` creates one.';
const MALFORMED = 'The header must read "Authorization: Bearer <key>", with one key.';
const UNKNOWN_KEY =
  'This key is unknown or was revoked. `quantshelf keys list` shows the names of keys; `quantshelf keys create NAME` creates a new one.';

/** Throws, even where Hono expects a message, so that our error handler answers. */
function refuse(code: ErrorCode, message: string): never {
  throw new ServiceError(code, message);
}

export type TakeCall = (account: string) => Quota | Promise<Quota>;

/** Counts the call against its key's rate limit; throws `rate_limited`. */
export function limitRate(takeCall: TakeCall): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { request } = c.var;
    const { name } = accountOf(request);
    request.quota = await takeCall(name);
    const { limit, resetSeconds, isSpent } = request.quota;
    if (isSpent) {
      refuse(
        'rate_limited',
        `The key "${name}" has used up its calls for this minute (limit: ${limit}). Call again in ${resetSeconds} s.`,
      );
    }
    await next();
  };
}

const limitSize = bodyLimit({
  maxSize: 64 * 1024,
  onError: () => refuse('payload_too_large', 'The body must be at most 64 KiB.'),
});

/**
 * Reads the body into `c.var.body`. Throws `unsupported_media_type` unless its Content-Type is JSON,
 * `payload_too_large` beyond 64 KiB, and `invalid_request` if it ends early or is not UTF-8.
 */
export const jsonBody: MiddlewareHandler<Env> = async (c, next) => {
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') {
    refuse(
      'unsupported_media_type',
      'The body must be JSON in UTF-8: send the header "Content-Type: application/json".',
    );
  }
  try {
    // The empty `next` keeps the handler's errors out of this `catch`.
    await limitSize(c, async () => {});
    // Not `c.req.text()`, which would replace invalid UTF-8.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await c.req.arrayBuffer());
    c.set('body', text);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalidRequest('The body is not valid UTF-8, or ended before its announced length.');
  }
  await next();
};
