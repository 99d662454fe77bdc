import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { withArguments } from '../mcp.ts';

/** Requests without an answer beyond which no further line is read. */
const MAX_UNANSWERED = 1_000;
/** Never answered: it stays open for as long as the client listens. */
const NEVER_ANSWERED = 'subscriptions/listen';

/** The SDK's transport, which knows what it has still to answer. */
export class CountingTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  whenClosed: () => void = () => {};
  readonly #inner: StdioServerTransport;
  readonly #isOutputFull: () => boolean;
  readonly #unanswered = new Set<string | number>();
  readonly #whenChanged: (() => void)[] = [];

  constructor(inner: StdioServerTransport, isOutputFull: () => boolean) {
    this.#inner = inner;
    this.#isOutputFull = isOutputFull;
    inner.onmessage = (message) => {
      if (isJSONRPCRequest(message) && message.method !== NEVER_ANSWERED) {
        this.#unanswered.add(message.id);
      } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
        this.#settle(message.params?.requestId);
      }
      this.onmessage?.(withArguments(message));
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onclose = () => {
      this.#unanswered.clear();
      this.changed();
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
    if (!('method' in message)) this.#settle(message.id);
  }

  /** Resolves when another line may be read. */
  async room(): Promise<void> {
    while (this.#unanswered.size >= MAX_UNANSWERED || this.#isOutputFull()) await this.#change();
  }

  /** Resolves when every request is answered or cancelled. */
  async drained(): Promise<void> {
    while (this.#unanswered.size > 0) await this.#change();
  }

  /** To be called when the output has been read. */
  changed(): void {
    for (const resolve of this.#whenChanged.splice(0)) resolve();
  }

  #settle(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#unanswered.delete(id);
    this.changed();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#whenChanged.push(resolve));
  }
}
