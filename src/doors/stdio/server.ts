import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ReadShelf } from '../../core/read.ts';
import { InFlight } from '../in-flight.ts';
import type { CallTool, CreateServer } from '../mcp.ts';
import { LineTransport } from './transport.ts';

interface StdioServer {
  /** Resolves when the connection is closed and the work of every call has ended. */
  finished: Promise<void>;
  /** Reads no more requests, answers those in flight, then closes. */
  close(): void;
}

/** Serves MCP on a pair of streams until the input ends and every request is answered. */
export function serveOnStdio(
  createServer: CreateServer,
  { call, readShelf }: { call: CallTool; readShelf: ReadShelf },
  { input, output, log }: { input: Readable; output: Writable; log: (line: string) => void },
): StdioServer {
  const inFlight = new InFlight();
  // A cancellation that came together with the call is read first.
  const callInTurn: CallTool = (...args) => inFlight.track(nextTurn().then(() => call(...args)));
  const transport = new LineTransport(input, output);
  serveStdio(() => createServer(callInTurn, readShelf), {
    transport,
    onerror: ({ message }) => log(`protocol: ${message}`),
  });
  return {
    finished: transport.closed.then(() => inFlight.ended()),
    close: () => transport.end(),
  };
}
