import { EventEmitter, once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Caller, readShelf, run } from '../core/run.ts';
import { parseJson } from '../core/text.ts';
import { isLate } from '../core/time.ts';
import { InFlight } from './in-flight.ts';
import { MAX_MESSAGE, refusalsOf } from './malformed.ts';
import { type CallTool, type CreateServer, withArguments } from './mcp.ts';

/** Approximate number of characters kept of a line: enough to read the id of a message that is too long. */
const MAX_LINE = 4 * 1024 ** 2;
/** Maximum number of requests in progress; beyond this, reading pauses. */
const MAX_UNANSWERED = 128;
/** Stays open for as long as the client listens. */
const NEVER_ANSWERED = 'subscriptions/listen';
/** How long pending requests may take after the input has ended; no call takes longer. */
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
  open: Caller['open'],
  { input, output, log }: { input: Readable; output: Writable; log: (line: string) => void },
): StdioServer {
  const inFlight = new InFlight();
  // Yield first, so that a cancellation sent together with the call is read.
  const call: CallTool = (operation, input, options) =>
    inFlight.track(nextTurn().then(() => run(operation, input, { ...options, open, log })));
  let refused = 0;
  /** Never quotes the line. In a flood, logs the first ten, then the 100th, the 1,000th and so on. */
  const onRefused = () => {
    refused += 1;
    if (refused > 10 && !/^10+$/.test(String(refused))) return;
    const total = refused === 1 ? '' : `, ${refused.toLocaleString('en-US')} by now`;
    log(`protocol: A line that is not one JSON-RPC message was refused${total}.`);
  };
  const onerror = ({ message }: Error) => log(`protocol: ${message}`);
  const queue = new RequestQueue(input, output, { onRefused, onerror });
  const transport = new QueuedTransport(queue, output);
  serveStdio(() => createServer(call, (subject, read) => readShelf(subject, read, { open, log })), {
    transport,
    onerror,
  });
  return {
    finished: transport.closed.then(() => inFlight.ended()),
    close: () => queue.end(),
  };
}

/**
 * The SDK's transport behind a bounded queue. By itself it drops unanswered requests when the input ends,
 * and reads ahead without a limit.
 */
class QueuedTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  readonly #queue: RequestQueue;
  #onClosed = () => {};

  constructor(queue: RequestQueue, output: Writable) {
    super(Readable.from(queue.lines(), { highWaterMark: 1 }), output);
    // The SDK adds a listener for each unread answer.
    output.setMaxListeners(2 * MAX_UNANSWERED);
    this.#queue = queue;
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
  }

  override start(): Promise<void> {
    const { onmessage, onclose, onerror } = this;
    // The SDK does not answer messages that its schema rejects.
    this.onerror = (error) => {
      if (error.name === 'ZodError') this.#queue.refuse();
      else onerror?.(error);
    };
    this.onmessage = (message) => {
      this.#queue.add(message);
      onmessage?.(withArguments(message));
    };
    this.onclose = () => {
      this.#queue.close();
      onclose?.();
      this.#onClosed();
    };
    return super.start();
  }

  override send(message: JSONRPCMessage): Promise<void> {
    const sent = super.send(message);
    if (!('method' in message)) this.#queue.settle(message.id);
    return sent;
  }
}

/** The lines of a stream; reading pauses while the client does not read its answers. */
class RequestQueue {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #onRefused: () => void;
  readonly #onerror: (error: Error) => void;
  readonly #unanswered = new Set<unknown>();
  /** Emits `change` when a request is answered, the output is read or the queue ends. */
  readonly #events = new EventEmitter();
  /** The last line read. */
  #line = '';
  #isEnding = false;
  #isClosed = false;

  constructor(
    input: Readable,
    output: Writable,
    { onRefused, onerror }: { onRefused(): void; onerror(error: Error): void },
  ) {
    this.#input = input;
    this.#output = output;
    this.#onRefused = onRefused;
    this.#onerror = onerror;
    output.on('drain', () => this.#events.emit('change'));
  }

  add(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== NEVER_ANSWERED) {
      this.#unanswered.add(message.id);
    }
    // A cancelled request is never answered.
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.settle(message.params?.requestId);
    }
  }

  settle(id: unknown): void {
    this.#unanswered.delete(id);
    this.#events.emit('change');
  }

  /** Answers the last line as one that is not a message. */
  refuse(): void {
    this.#onRefused();
    for (const refusal of refusalsOf(this.#line)) {
      if (!this.#isClosed) this.#output.write(`${JSON.stringify(refusal)}\n`);
    }
  }

  /** Stops reading, and ends once the lines already read are answered. */
  end(): void {
    this.#isEnding = true;
    this.#events.emit('change');
    this.#input.destroy();
  }

  /** Do not wait for answers: nobody reads them. */
  close(): void {
    this.#isClosed = true;
    this.end();
  }

  async *lines(): AsyncGenerator<Buffer> {
    const hasRoom = () => !this.#output.writableNeedDrain && this.#unanswered.size < MAX_UNANSWERED;
    try {
      for await (const line of linesOf(this.#input)) {
        if (line.trim() === '') continue;
        this.#line = line;
        // The SDK silently ignores invalid JSON.
        const isReadable = line.length <= MAX_MESSAGE && parseJson(line) !== undefined;
        if (isReadable) yield Buffer.from(`${line}\n`);
        else this.refuse();
        await this.#until(() => this.#isEnding || hasRoom());
      }
    } catch (error) {
      // Closing makes the reader fail, which is no error.
      if (!this.#isEnding) this.#onerror(error instanceof Error ? error : new Error(String(error)));
    }
    // Let the last line be delivered.
    await nextTurn();
    await isLate(
      this.#until(() => this.#unanswered.size === 0 && !this.#output.writableNeedDrain),
      DRAIN_MS,
    );
  }

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && !this.#isClosed) await once(this.#events, 'change');
  }
}

/**
 * The lines of a stream, the last with or without its line break. A line that is too long is truncated, which
 * makes it invalid JSON.
 */
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
