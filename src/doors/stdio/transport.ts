import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { isLate } from '../../core/time.ts';
import { withArguments } from '../mcp.ts';
import type { CallQueue, RequestId } from './calls.ts';
import { type Rejection, readLine } from './messages.ts';

/** Never answered: it stays open for as long as the client listens. */
const NEVER_ANSWERED = 'subscriptions/listen';

/**
 * The SDK's transport, with our own say in tool calls: the queue knows them, and a call that was
 * cancelled before its answer is not answered. The SDK hears nothing of such a cancellation, because
 * it would drop an answer that has been charged already.
 */
export class QueueingTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  whenClosed: () => void = () => {};
  readonly #inner: StdioServerTransport;
  readonly #calls: CallQueue;
  readonly #reject: (rejection: Rejection) => void;
  /** Other requests that were received and not yet answered or cancelled. */
  readonly #unanswered = new Set<RequestId>();
  #whenAnswered: () => void = () => {};

  /** `reject` writes an answer whose id may be null, which the SDK's messages cannot be. */
  constructor(
    inner: StdioServerTransport,
    calls: CallQueue,
    reject: (rejection: Rejection) => void,
  ) {
    this.#inner = inner;
    this.#calls = calls;
    this.#reject = reject;
    inner.onmessage = (message) => this.onmessage?.(withArguments(message));
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => {
      this.#calls.clear();
      this.#unanswered.clear();
      this.#whenAnswered();
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
    const answered = 'method' in message ? undefined : message.id;
    if (answered === undefined) return this.#inner.send(message);
    if (this.#unanswered.has(answered)) {
      await this.#inner.send(message);
      this.#settle(answered);
    } else if (this.#calls.settle(answered)) {
      await this.#inner.send(message);
    }
  }

  /** Whether a line is for the SDK. Answers what is no message, and cancels calls. */
  takes(line: Buffer): boolean {
    const read = readLine(line);
    if (read.kind === 'rejected') this.#reject(read.rejection);
    if (read.kind !== 'message') return false;
    const { message } = read;
    if (isJSONRPCRequest(message)) this.#receive(message.id, message.method, line.length);
    else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const cancelled = message.params?.requestId;
      if (typeof cancelled !== 'string' && typeof cancelled !== 'number') return true;
      if (this.#calls.cancel(cancelled)) return false;
      this.#settle(cancelled);
    }
    return true;
  }

  /** Resolves when every request is answered, or after `ms` milliseconds. */
  async drained(ms: number): Promise<void> {
    await isLate(Promise.all([this.#answered(), this.#calls.idle()]), ms);
  }

  #receive(id: RequestId, method: string, bytes: number): void {
    if (method === 'tools/call') this.#calls.receive(id, bytes);
    else if (method !== NEVER_ANSWERED) this.#unanswered.add(id);
  }

  #answered(): Promise<void> {
    if (this.#unanswered.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenAnswered = resolve;
    });
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size === 0) this.#whenAnswered();
  }
}
