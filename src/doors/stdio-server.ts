import { EventEmitter, once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  deserializeMessage,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  ProtocolErrorCode,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ReadShelf } from '../core/read.ts';
import { isLate } from '../core/time.ts';
import { InFlight } from './in-flight.ts';
import { type CallTool, type CreateServer, withArguments } from './mcp.ts';

/** Characters of a line: the SDK reads one of this length full of members in a third of a second. */
const MAX_LINE = 256 * 1024;
/** Requests at work; beyond them no line is read. */
const MAX_UNANSWERED = 128;
/** Stays open for as long as the client listens. */
const NEVER_ANSWERED = 'subscriptions/listen';
/** How long the requests that were read may take after the input has ended: no call takes longer. */
const DRAIN_MS = 60_000;

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

/**
 * JSON-RPC on a pair of streams, one message a line. The SDK's own transport drops what is unanswered
 * when the input ends, and reads ahead without a limit; this one answers it, so that a piped script gets
 * every reply, and reads on only while the client reads its answers.
 */
class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly closed: Promise<void>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #unanswered = new Set<unknown>();
  /** Emits `change` when a request was answered, the output was read or the connection ends. */
  readonly #events = new EventEmitter();
  #isEnding = false;
  #isClosed = false;
  #onClosed = () => {};

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
  }

  async start(): Promise<void> {
    this.#output.on('drain', () => this.#events.emit('change'));
    this.#output.on('error', (error) => {
      this.onerror?.(error);
      void this.close();
    });
    void this.#read();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('the connection is closed');
    this.#output.write(serializeMessage(message));
    if (!('method' in message)) this.#settle(message.id);
  }

  /** Reads no more lines, and closes when those that were read are answered. */
  end(): void {
    this.#isEnding = true;
    this.#events.emit('change');
    this.#input.destroy();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.end();
    this.onclose?.();
    this.#onClosed();
  }

  async #read(): Promise<void> {
    const hasRoom = () => this.#isRead() && this.#unanswered.size < MAX_UNANSWERED;
    try {
      for await (const line of linesOf(this.#input)) {
        this.#receive(line);
        await this.#until(() => this.#isEnding || hasRoom());
      }
    } catch (error) {
      // Ending it ourselves makes its reader fail.
      if (!this.#isEnding) this.onerror?.(toError(error));
    }
    await isLate(
      this.#until(() => this.#unanswered.size === 0 && this.#isRead()),
      DRAIN_MS,
    );
    await this.close();
  }

  #isRead(): boolean {
    return !this.#output.writableNeedDrain;
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && !this.#isClosed) await once(this.#events, 'change');
  }

  #receive(line: string): void {
    if (this.#isClosed) return;
    const message = this.#parse(line);
    if (message === undefined) return;
    if (isJSONRPCRequest(message) && message.method !== NEVER_ANSWERED) {
      this.#unanswered.add(message.id);
    }
    // A cancelled request is never answered.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#settle(message.params?.requestId);
    }
    this.onmessage?.(withArguments(message));
  }

  /** The message of a line; undefined where there is none. What is not even JSON is passed over. */
  #parse(line: string): JSONRPCMessage | undefined {
    if (line.length > MAX_LINE) {
      this.#refuse(`A line of more than ${MAX_LINE / 1024} KiB`);
      return undefined;
    }
    try {
      return deserializeMessage(line);
    } catch (error) {
      if (!(error instanceof SyntaxError)) this.#refuse('A line that is not a JSON-RPC message');
      return undefined;
    }
  }

  /** Which request a dropped line was is unknown, so the error names none. */
  #refuse(what: string): void {
    const error = { code: ProtocolErrorCode.InvalidRequest, message: `${what} was dropped.` };
    this.onerror?.(new Error(error.message));
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`);
  }

  #settle(id: unknown): void {
    this.#unanswered.delete(id);
    this.#events.emit('change');
  }
}

/** The lines of a stream, the last with or without its line break; one that is too long is cut. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let line = '';
  for await (const text of input.setEncoding('utf8')) {
    const [first = '', ...others] = String(text).split('\n');
    line = cutLine(line + first);
    for (const next of others) {
      yield line;
      line = cutLine(next);
    }
  }
  if (line !== '') yield line;
}

/** One character more than is allowed shows that the line was too long. */
function cutLine(line: string): string {
  return line.length > MAX_LINE ? line.slice(0, MAX_LINE + 1) : line;
}

function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}
