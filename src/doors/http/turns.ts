import type { Account } from '../../core/context.ts';
import type { OpenShelf } from '../../core/run.ts';

type OpenFor = (account: Account) => Promise<OpenShelf>;

/**
 * Takes turns between keys at what occupies the process: the start of a call, which reads the store
 * without a pause, and each embedding. Waiting for an upstream holds nobody back.
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

/** One piece of work at a time: the first of a key, then the first of the next key. */
export class Turns {
  readonly #queues = new Map<string, (() => Promise<void>)[]>();
  #isRunning = false;

  /** Settles as `work` does, in a turn of the key. What follows without a pause belongs to the turn. */
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
      // At the end of the row, where this loop meets it again.
      if (others.length > 0) this.#queues.set(key, others);
      await next?.();
      // Other connections are read in between.
      await new Promise(setImmediate);
    }
    this.#isRunning = false;
  }
}
