import type { Readable, Writable } from 'node:stream';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { wholeLines } from './lines.ts';
import { DrainingTransport } from './transport.ts';

/** How long requests in flight may take after the input has ended, in milliseconds. */
const DRAIN_MS = 10_000;

export interface StdioServer {
  /** Resolves when every request in flight has been answered and the connection is closed. */
  finished: Promise<void>;
  /** Reads no more requests, answers those in flight, then closes. */
  close(): void;
}

/**
 * Serves MCP on a pair of streams until the input ends. The SDK drops requests in flight when its
 * input ends, so the end is held back until they are answered: a piped script gets every reply.
 */
export function serveOnStdio(
  createServer: () => McpServer,
  input: Readable,
  output: Writable,
  log: (line: string) => void,
): StdioServer {
  const lines = wholeLines(log, {
    room: () => transport.room(),
    beforeEnd: () => transport.drained(DRAIN_MS),
  });
  const transport = new DrainingTransport(new StdioServerTransport(lines, output));
  const finished = new Promise<void>((resolve) => {
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
  serveStdio(createServer, { transport, onerror: (error) => log(`protocol: ${error.message}`) });
  return {
    finished: finished.then(() => {
      // An open stdin would keep the process alive after the server is gone.
      input.destroy();
      lines.destroy();
    }),
    close,
  };
}
