import { randomUUID } from 'node:crypto';
import { Hono, type Context as HonoContext } from 'hono';
import type { Account, Quota } from '../core/context.ts';
import { invalidRequest, notFound, ServiceError } from '../core/errors.ts';
import type { Operation } from '../core/operation.ts';
import { type Caller, type Outcome, requireScope, settleFailure } from '../core/run.ts';
import { decodeQuery, parseObject, readBody, requireJson } from './http-decode.ts';
import { identify } from './http-key.ts';
import { countCalls, createMcpEndpoint } from './http-mcp.ts';
import { accessLine, commonHeaders, respond, type Visit, watchEnd } from './http-visit.ts';
import { createMcpServer } from './mcp.ts';
import { createTally } from './tally.ts';

/** Longest address that is taken, path and query, in characters. */
const MAX_URL = 8_192;

/** What the door is given: it decides nothing about accounts, prices or the shelf. */
export interface HttpDoorOptions {
  table: readonly Operation[];
  version: string;
  /** Throws `forbidden` for a Host, or an Origin, that is not this server's. */
  checkOrigin(host: string, origin: string | null): void;
  /** Whether a newer version has changed the store under this process. */
  isOutdated?(): boolean;
  /** Whose key it is; undefined for one that opens nothing. */
  findAccount(key: string): Account | undefined;
  /** Counts one call of an account. */
  takeCall(account: string): Quota | Promise<Quota>;
  /** `run`, with the shelf that is served. */
  call(
    operation: Operation,
    input: unknown,
    by: Required<Pick<Caller, 'requestId'>> & Pick<Caller, 'report'> & { account: Account },
  ): Promise<Outcome>;
  /** What anyone may read, by its path. */
  pages: Readonly<Record<string, Page>>;
  now(): Date;
  log(line: string): void;
}

/** A document served as it is. */
export interface Page {
  body: string;
  headers: Readonly<Record<string, string>>;
}

export interface HttpDoor {
  fetch(request: Request): Promise<Response>;
  /** Refuses new calls and settles when those that run have ended, or after `ms`. */
  drain(ms: number): Promise<void>;
}

interface Env {
  Bindings: { visit: Visit };
}
type Handler = (request: Request, visit: Visit, path: Record<string, string>) => Promise<Response>;

/**
 * The table as REST routes, and MCP, behind keys. Checks in this order: Host and Origin, route,
 * method, key, rate, scope, content type and size, JSON; what follows is `run`.
 */
export function createHttpDoor(options: HttpDoorOptions): HttpDoor {
  const { table, log } = options;
  const tally = createTally();
  let isDraining = false;
  const visits = new WeakMap<Request, Visit>();
  const mcp = createMcpEndpoint((request) => {
    const visit = visits.get(request);
    if (visit === undefined) throw new Error('an MCP request that came through no door');
    return createMcpServer(
      table,
      (operation, input, report) => call(operation, input, visit, report),
      options.version,
    );
  }, log);

  /** One call, counted until it has ended, whatever becomes of the connection. */
  async function call(
    operation: Operation,
    input: unknown,
    visit: Visit,
    report?: Caller['report'],
  ): Promise<Outcome> {
    const { account } = visit;
    if (account === undefined) throw new Error('a call without an account');
    const leave = tally.enter();
    // A batch over MCP holds several calls; the ledger tells them apart.
    const requestId = visit.operations.length === 0 ? visit.requestId : randomUUID();
    visit.operations.push(operation.name);
    try {
      const outcome = await options.call(operation, input, { account, requestId, report });
      if (outcome.ok) visit.credits += operation.price;
      return outcome;
    } finally {
      leave();
    }
  }

  async function admit(request: Request, visit: Visit): Promise<Account> {
    const account = identify(request.headers.get('authorization'), options.findAccount);
    visit.account = account;
    await countCall(visit, account);
    return account;
  }

  async function countCall(visit: Visit, account: Account): Promise<void> {
    visit.quota = await options.takeCall(account.name);
    if (!visit.quota.isSpent) return;
    const { limit, resetSeconds } = visit.quota;
    throw new ServiceError(
      'rate_limited',
      `The key "${account.name}" may make ${limit} calls a minute. Call again in ${resetSeconds} s.`,
    );
  }

  function rest(operation: Operation): Handler {
    const decode = async (request: Request, path: Record<string, string>): Promise<unknown> => {
      const query = new URL(request.url).searchParams;
      if (operation.method === 'GET') return decodeQuery(operation, query, path);
      requireJson(request.headers);
      const input = parseObject(operation, await readBody(request));
      // Overlooking them in silence would answer another question than was asked.
      if (query.size > 0) throw invalidRequest(`${operation.name} ${TAKES_BODY}`);
      return { ...input, ...path };
    };
    return async (request, visit, path) => {
      requireScope(operation, await admit(request, visit));
      const input = await decode(request, path);
      const { status, envelope } = await call(operation, input, visit);
      return respond(visit, status, JSON.stringify(envelope));
    };
  }

  async function serveMcp(request: Request, visit: Visit): Promise<Response> {
    const account = await admit(request, visit);
    requireJson(request.headers);
    const body = await readBody(request);
    for (let calls = countCalls(body); calls > 1; calls -= 1) await countCall(visit, account);
    visits.set(request, visit);
    const response = await mcp.fetch(request, body);
    const headers = new Headers(response.headers);
    for (const [header, value] of Object.entries(commonHeaders(visit))) headers.set(header, value);
    const init = { status: response.status, headers };
    if (headers.get('content-type') !== 'text/event-stream' || response.body === null) {
      return new Response(response.body, init);
    }
    const { body: stream, ended } = watchEnd(response.body);
    visit.ended = ended;
    // A stream that answers a call is waited for; one that only listens has no end of its own.
    if (visit.operations.length > 0) void ended.then(tally.enter());
    return new Response(stream, init);
  }

  const routes = new Map<string, Map<string, Handler>>();
  const addRoute = (path: string, method: string, handler: Handler) => {
    routes.set(path, (routes.get(path) ?? new Map()).set(method, handler));
  };
  for (const [path, { body, headers }] of Object.entries(options.pages)) {
    addRoute(path, 'GET', async (_, visit) => respond(visit, 200, body, headers));
  }
  addRoute('/health', 'GET', async (_, visit) =>
    respond(visit, 200, JSON.stringify({ status: 'ok', version: options.version })),
  );
  addRoute('/mcp', 'POST', serveMcp);
  for (const operation of table) addRoute(operation.path, operation.method, rest(operation));

  const app = new Hono<Env>({ strict: false });
  const fail = (cause: unknown, c: HonoContext<Env>, headers: Record<string, string> = {}) => {
    const { visit } = c.env;
    const { requestId, account } = visit;
    const { isOutdated } = options;
    const failed = settleFailure(cause, { requestId, name: 'http', account, isOutdated, log });
    const said = { ...errorHeaders(cause, visit), ...headers };
    return respond(visit, failed.status, JSON.stringify(failed.envelope), said);
  };
  app.use(async (c, next) => {
    const { headers, url } = c.req.raw;
    options.checkOrigin(headers.get('host') ?? new URL(url).host, headers.get('origin'));
    if (isDraining) throw new ServiceError('service_unavailable', SHUTTING_DOWN);
    if (url.length > MAX_URL) throw new ServiceError('invalid_request', LONG_URL);
    await next();
  });
  // Fixed paths before those with an argument, which would take them for its value.
  const paths = [...routes].sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')));
  for (const [path, methods] of paths) {
    const allow = [...methods.keys()].flatMap((m) => (m === 'GET' ? ['GET', 'HEAD'] : [m]));
    app.all(path.replace(/\{(\w+)\}/g, ':$1'), (c) => {
      // A HEAD does all that a GET does, its price included; Hono keeps the body back.
      const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
      const handler = methods.get(method);
      if (handler !== undefined) return handler(c.req.raw, c.env.visit, c.req.param());
      const takes = allow.join(', ');
      const error = new ServiceError('method_not_allowed', `This address takes ${takes}.`);
      return fail(error, c, { Allow: takes });
    });
  }
  app.notFound((c) => fail(notFound(NO_ROUTE), c));
  app.onError((error, c) => fail(error, c));

  return {
    async fetch(request) {
      const visit: Visit = {
        ...{ requestId: randomUUID(), started: performance.now() },
        ...{ operations: [], credits: 0 },
      };
      const leave = tally.enter();
      try {
        const response = await app.fetch(request, { visit });
        const { pathname } = new URL(request.url);
        const asked = { method: request.method, path: pathname };
        const say = () => log(accessLine(visit, asked, response.status, options.now()));
        // Over a stream the call may only have begun.
        if (visit.ended === undefined) say();
        else void visit.ended.then(say);
        return response;
      } finally {
        leave();
      }
    },
    async drain(ms) {
      isDraining = true;
      await tally.empty(ms);
      await mcp.close();
    },
  };
}

const TAKES_BODY = 'takes its arguments in the JSON body, not in the address.';
const NO_ROUTE = 'There is nothing at this address. GET /openapi.json lists what there is.';
const LONG_URL = `The address must stay under ${MAX_URL.toLocaleString('en-US')} characters.`;
const SHUTTING_DOWN = 'The server is shutting down. Call again when it is back.';

function errorHeaders(cause: unknown, { quota }: Visit): Record<string, string> {
  if (!(cause instanceof ServiceError)) return {};
  switch (cause.code) {
    case 'unauthorized':
      return { 'WWW-Authenticate': 'Bearer' };
    case 'rate_limited':
      return { 'Retry-After': String(quota?.resetSeconds ?? 1) };
    // What is left of the body is not read.
    case 'payload_too_large':
    case 'service_unavailable':
      return { Connection: 'close' };
    default:
      return {};
  }
}
