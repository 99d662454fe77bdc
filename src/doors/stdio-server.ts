import { EventEmitter, once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  deserializeMessage,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
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
  const report = (line: string) => log(`protocol: ${line}`);
  const transport = new BoundedTransport(input, output, report);
  serveStdio(() => createServer(call, (subject, read) => readShelf(subject, read, { open, log })), {
    transport,
    onerror: ({ message }) => report(message),
  });
  return {
    finished: transport.closed.then(() => inFlight.ended()),
    close: () => transport.end(),
  };
}

/**
 * Reads on only while the client reads its answers, and answers what was read when the input ends. The
 * SDK's own transport drops what is unanswered then, reads ahead without a limit, and passes over a line
 * that is not JSON without a word.
 */
class BoundedTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  readonly closed: Promise<void>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #report: (line: string) => void;
  /** Ids of requests. */
  readonly #unanswered = new Set<unknown>();
  /** How many lines were dropped, by what they are. */
  readonly #dropped = new Map<string, number>();
  /** `change`: a request was answered, the output was read or the input ends. `close`: once. */
  readonly #events = new EventEmitter();
  #isEnding = false;
  #isClosed = false;

  constructor(input: Readable, output: Writable, report: (line: string) => void) {
    this.#input = input;
    this.#output = output;
    this.#report = report;
    this.closed = once(this.#events, 'close').then(() => {});
    output.on('drain', () => this.#events.emit('change'));
    output.on('error', ({ message }) => {
      // A host that is gone is told of once.
      if (!this.#isClosed) report(message);
      void this.close();
    });
  }

  async start(): Promise<void> {
    void this.#read();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#isClosed) this.#output.write(serializeMessage(message));
    if (!('method' in message)) this.#settle(message.id);
  }

  /** Reads no more lines, and closes when those that were read are answered. */
  end(): void {
    this.#isEnding = true;
    this.#events.emit('change');
    this.#input.destroy();
  }

  /** Waits for no answer: nobody reads them. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.end();
    this.onclose?.();
    this.#events.emit('close');
  }

  async #read(): Promise<void> {
    const isRead = () => !this.#output.writableNeedDrain;
    const hasRoom = () => isRead() && this.#unanswered.size < MAX_UNANSWERED;
    try {
      for await (const line of linesOf(this.#input)) {
        const message = this.#parse(line);
        if (message === undefined) continue;
        this.#follow(message);
        this.onmessage?.(withArguments(message));
        await this.#until(() => this.#isEnding || hasRoom());
      }
    } catch (error) {
      // Ending it ourselves makes its reader fail.
      if (!this.#isEnding) this.#report(error instanceof Error ? error.message : String(error));
    }
    await isLate(
      this.#until(() => this.#unanswered.size === 0 && isRead()),
      DRAIN_MS,
    );
    await this.close();
  }

  /** The message of a line; undefined for an empty line, and for one that is dropped. */
  #parse(line: string): JSONRPCMessage | undefined {
    if (line.trim() === '') return undefined;
    if (line.length > MAX_LINE) return this.#drop(`of more than ${MAX_LINE / 1024} KiB`);
    try {
      return deserializeMessage(line);
    } catch (error) {
      const what = error instanceof SyntaxError ? 'JSON' : 'a JSON-RPC message';
      return this.#drop(`that is not ${what}`);
    }
  }

  /** Never quotes the line. A client that floods us is told of at 1, 10, 100 … lines. */
  #drop(what: string): undefined {
    const count = (this.#dropped.get(what) ?? 0) + 1;
    this.#dropped.set(what, count);
    if (!/^10*$/.test(String(count))) return;
    const total = count === 1 ? '' : `, ${count.toLocaleString('en-US')} by now`;
    this.#report(`A line ${what} was dropped${total}.`);
  }

  /** Notes what is to be answered. */
  #follow(message: JSONRPCMessage): void {
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

  async #until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && !this.#isClosed) await once(this.#events, 'change');
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
