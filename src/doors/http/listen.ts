import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type ServiceError, serviceUnavailable } from '../../core/errors.ts';
import type { HttpDoor } from './door.ts';
import { inUrl } from './request.ts';
import { Sockets } from './sockets.ts';

/** Limits of the server and of each connection. Times are in milliseconds. */
export interface Limits {
  /** Maximum number of connections with a call in progress. Idle ones are closed to make room. */
  connections: number;
  /** Time limits for the headers of a request, and for the whole request. */
  headersMs: number;
  requestMs: number;
  /** Interval between checks for late requests. */
  checkMs: number;
  /** A client that reads none of its response for this long is cut off. */
  unreadMs: number;
  /** A connection that carries nothing for this long is closed, even in the middle of a response. */
  stalledMs: number;
  /** Maximum unread bytes of all responses; beyond this, no call starts. */
  unsentBytes: number;
  /** Maximum number of unanswered requests on a connection; the next is refused, and the connection closed. */
  pipelined: number;
  /** How long calls may continue after a stop signal, and how long sending their responses may then take. */
  drainMs: number;
  flushMs: number;
}

export const LIMITS: Limits = {
  connections: 400,
  headersMs: 10_000,
  requestMs: 20_000,
  checkMs: 2_000,
  unreadMs: 10_000,
  stalledMs: 120_000,
  unsentBytes: 32 * 1024 ** 2,
  pipelined: 16,
  drainMs: 10_000,
  flushMs: 1_500,
};

interface HttpServer {
  url: string;
  /** Finishes the calls in flight, refuses new ones, then closes. */
  close(): Promise<void>;
}

/** Listens on `host` and `port` (0: any free port). Rejects with `service_unavailable` if it cannot. */
export async function serveOnHttp(
  door: HttpDoor,
  { host, port }: { host: string; port: number },
  limits: Limits = LIMITS,
): Promise<HttpServer> {
  const server = openServer(door, limits);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${inUrl(host)}:${bound}`,
    async close() {
      await door.drain(limits.drainMs);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const late = setTimeout(() => server.closeAllConnections(), limits.flushMs);
      await closed;
      clearTimeout(late);
      // Let calls whose connections were cut stop before the store closes.
      await door.drain(limits.flushMs);
    },
  };
}

function openServer(door: HttpDoor, limits: Limits) {
  const sockets = new Sockets(limits.connections);
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
    },
    (request, response) => {
      const isCrowded = !sockets.begin(request, response);
      // Node handles pipelined requests at once and keeps their responses in memory.
      const isAhead = sockets.countUnanswered(request.socket) > limits.pipelined;
      if (isCrowded || isAhead) response.shouldKeepAlive = false;
      const isFull = isAhead || sockets.unsent > limits.unsentBytes;
      response.once('prefinish', () => request.socket.setTimeout(limits.unreadMs));
      const respond = getRequestListener((incoming) => door.fetch(incoming, { isFull, isCrowded }));
      void respond(request, response);
    },
  );
  sockets.watch(server);
  server.timeout = limits.stalledMs;
  return server;
}

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): ServiceError {
  const message =
    error.code === 'EADDRINUSE'
      ? `Port ${port} on ${host} is in use; choose another with --port, or 0 for any free one.`
      : `Cannot listen on ${inUrl(host)}:${port} (${error.code}); choose an address of this machine with --host, or another port with --port.`;
  return serviceUnavailable(message, error);
}
