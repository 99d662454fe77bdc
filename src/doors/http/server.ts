import { createServer, IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type ServiceError, serviceUnavailable } from '../../core/errors.ts';
import type { HttpDoor } from './app.ts';
import { type ConnectionLimits, type Connections, limitConnections } from './connections.ts';
import { inUrl } from './guard.ts';
import { brokenStatusOf, createMalformedAnswers } from './malformed.ts';

/** Limits of the server and of each connection. Times are in milliseconds. */
export interface Limits extends ConnectionLimits {
  /** Request line and headers together, in bytes. */
  headerBytes: number;
  /** Until the headers of a request must be complete, and until all of it must be. */
  headersMs: number;
  requestMs: number;
  /** How often late requests are looked for. */
  checkMs: number;
  /** How long an idle connection is kept for its next request. */
  keepAliveMs: number;
  /** A connection without any traffic for this long is closed, also one whose client stopped reading. */
  stalledMs: number;
  /** How long calls may continue after a signal to stop, and then how long their answers may take to send. */
  drainMs: number;
  flushMs: number;
  /** How long after that signal the rest of a half-sent body may take. */
  restMs: number;
}

export const LIMITS: Limits = {
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 20_000,
  checkMs: 2_000,
  keepAliveMs: 5_000,
  stalledMs: 120_000,
  perAddress: 100,
  connections: 1_000,
  pipelined: 16,
  unsentBytes: 4 * 1024 ** 2,
  unreadMs: 5_000,
  drainMs: 10_000,
  flushMs: 1_500,
  restMs: 500,
};

export interface HttpServer {
  url: string;
  /** Finishes the calls in flight, refuses new ones, then closes. */
  close(): Promise<void>;
}

/** Listens on `host` and `port` (0: any free port). Throws `service_unavailable` if it cannot. */
export async function serveOnHttp(
  door: HttpDoor,
  { host, port }: { host: string; port: number },
  limits: Limits = LIMITS,
): Promise<HttpServer> {
  const { server, connections } = openServer(door, limits);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${inUrl(host)}:${bound}`,
    async close() {
      connections.closeIdle();
      const rest = setTimeout(() => connections.refuseIncomplete(), limits.restMs);
      await door.drain(limits.drainMs);
      clearTimeout(rest);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const late = setTimeout(() => server.closeAllConnections(), limits.flushMs);
      await closed;
      clearTimeout(late);
      // What was cut off stops its work; the store is closed next.
      await door.drain(limits.flushMs);
    },
  };
}

function openServer(door: HttpDoor, limits: Limits): { server: Server; connections: Connections } {
  const malformed = createMalformedAnswers(limits);
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAliveTimeout: limits.keepAliveMs,
    // Node would answer a request without Host in its own words.
    requireHostHeader: false,
  });
  // Their bytes are limited; Node silently drops headers beyond a count.
  server.maxHeadersCount = 0;
  server.timeout = limits.stalledMs;
  const connections = limitConnections(server, limits, (response) => malformed.send(response, 429));
  const brokenBy = new WeakMap<IncomingMessage, AbortSignal>();
  const answer = getRequestListener(
    (request, { incoming }) =>
      door.fetch(request, incoming instanceof IncomingMessage ? brokenBy.get(incoming) : undefined),
    { errorHandler: () => malformed.toResponse(400) },
  );
  const answerRequest = connections.wrap((request, response, broken) => {
    brokenBy.set(request, broken);
    void answer(request, response);
  });
  server.on('request', answerRequest);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else
      connections.breakOff(socket, brokenStatusOf(error), () => malformed.sendRaw(socket, error));
  });
  server.on('checkExpectation', (_, response) => malformed.send(response, 417));
  return { server, connections };
}

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): ServiceError {
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} of ${host} is taken; choose another with --port, or 0 for a free one.`,
    EACCES: `You may not listen on port ${port}; choose one above 1023 with --port.`,
    EADDRNOTAVAIL: `This machine has no address ${host}; choose another with --host.`,
    ENOTFOUND: `There is no host "${host}"; choose an address of this machine with --host.`,
  };
  const message = messages[error.code ?? ''] ?? `Cannot listen on ${host}:${port}.`;
  return serviceUnavailable(message, error);
}
