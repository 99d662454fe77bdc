import { Hono, type MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import { requestId } from 'hono/request-id';
import type { Account } from '../../core/context.ts';
import { notFound, ServiceError, serviceUnavailable } from '../../core/errors.ts';
import { isLate } from '../../core/time.ts';
import { InFlight } from '../in-flight.ts';
import { mcpServerFactory } from '../mcp.ts';
import { asLoaded, type Table } from '../published.ts';
import { createMcpEndpoint, type ReadFor } from './mcp-endpoint.ts';
import {
  type Env,
  jsonBody,
  limitRate,
  openRequest,
  type RunCall,
  requireKey,
  requireRoom,
  type TakeCall,
  trackCalls,
} from './request.ts';
import {
  accessLog,
  commonHeaders,
  createErrorHandler,
  pageHeaders,
  securityHeaders,
  send,
} from './response.ts';
import { answerOperation } from './rest.ts';

/** What the door is given: it knows nothing about accounts, prices or the shelf. */
export interface HttpDoorOptions {
  table: Table;
  version: string;
  /** Throws `forbidden` for a Host or an Origin that is not this server's. */
  checkOrigin(host: string, origin: string | null): void;
  /** The directory of the store, whose disk may be full. */
  home?: string;
  /** The account of a key; undefined if the key is unknown or revoked. */
  findAccount(key: string): Promise<Account | undefined>;
  takeCall: TakeCall;
  call: RunCall;
  readShelf: ReadFor;
  /** Documents that need no key, by path. */
  pages: Readonly<Record<string, Page>>;
  now(): Date;
  log(line: string): void;
}

/** A document served as it is. */
export interface Page {
  body: string;
  contentType: string;
}

export interface HttpDoor {
  fetch(request: Request, bindings?: Env['Bindings']): Promise<Response>;
  /** Refuses new calls and resolves when those in flight have ended, or after `ms` milliseconds. */
  drain(ms: number): Promise<void>;
}

/** The method of an address, behind the checks that come before its handler. */
interface Route {
  method: 'GET' | 'POST';
  path: string;
  handlers: readonly MiddlewareHandler<Env>[];
}

/**
 * The table as REST routes, and MCP, behind keys. Order of checks: Host and Origin, route, method,
 * key, rate, content type and size, JSON; `run` does the rest.
 */
export function createHttpDoor(options: HttpDoorOptions): HttpDoor {
  const inFlight = new InFlight();
  const call = trackCalls(options.call, inFlight);
  const { table, version, log } = options;
  const createServer = mcpServerFactory(asLoaded(table), version, log);
  const mcp = createMcpEndpoint({ ...options, createServer, call, inFlight });
  const key = requireKey(options.findAccount);
  const rate = limitRate(options.takeCall);
  const routes: Route[] = [
    ...publicRoutes(options),
    { method: 'POST', path: '/mcp', handlers: [requireRoom, key, rate, jsonBody, mcp.answer] },
    ...table.operations.map((operation): Route => {
      const { method, path } = operation;
      const body = method === 'POST' ? [jsonBody] : [];
      const answer = answerOperation(operation, call);
      return { method, path, handlers: [requireRoom, key, rate, ...body, answer] };
    }),
  ];
  let isDraining = false;
  const app = new Hono<Env>()
    // Without a header name Hono ignores the client's id: the ledger's ids are ours.
    .use(requestId({ headerName: '' }), openRequest)
    .use(accessLog(options), compress(), securityHeaders, commonHeaders)
    .use(admit(options.checkOrigin, () => isDraining))
    .notFound(() => {
      // Clients that take a 401 for the beginning of an OAuth flow read this, too.
      throw notFound(
        'There is nothing at this address. GET /openapi.json lists what there is. There is no OAuth: ' +
          'send the key as a header, "Authorization: Bearer <key>".',
      );
    })
    .onError(createErrorHandler(options));
  addRoutes(app, routes);
  return {
    fetch: async (request, bindings) => app.fetch(request, bindings),
    async drain(ms) {
      isDraining = true;
      await isLate(inFlight.ended(), ms);
      await mcp.close();
    },
  };
}

/** What anyone may read: the pages, and whether the server runs. */
function publicRoutes({ pages, version }: HttpDoorOptions): Route[] {
  const health = JSON.stringify({ status: 'ok', version });
  return [
    ...Object.entries(pages).map(([path, { body, contentType }]): Route => {
      const answer: MiddlewareHandler<Env> = async (c) =>
        send(c, 200, body, { 'Content-Type': contentType });
      return { method: 'GET', path, handlers: [pageHeaders, answer] };
    }),
    { method: 'GET', path: '/health', handlers: [async (c) => send(c, 200, health)] },
  ];
}

/** Adds the routes, with a 405 for the other methods of each address. */
function addRoutes(app: Hono<Env>, routes: readonly Route[]): void {
  // Fixed paths first; a path with an argument would take them for its value.
  const sorted = routes.toSorted(
    (a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')),
  );
  for (const { method, path, handlers } of sorted) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1');
    app.on(method, [pattern], ...handlers).all(pattern, async (c) => {
      // Hono answers a HEAD as a GET without a body; the price is the same.
      const allowed = method === 'GET' ? 'GET, HEAD' : method;
      c.header('Allow', allowed);
      throw new ServiceError('method_not_allowed', `This address takes ${allowed}.`);
    });
  }
}

/** The checks that come before the route. */
function admit(
  checkOrigin: HttpDoorOptions['checkOrigin'],
  isDraining: () => boolean,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { headers, url } = c.req.raw;
    checkOrigin(headers.get('host') ?? new URL(url).host, headers.get('origin'));
    if (isDraining()) {
      throw serviceUnavailable('The server is shutting down. Call again when it is back.');
    }
    await next();
  };
}
