import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { withArguments } from '../mcp.ts';

/** Requests in flight at once; the next one is read when one of them is answered. */
const MAX_IN_FLIGHT = 8;
/** Never answered: it stays open for as long as the client listens. */
const NEVER_ANSWERED = 'subscriptions/listen';

/** Counts the requests that have been received and not yet answered or cancelled. */
export class DrainingTransport implements Transport {
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

  /** Resolves when there is room for one more request. */
  room(): Promise<void> {
    if (this.#unanswered.size < MAX_IN_FLIGHT) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenRoom = resolve;
    });
  }

  /** Resolves when every request is answered, or after `ms` milliseconds. */
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
