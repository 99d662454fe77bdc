import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ReadShelf } from '../../core/read.ts';
import { isLate } from '../../core/time.ts';
import type { CallTool, CreateServer } from '../mcp.ts';
import { CallQueue } from './calls.ts';
import { CountingTransport } from './transport.ts';
import { MAX_LINE_BYTES, wholeLines } from './whole-lines.ts';

/** How long requests in flight may take after the input has ended, in milliseconds. */
const DRAIN_MS = 10_000;
/** Codes of JSON-RPC. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const NEVER_CANCELLED = new AbortController().signal;

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
  const isOutputFull = () => output.writableNeedDrain;
  /** Whose line it was is not known, so the error names no request. */
  const refuse = (code: number, message: string) => {
    log(`protocol: ${message}`);
    output.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`);
  };
  const calls = new CallQueue(isOutputFull);
  const lines = wholeLines({
    onTooLong: () =>
      refuse(INVALID_REQUEST, `A line of more than ${MAX_LINE_BYTES / 1024} KiB was dropped.`),
    room: () => transport.room(),
    beforeEnd: async () => void (await isLate(transport.drained(), DRAIN_MS)),
  });
  const transport = new CountingTransport(new StdioServerTransport(lines, output), isOutputFull);
  output.on('drain', () => {
    calls.advance();
    transport.changed();
  });
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
    calls.run(options.signal ?? NEVER_CANCELLED, (waits) =>
      call(operation, raw, { ...options, waits }, id),
    );
  serveStdio(() => createServer(callInTurn, readShelf), {
    transport,
    onerror: (error) => {
      if (error instanceof SyntaxError) refuse(PARSE_ERROR, 'A line that is not JSON was dropped.');
      else if (error.name === 'ZodError' || error.name === '$ZodError') {
        refuse(INVALID_REQUEST, 'A line that is not a JSON-RPC message was dropped.');
      } else log(`protocol: ${error.message}`);
    },
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
