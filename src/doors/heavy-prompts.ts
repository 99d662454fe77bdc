import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../core/errors.ts';

/** Prompts that may wait for the one at work; each takes a second at most. */
const MAX_WAITING = 16;

/**
 * Runs the prompts that read much one after the other, in the order they came: the slices of several
 * would come in one turn of the event loop. One for all clients of a process.
 */
export class HeavyPrompts {
  #isRunning = false;
  readonly #waiting = new Set<() => void>();

  /**
   * Runs `work` in its turn. Throws `service_unavailable` when too many wait, and the signal's reason
   * when it is aborted before the turn comes; it gives its place to the next at once.
   */
  async run<T>(signal: AbortSignal, work: () => T | Promise<T>): Promise<T> {
    signal.throwIfAborted();
    await this.#turn(signal);
    try {
      // A cancellation that came together with the prompt is read first.
      await nextTurn();
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#isRunning = false;
      const [next] = this.#waiting;
      next?.();
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (!this.#isRunning) {
      this.#isRunning = true;
      return Promise.resolve();
    }
    if (this.#waiting.size >= MAX_WAITING) {
      throw new ServiceError(
        'service_unavailable',
        `${MAX_WAITING} prompts of this kind wait for their turn already. Try again in a moment.`,
      );
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(start);
        reject(signal.reason);
      };
      const start = () => {
        signal.removeEventListener('abort', leave);
        this.#waiting.delete(start);
        this.#isRunning = true;
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(start);
    });
  }
}
