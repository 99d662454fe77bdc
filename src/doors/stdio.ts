import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, McpServer, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { wholeLines } from './lines.ts';
import { withArguments } from './messages.ts';

/** How long requests in flight may still be answered after the input has ended, in milliseconds. */
const DRAIN_MS = 10_000;
/** Requests worked on at once; the next one is read when one of them is answered. */
const MAX_IN_FLIGHT = 8;
/** Open for as long as the client listens; nothing to wait for. */
const NEVER_ANSWERED = 'subscriptions/listen';

export interface StdioServer {
  /** Settles when the connection is over and every request in flight has been answered. */
  finished: Promise<void>;
  /** Takes no more requests, answers those in flight, then closes. */
  close(): void;
}

/**
 * Serves MCP on a pair of streams until the input ends.
 * The SDK drops requests in flight when its input ends; the end is held back here until they
 * have their answers, so that a piped script gets every reply.
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

/** Counts the requests that have come in and not yet been answered or cancelled. */
class DrainingTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  whenClosed: () => void = () => {};
  readonly #inner: StdioServerTransport;
  readonly #unanswered = new Set<string | number>();
  #whenDrained: () => void = () => {};
  #whenRoom: () => void = () => {};

  constructor(inner: StdioServerTransport) {
    this.#inner = inner;
    inner.onmessage = (message) => {
      this.#noteReceived(message);
      this.onmessage?.(withArguments(message));
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => {
      this.#unanswered.clear();
      this.#whenDrained();
      this.#whenRoom();
      this.onclose?.();
      this.whenClosed();
    };
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#inner.send(message);
    if ('id' in message && !('method' in message)) this.#settle(message.id);
  }

  /** Settles when one more request may come in. */
  room(): Promise<void> {
    if (this.#unanswered.size < MAX_IN_FLIGHT) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenRoom = resolve;
    });
  }

  /** Settles when nothing is unanswered, or after `ms`. */
  drained(ms: number): Promise<void> {
    if (this.#unanswered.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#whenDrained = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #noteReceived(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) {
      if (message.method !== NEVER_ANSWERED) this.#unanswered.add(message.id);
    } else if (message.method === 'notifications/cancelled') {
      const cancelled = message.params?.requestId;
      if (typeof cancelled === 'string' || typeof cancelled === 'number') this.#settle(cancelled);
    }
  }

  #settle(id: string | number | undefined): void {
    if (id !== undefined) this.#unanswered.delete(id);
    if (this.#unanswered.size < MAX_IN_FLIGHT) this.#whenRoom();
    if (this.#unanswered.size === 0) this.#whenDrained();
  }
}
