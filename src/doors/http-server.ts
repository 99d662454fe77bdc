import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { ServiceError } from '../core/errors.ts';
import type { HttpDoor } from './http.ts';
import { inUrl } from './http-guard.ts';

/** Request line and headers together, in bytes. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;
/** Until the headers, and until the body, of a request must have come, in milliseconds. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 20_000;
/** How often slow requests are looked for. */
const CHECK_MS = 2_000;
/** How long an idle connection is kept for its next request. */
const KEEP_ALIVE_MS = 5_000;
/** A connection on which nothing moves for so long, a stalled reader's too, is closed. */
const STALLED_MS = 120_000;
/** Open connections; one more is turned away. */
const MAX_CONNECTIONS = 1_000;
/** How long calls may go on after a signal to stop, and then their answers on the wire. */
const DRAIN_MS = 10_000;
const FLUSH_MS = 2_000;

export interface HttpServer {
  url: string;
  /** Finishes what runs, refuses what comes, then closes. */
  close(): Promise<void>;
}

/** Listens on `host` and `port` (0: a free one). Throws `service_unavailable` when it cannot. */
export async function serveOnHttp(
  door: HttpDoor,
  { host, port }: { host: string; port: number },
): Promise<HttpServer> {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      connectionsCheckingInterval: CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
    },
    getRequestListener(door.fetch, { errorHandler: () => refusal(400) }),
  );
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = STALLED_MS;
  server.on('clientError', refuseBroken);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFault(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    url: `http://${inUrl(host)}:${isAddress(address) ? address.port : port}`,
    async close() {
      await door.drain(DRAIN_MS);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const late = setTimeout(() => server.closeAllConnections(), FLUSH_MS);
      await closed;
      clearTimeout(late);
    },
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
  408: 'The request did not come to its end in time.',
  431: `The headers must stay under ${MAX_HEADER_BYTES / 1024} KiB.`,
};

function refuseBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status =
    { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400;
  const body = faultBody(status);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nX-API-Version: 1\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function refusal(status: number): Response {
  const headers = { 'Content-Type': 'application/json', 'X-API-Version': '1', Connection: 'close' };
  return new Response(faultBody(status), { status, headers });
}

/** The shape of every error. No call was made of it, so its id is written to no log. */
function faultBody(status: number): string {
  const message = FAULTS[status] ?? FAULTS[400];
  return JSON.stringify({
    error: { code: 'invalid_request', message, requestId: crypto.randomUUID() },
  });
}
