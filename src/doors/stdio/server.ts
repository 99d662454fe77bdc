import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ReadShelf } from '../../core/read.ts';
import type { CallTool, CreateServer } from '../mcp.ts';
import { CallQueue } from './calls.ts';
import { wholeLines } from './lines.ts';
import { type Rejection, rejectLongLine } from './messages.ts';
import { QueueingTransport } from './transport.ts';

/** How long requests in flight may take after the input has ended, in milliseconds. */
const DRAIN_MS = 10_000;

export interface StdioServer {
  /** Resolves when the connection is closed and the work of every call has ended. */
  finished: Promise<void>;
  /** Reads no more requests, answers those in flight, then closes. */
  close(): void;
}

/**
 * Serves MCP on a pair of streams until the input ends. The SDK drops requests in flight when its
 * input ends, so the end is held back until they are answered: a piped script gets every reply.
 */
export function serveOnStdio(
  createServer: CreateServer,
  { call, readShelf }: { call: CallTool; readShelf: ReadShelf },
  { input, output, log }: { input: Readable; output: Writable; log: (line: string) => void },
): StdioServer {
  const calls = new CallQueue(() => output.writableNeedDrain);
  output.on('drain', () => calls.advance());
  const reject = (rejection: Rejection) => {
    log(`protocol: ${rejection.error.message}`);
    if (output.writable) output.write(`${JSON.stringify(rejection)}\n`);
  };
  const lines = wholeLines({
    takes: (line) => transport.takes(line),
    onTooLong: (mebibytes, ends) => reject(rejectLongLine(mebibytes, ends)),
    room: () => calls.room(),
    beforeEnd: () => transport.drained(DRAIN_MS),
  });
  const transport = new QueueingTransport(new StdioServerTransport(lines, output), calls, reject);
  const closed = new Promise<void>((resolve) => {
    transport.whenClosed = resolve;
  });
  const close = () => {
    input.unpipe(lines);
    lines.end();
  };
  input.on('end', close);
  input.on('close', close);
  input.on('error', close);
  input.pipe(lines, { end: false });
  const callInTurn: CallTool = (operation, raw, options, id) =>
    calls.run(id, options.signal, (signal) => call(operation, raw, { ...options, signal }, id));
  serveStdio(() => createServer(callInTurn, readShelf), {
    transport,
    onerror: (error) => log(`protocol: ${error.message}`),
  });
  return {
    finished: closed.then(async () => {
      // An open stdin would keep the process alive after the server is gone.
      input.destroy();
      lines.destroy();
      await calls.idle();
    }),
    close,
  };
}
