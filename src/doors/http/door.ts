import { readFileSync } from 'node:fs';
import { type Handler, Hono, type MiddlewareHandler } from 'hono';
import { compress } from 'hono/compress';
import type { Account } from '../../core/context.ts';
import {
  filesChanged,
  invalidRequest,
  notFound,
  ServiceError,
  serviceUnavailable,
} from '../../core/errors.ts';
import type { Operation } from '../../core/operation.ts';
import { CANCELLED, type OpenShelf } from '../../core/run.ts';
import { parseJson, spellCommands } from '../../core/text.ts';
import { isLate } from '../../core/time.ts';
import { InFlight } from '../in-flight.ts';
import { mcpServerFactory } from '../mcp.ts';
import { asLoaded, type Table } from '../published.ts';
import { createMcpEndpoint } from './mcp-endpoint.ts';
import { openApiDocument } from './openapi.ts';
import {
  type CallOperation,
  callFor,
  type Env,
  jsonBody,
  limitRate,
  openRequest,
  requireKey,
  requireRoom,
  type TakeCall,
} from './request.ts';
import {
  accessLog,
  commonHeaders,
  createErrorHandler,
  pageHeaders,
  securityHeaders,
  send,
} from './response.ts';
import { takingTurns } from './turns.ts';

export interface HttpDoorOptions {
  table: Table;
  version: string;
  /** Throws `forbidden` for a request that is not meant for this server. */
  checkOrigin(headers: Headers, host: string): void;
  /** The store's directory, to recognise disk-full errors. */
  home?: string;
  /** The account of a key; undefined if the key is unknown or revoked. */
  findAccount(key: string): Promise<Account | undefined>;
  takeCall: TakeCall;
  /** Opens the shelf for an account. Rejects with a ServiceError. */
  openFor(account: Account): Promise<OpenShelf>;
  /** Documents that need no key, by path. */
  pages: Readonly<Record<string, Page>>;
  now(): Date;
  log(line: string): void;
}

/** A document served verbatim. */
export interface Page {
  body: string;
  contentType: string;
}

export interface HttpDoor {
  fetch(request: Request, bindings?: Env['Bindings']): Promise<Response>;
  /** Refuses new calls and resolves when those in flight have ended, or after `ms` milliseconds. */
  drain(ms: number): Promise<void>;
}

/**
 * Serves the table as REST routes and over MCP. A call is checked for Host and Origin, route, method, free
 * capacity, key, rate, content type, size and JSON, in this order; `run` checks the rest.
 */
export function createHttpDoor(options: HttpDoorOptions): HttpDoor {
  const inFlight = new InFlight();
  const { table, version, pages, log } = options;
  let isDraining = false;
  const app = new Hono<Env>()
    .use(openRequest, accessLog(options), compress(), securityHeaders, commonHeaders)
    .use(admit(options.checkOrigin, () => isDraining))
    .notFound(() => {
      // Clients that look for OAuth metadata after a 401 also end up here.
      throw notFound(
        'There is nothing at this address. GET /openapi.json lists the calls, and MCP is at /mcp. ' +
          'There is no OAuth: send the key as a header, "Authorization: Bearer <key>".',
      );
    })
    .onError(createErrorHandler(options));
  const openFor = takingTurns(options.openFor);
  const call = callFor({ openFor, log }, inFlight);
  const createServer = mcpServerFactory(asLoaded(table), version, log);
  const mcp = createMcpEndpoint({ createServer, call, openFor, inFlight, log });
  const checks = [requireRoom, requireKey(options.findAccount), limitRate(options.takeCall)];
  for (const [path, { body, contentType }] of Object.entries(pages)) {
    const headers = { 'Content-Type': contentType };
    addRoute(app, 'GET', path, requireRoom, pageHeaders, async (c) => send(c, 200, body, headers));
  }
  const health = JSON.stringify({ status: 'ok', version });
  addRoute(app, 'GET', '/health', async (c) => send(c, 200, health));
  addRoute(app, 'POST', '/mcp', ...checks, jsonBody, mcp.respond);
  // Fixed paths first: a path with an argument would match them too.
  const rows = table.operations.toSorted(
    (a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')),
  );
  for (const operation of rows) {
    const { method, path } = operation;
    const body = method === 'POST' ? [jsonBody] : [];
    addRoute(app, method, path, ...checks, ...body, serveOperation(operation, call));
  }
  return {
    fetch: async (request, bindings) => app.fetch(request, bindings),
    async drain(ms) {
      isDraining = true;
      await isLate(inFlight.ended(), ms);
      await mcp.close();
    },
  };
}

/** Registers a route; other methods at its address get a 405. */
function addRoute(
  app: Hono<Env>,
  method: 'GET' | 'POST',
  path: string,
  ...handlers: readonly MiddlewareHandler<Env>[]
): void {
  const pattern = path.replace(/\{(\w+)\}/g, ':$1');
  app.on(method, [pattern], ...handlers).all(pattern, async (c) => {
    // Hono serves HEAD on every GET route.
    const allowed = method === 'GET' ? 'GET, HEAD' : method;
    c.header('Allow', allowed);
    const methods = allowed.replace(',', ' and');
    throw new ServiceError('method_not_allowed', `This address accepts only ${methods}.`);
  });
}

/** The checks before routing. */
function admit(
  checkOrigin: HttpDoorOptions['checkOrigin'],
  isDraining: () => boolean,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { headers, url } = c.req.raw;
    checkOrigin(headers, headers.get('host') ?? new URL(url).host);
    if (isDraining()) {
      throw serviceUnavailable('The server is shutting down. Call again when it is back.');
    }
    await next();
  };
}

/** Handles requests for an operation; reads arguments from the URL and, for a POST, from the body. */
function serveOperation(operation: Operation, call: CallOperation): Handler<Env> {
  return async (c) => {
    const query = new URL(c.req.url).searchParams;
    const input =
      operation.method === 'GET'
        ? decodeQuery(query, c.req.param())
        : decodeBody(operation, query, c.var.body);
    const { signal } = c.req.raw;
    const { status, envelope } = await call(operation, input, c.var.request, { signal });
    // The client has disconnected.
    if (status === CANCELLED) return new Response(null, { status });
    return send(c, status, JSON.stringify(envelope));
  };
}

/** The arguments in the path and the query, as `run` expects them: strings, or lists if repeated. */
function decodeQuery(
  query: URLSearchParams,
  path: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const entries = [...new Set([...Object.keys(path), ...query.keys()])].map((name) => {
    const values = [...(Object.hasOwn(path, name) ? [path[name]] : []), ...query.getAll(name)];
    return [name, values.length === 1 ? values[0] : values] as const;
  });
  return Object.fromEntries(entries);
}

/** The JSON value of a body; `run` rejects anything but an object or null. */
function decodeBody({ name }: Operation, query: URLSearchParams, body: string): unknown {
  if (query.size > 0) {
    // Ignoring the query would answer a different question.
    throw invalidRequest(`${name} takes its arguments in the JSON body, not in the query string.`);
  }
  const value = parseJson(body);
  if (value === undefined) throw invalidRequest('The body is not valid JSON.');
  return value;
}

/** The directory of the built web page, beside the program. */
const DIRECTORY = new URL('./views/', import.meta.url);
const FILES = [
  ['/', 'index.html', 'text/html; charset=utf-8'],
  ['/page/page.css', 'page.css', 'text/css; charset=utf-8'],
  ['/page/page.js', 'page.js', 'text/javascript; charset=utf-8'],
  ['/page/formulas.js', 'formulas.js', 'text/javascript; charset=utf-8'],
  ['/page/icon.svg', 'icon.svg', 'image/svg+xml'],
] as const;

/** The web page's files and /openapi.json, by path. Throws `service_unavailable` if a file is missing. */
export function publicPages(table: readonly Operation[], version: string): Record<string, Page> {
  const body = spellCommands(JSON.stringify(openApiDocument(table, { version })));
  try {
    return {
      '/openapi.json': { body, contentType: 'application/json' },
      ...Object.fromEntries(FILES.map(([path, name, type]) => [path, readPage(name, type)])),
    };
  } catch (cause) {
    throw filesChanged(cause);
  }
}

function readPage(name: string, contentType: string): Page {
  const text = readFileSync(new URL(name, DIRECTORY), 'utf8');
  return { body: name.endsWith('.html') ? spellCommands(text) : text, contentType };
}
