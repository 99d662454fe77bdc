import { setImmediate as nextTurn } from 'node:timers/promises';

/** Calls at work at once, without those that wait for an upstream. */
const MAX_RUNNING = 8;

/**
 * The tool calls of a connection. Eight are at work at once and the others wait in their order, so that
 * everything else is answered meanwhile. One that waits for an upstream leaves its place to the next.
 */
export class CallQueue {
  readonly #isOutputFull: () => boolean;
  readonly #waiting = new Set<() => void>();
  #running = 0;
  /** Calls that have begun and not ended. */
  #open = 0;
  readonly #whenIdle: (() => void)[] = [];

  /** While the client does not read its answers, no call starts. */
  constructor(isOutputFull: () => boolean) {
    this.#isOutputFull = isOutputFull;
  }

  /**
   * Runs a call in its turn, at once where `signal` is aborted, for it then has nothing to do. `work` is
   * given what to call when the call begins to wait; that returns what to call when it goes on.
   */
  async run<T>(signal: AbortSignal, work: (waits: () => () => void) => Promise<T>): Promise<T> {
    this.#open += 1;
    await this.#turn(signal);
    const waits = () => {
      this.#running -= 1;
      this.advance();
      return () => {
        this.#running += 1;
      };
    };
    try {
      // A cancellation that came together with the call is read first.
      await nextTurn();
      return await work(waits);
    } finally {
      this.#running -= 1;
      this.#open -= 1;
      this.advance();
    }
  }

  /** Starts what can start; to be called when the output has been read. */
  advance(): void {
    for (const start of this.#waiting) {
      if (!this.#isFree()) break;
      start();
    }
    if (this.#open === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves when no call is at work. */
  idle(): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #isFree(): boolean {
    return this.#running < MAX_RUNNING && !this.#isOutputFull();
  }

  /** Resolves with a place. */
  #turn(signal: AbortSignal): Promise<void> {
    if (signal.aborted || (this.#waiting.size === 0 && this.#isFree())) {
      this.#running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const start = () => {
        signal.removeEventListener('abort', start);
        this.#waiting.delete(start);
        this.#running += 1;
        resolve();
      };
      signal.addEventListener('abort', start);
      this.#waiting.add(start);
    });
  }
}
