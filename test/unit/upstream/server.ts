import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
} from '../../../src/upstream/client.ts';
import { end, listen } from '../../stand-ins/upstream.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export const cutOff: Handler = (_, response) => {
  response.writeHead(200, { 'content-length': '14' });
  response.write('the wh', () => response.destroy());
};
export const reset: Handler = (request) => request.socket.resetAndDestroy();

/** A client that retries without pauses. */
export function makeClient(options: Partial<HttpClientOptions> = {}): HttpClient {
  return createHttpClient({
    userAgent: 'test',
    now: () => new Date('2026-11-21T12:00:00Z'),
    sleep: async () => {},
    longestWaitMs: 3_600_000,
    ...options,
  });
}

export interface TestServer {
  url: string;
  /** Paths requested so far, in order. */
  requests: string[];
  close(): Promise<void>;
}

/**
 * A server on a free local port that stands in for an upstream. It answers with the handlers in turn, then
 * always with the last.
 */
export async function startServer(...handlers: readonly Handler[]): Promise<TestServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const handle = handlers[requests.length] ?? handlers.at(-1);
    requests.push(request.url ?? '');
    handle?.(request, response);
  });
  const url = await listen(server);
  return { url, requests, close: () => end(server) };
}
