import { EventEmitter, once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Caller, readShelf, run } from '../core/run.ts';
import { parseJson } from '../core/text.ts';
import { isLate } from '../core/time.ts';
import { InFlight } from './in-flight.ts';
import { MAX_MESSAGE, refusalsOf } from './malformed.ts';
import { type CallTool, type CreateServer, withArguments } from './mcp.ts';

/** Approximate length at which a line is truncated: well above MAX_MESSAGE, to keep the id of a long message. */
const MAX_LINE = 4 * 1024 ** 2;
/** Number of requests in progress at which reading pauses. */
const MAX_UNANSWERED = 128;
/** Method whose response stays open as long as the client listens. */
const NEVER_ANSWERED = 'subscriptions/listen';
/** Time limit for pending requests once the input has ended, in milliseconds. */
const DRAIN_MS = 60_000;

interface Streams {
  input: Readable;
  output: Writable;
  log(line: string): void;
}

interface StdioServer {
  /** Resolves when the connection is closed and the work of every call has ended. */
  finished: Promise<void>;
  /** Stops reading, answers the requests in flight, then closes. */
  close(): void;
}

/** Serves MCP on a pair of streams. Once the input has ended, pending requests have `DRAIN_MS` to finish. */
export function serveOnStdio(
  createServer: CreateServer,
  open: Caller['open'],
  streams: Streams,
): StdioServer {
  const { log } = streams;
  const inFlight = new InFlight();
  // Yield, so that a cancellation sent together with the call is read first.
  const call: CallTool = (operation, input, options) =>
    inFlight.track(nextTurn().then(() => run(operation, input, { ...options, open, log })));
  const transport = new QueuedTransport(streams);
  serveStdio(() => createServer(call, (subject, read) => readShelf(subject, read, { open, log })), {
    transport,
    onerror: ({ message }) => log(`protocol: ${message}`),
  });
  return {
    finished: transport.closed.then(() => inFlight.ended()),
    close: () => transport.end(),
  };
}

/**
 * The SDK's transport behind a bounded queue. It does three things that the SDK does not:
 * - answers requests read before the input ended, which the SDK would drop;
 * - stops reading while 128 requests are unanswered or nobody reads the responses;
 * - answers malformed lines with errors; the SDK would ignore these lines.
 */
class QueuedTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  readonly #streams: Streams;
  readonly #wire: StdioServerTransport;
  readonly #unanswered = new Set<unknown>();
  /** Emits `change` when a request is answered, the output drains or reading ends, and `close` once. */
  readonly #events = new EventEmitter();
  readonly closed = once(this.#events, 'close');
  #line = '';
  #refused = 0;
  #isEnding = false;
  #isClosed = false;

  constructor(streams: Streams) {
    const { output } = streams;
    this.#streams = streams;
    this.#wire = new StdioServerTransport(
      Readable.from(this.#lines(), { highWaterMark: 1 }),
      output,
    );
    // The SDK adds a listener for each unread response.
    output.setMaxListeners(2 * MAX_UNANSWERED);
    output.on('drain', () => this.#events.emit('change'));
  }

  start(): Promise<void> {
    this.#wire.onmessage = (message) => {
      this.#add(message);
      this.onmessage?.(withArguments(message));
    };
    this.#wire.onerror = (error) => {
      if (error.name === 'ZodError') this.#refuse();
      else this.onerror?.(error);
    };
    this.#wire.onclose = () => {
      this.#isClosed = true;
      this.end();
      this.onclose?.();
      this.#events.emit('close');
    };
    return this.#wire.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const sent = this.#wire.send(message);
    if (!('method' in message)) this.#settle(message.id);
    return sent;
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  /** Stops reading, and closes once the lines already read are answered. */
  end(): void {
    this.#isEnding = true;
    this.#events.emit('change');
    this.#streams.input.destroy();
  }

  #add(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== NEVER_ANSWERED) {
      this.#unanswered.add(message.id);
    }
    // A cancelled request is never answered.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#settle(message.params?.requestId);
    }
  }

  #settle(id: unknown): void {
    this.#unanswered.delete(id);
    this.#events.emit('change');
  }

  /** Answers the current line, which is not a message, with errors. The log does not quote it. */
  #refuse(): void {
    const { output, log } = this.#streams;
    this.#refused += 1;
    const count = this.#refused.toLocaleString('en-US');
    // Log the first ten, then the 100th, the 1,000th and so on.
    if (this.#refused <= 10 || /^1[0,]+$/.test(count)) {
      log(`protocol: Refused a line that is not a single JSON-RPC message (${count} so far).`);
    }
    for (const refusal of refusalsOf(this.#line)) {
      if (!this.#isClosed) output.write(`${JSON.stringify(refusal)}\n`);
    }
  }

  async *#lines(): AsyncGenerator<Buffer> {
    const { input, output } = this.#streams;
    const hasRoom = () => !output.writableNeedDrain && this.#unanswered.size < MAX_UNANSWERED;
    try {
      for await (const line of linesOf(input)) {
        if (line.trim() === '') continue;
        this.#line = line;
        // The SDK silently ignores invalid JSON.
        const isReadable = line.length <= MAX_MESSAGE && parseJson(line) !== undefined;
        if (isReadable) yield Buffer.from(`${line}\n`);
        else this.#refuse();
        await this.#until(() => this.#isEnding || hasRoom());
      }
    } catch (error) {
      // Closing the input makes this loop fail, which is not an error.
      if (!this.#isEnding) this.onerror?.(error instanceof Error ? error : new Error(`${error}`));
    }
    // Let the SDK receive the last line.
    await nextTurn();
    await isLate(
      this.#until(() => this.#unanswered.size === 0 && !output.writableNeedDrain),
      DRAIN_MS,
    );
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && !this.#isClosed) await once(this.#events, 'change');
  }
}

/** A stream's lines; the last may lack its line break. Truncation makes a long line invalid JSON. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let line = '';
  for await (const text of input.setEncoding('utf8')) {
    const [first = '', ...others] = String(text).split('\n');
    if (line.length < MAX_LINE) line += first;
    for (const next of others) {
      yield line;
      line = next;
    }
  }
  if (line !== '') yield line;
}
