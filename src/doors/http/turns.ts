import type { Account } from '../../core/context.ts';
import type { OpenShelf } from '../../core/run.ts';

type OpenFor = (account: Account) => Promise<OpenShelf>;

/**
 * Lets keys take turns at what blocks the process: the start of a call, which reads the store
 * synchronously, and each embedding. Nobody waits while another call waits for an upstream.
 */
export function takingTurns(openFor: OpenFor): OpenFor {
  const turns = new Turns();
  return async (account) => {
    const shelf = await turns.take(account.name, () => openFor(account));
    const embedQuery = (text: string) =>
      turns.take(account.name, () => shelf.context.embedQuery(text));
    return { ...shelf, context: { ...shelf.context, embedQuery } };
  };
}

/** Round-robin: one piece of work at a time, one key after the other. */
export class Turns {
  readonly #queues = new Map<string, (() => Promise<void>)[]>();
  #isRunning = false;

  /** Runs `work` in a turn of the key and settles as it does. Its synchronous continuation is part of the turn. */
  take<T>(key: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const queue = this.#queues.get(key) ?? [];
      queue.push(() => Promise.resolve().then(work).then(resolve, reject));
      this.#queues.set(key, queue);
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (const [key, queue] of this.#queues) {
      this.#queues.delete(key);
      const [next, ...others] = queue;
      // Moved to the end of the map, where this loop reaches it again.
      if (others.length > 0) this.#queues.set(key, others);
      await next?.();
      // Lets the event loop read other connections.
      await new Promise(setImmediate);
    }
    this.#isRunning = false;
  }
}
