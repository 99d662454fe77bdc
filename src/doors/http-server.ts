import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { ServiceError } from '../core/errors.ts';
import type { HttpDoor } from './http.ts';
import { inUrl } from './http-guard.ts';

/** What one connection may ask of the server. Times are in milliseconds. */
export interface Limits {
  /** Request line and headers together, in bytes. */
  headerBytes: number;
  /** Until the headers of a request must have come, and until the whole of it. */
  headersMs: number;
  requestMs: number;
  /** How often requests that are late are looked for. */
  checkMs: number;
  /** How long an idle connection is kept for its next request. */
  keepAliveMs: number;
  /** A connection on which nothing moves for so long, a stalled reader's too, is closed. */
  stalledMs: number;
  /** Open connections; one more is turned away. */
  connections: number;
  /** Requests of one connection without an answer yet; one more ends it. */
  pipelined: number;
  /** How long calls may go on after a signal to stop, and then their answers on the wire. */
  drainMs: number;
  flushMs: number;
}

export const LIMITS: Limits = {
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 20_000,
  checkMs: 2_000,
  keepAliveMs: 5_000,
  stalledMs: 120_000,
  connections: 1_000,
  pipelined: 16,
  drainMs: 10_000,
  flushMs: 2_000,
};

export interface HttpServer {
  url: string;
  /** Finishes what runs, refuses what comes, then closes. */
  close(): Promise<void>;
}

/** Listens on `host` and `port` (0: a free one). Throws `service_unavailable` when it cannot. */
export async function serveOnHttp(
  door: HttpDoor,
  { host, port }: { host: string; port: number },
  limits: Limits = LIMITS,
): Promise<HttpServer> {
  const answer = getRequestListener(door.fetch, { errorHandler: () => refusal(400) });
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: limits.keepAliveMs,
      // A request without one gets our own answer below.
      requireHostHeader: false,
    },
    limitPipeline(limits.pipelined, answer),
  );
  // Their bytes are limited; a count would drop those beyond it in silence.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  server.timeout = limits.stalledMs;
  server.on('clientError', refuseBroken);
  server.on('checkExpectation', (_, response) => refuse(response, 417));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFault(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    url: `http://${inUrl(host)}:${isAddress(address) ? address.port : port}`,
    async close() {
      await door.drain(limits.drainMs);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const late = setTimeout(() => server.closeAllConnections(), limits.flushMs);
      await closed;
      clearTimeout(late);
    },
  };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Requests without an answer yet, by their connection. */
const unanswered = new WeakMap<Socket, number>();

/**
 * Refuses one request more than may wait on a connection, and ends it after its answers: whoever
 * asks on and on without reading would have them all wait in memory.
 */
function limitPipeline(most: number, answer: Listener): Listener {
  return (request, response) => {
    const { socket } = request;
    const count = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, count);
    if (count <= most) {
      response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
      answer(request, response);
    } else if (count === most + 1) {
      // Whatever follows would be done, and charged, behind the end of the connection.
      unanswered.set(socket, Number.POSITIVE_INFINITY);
      refuse(response, 429);
    }
  };
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

function listenFault(error: NodeJS.ErrnoException, host: string, port: number): ServiceError {
  const said: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is taken; choose another with --port, or 0 for a free one.`,
    EACCES: `Port ${port} may not be used by this user; choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `This machine has no address ${host}; choose another with --host.`,
    ENOTFOUND: `There is no host "${host}"; choose an address of this machine with --host.`,
  };
  const message = said[error.code ?? ''] ?? `Nothing can listen on ${host}:${port}.`;
  const fault = new ServiceError('service_unavailable', message);
  fault.cause = error;
  return fault;
}

/** What no handler ever sees: a request that is none, is too long, or does not come to its end. */
const FAULTS: Readonly<Record<number, string>> = {
  400: 'This is no HTTP request that can be read.',
  417: 'The only expectation that is met is "100-continue".',
  429: `Only ${LIMITS.pipelined} requests of one connection may wait for their answers.`,
  408: 'The request did not come to its end in time.',
  431: `The headers must stay under ${LIMITS.headerBytes / 1024} KiB.`,
};

function refuseBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  // Behind another request it would be read as the answer to that one.
  if (!socket.writable || error.code === 'ECONNRESET' || (unanswered.get(socket) ?? 0) > 0) {
    socket.destroy();
    return;
  }
  const status =
    { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400;
  const body = faultBody(status);
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nX-API-Version: 1\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  // A half-open connection would count against the limit as long as the client likes.
  socket.destroySoon();
}

function refuse(response: ServerResponse, status: number): void {
  const body = faultBody(status);
  const length = { 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, { ...FAULT_HEADERS, ...length }).end(body);
}

const FAULT_HEADERS = {
  'Content-Type': 'application/json',
  'X-API-Version': '1',
  Connection: 'close',
};

function refusal(status: number): Response {
  return new Response(faultBody(status), { status, headers: FAULT_HEADERS });
}

/** The shape of every error. No call was made of it, so its id is written to no log. */
function faultBody(status: number): string {
  const message = FAULTS[status] ?? FAULTS[400];
  return JSON.stringify({
    error: {
      code: status === 429 ? 'rate_limited' : 'invalid_request',
      message,
      requestId: crypto.randomUUID(),
    },
  });
}
