import type { Account } from '../../core/context.ts';
import type { OpenShelf } from '../../core/run.ts';

type OpenFor = (account: Account) => Promise<OpenShelf>;

/**
 * Lets keys take turns at work that blocks the process: starting a call, which reads the store synchronously,
 * and each embedding. A call that waits for an upstream delays no other.
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

/** Round-robin over keys, one piece of work at a time. */
class Turns {
  readonly #queues = new Map<string, (() => Promise<void>)[]>();
  #isRunning = false;

  /**
   * Runs `work` in one of the key's turns and settles with its result. The caller's synchronous continuation
   * belongs to the same turn.
   */
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
      // Move the key to the end of the map, which this loop has yet to reach.
      if (others.length > 0) this.#queues.set(key, others);
      await next?.();
      // Let the event loop read other connections.
      await new Promise(setImmediate);
    }
    this.#isRunning = false;
  }
}
