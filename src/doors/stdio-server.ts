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
  open: Caller['open'],
  { input, output, log }: { input: Readable; output: Writable; log: (line: string) => void },
): StdioServer {
  const inFlight = new InFlight();
  // A cancellation that came together with the call is read first.
  const call: CallTool = (operation, input, options) =>
    inFlight.track(nextTurn().then(() => run(operation, input, { ...options, open, log })));
  const dropped = new Map<string, number>();
  /** Never quotes the line. Of a flood the first ten are told, and then the 100th, the 1,000th … */
  const drop = (what: string) => {
    const count = (dropped.get(what) ?? 0) + 1;
    dropped.set(what, count);
    if (count > 10 && !/^10+$/.test(String(count))) return;
    const total = count === 1 ? '' : `, ${count.toLocaleString('en-US')} by now`;
    log(`protocol: A line ${what} was dropped${total}.`);
  };
  const onerror = ({ name, message }: Error) => {
    if (name === 'ZodError') drop('that is not a JSON-RPC message');
    else log(`protocol: ${message}`);
  };
  const queue = new RequestQueue(input, output, { drop, onerror });
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
 * The SDK's transport behind a bounded queue. By itself it drops what is unanswered when the input ends,
 * and reads ahead without a limit.
 */
class QueuedTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  readonly #queue: RequestQueue;
  #onClosed = () => {};

  constructor(queue: RequestQueue, output: Writable) {
    super(Readable.from(queue.lines(), { highWaterMark: 1 }), output);
    // The SDK listens once for each answer that waits for the client to read.
    output.setMaxListeners(2 * MAX_UNANSWERED);
    this.#queue = queue;
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
  }

  override start(): Promise<void> {
    const { onmessage, onclose } = this;
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

/** The lines of a stream, read on only while the client reads its answers. */
class RequestQueue {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #drop: (what: string) => void;
  readonly #onerror: (error: Error) => void;
  readonly #unanswered = new Set<unknown>();
  /** Emits `change` when a request was answered, the output was read or the queue ends. */
  readonly #events = new EventEmitter();
  #isEnding = false;
  #isClosed = false;

  constructor(
    input: Readable,
    output: Writable,
    { drop, onerror }: { drop(what: string): void; onerror(error: Error): void },
  ) {
    this.#input = input;
    this.#output = output;
    this.#drop = drop;
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

  /** Reads no more lines, and ends when those that were read are answered. */
  end(): void {
    this.#isEnding = true;
    this.#events.emit('change');
    this.#input.destroy();
  }

  /** Waits for no answer: nobody reads them. */
  close(): void {
    this.#isClosed = true;
    this.end();
  }

  async *lines(): AsyncGenerator<Buffer> {
    const hasRoom = () => !this.#output.writableNeedDrain && this.#unanswered.size < MAX_UNANSWERED;
    try {
      for await (const line of linesOf(this.#input)) {
        if (line.trim() === '') continue;
        if (line.length > MAX_LINE) {
          this.#drop(`of more than ${MAX_LINE / 1024} KiB`);
          continue;
        }
        // Cheaper than to parse a flood of them.
        if (!/^\s*\{/.test(line)) {
          this.#drop('that is not a JSON-RPC message');
          continue;
        }
        // The SDK passes over it without a word.
        if (!isJson(line)) {
          this.#drop('that is not JSON');
          continue;
        }
        yield Buffer.from(`${line}\n`);
        await this.#until(() => this.#isEnding || hasRoom());
      }
    } catch (error) {
      // Ending it ourselves makes its reader fail.
      if (!this.#isEnding) this.#onerror(error instanceof Error ? error : new Error(String(error)));
    }
    // The last line is delivered.
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

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
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
