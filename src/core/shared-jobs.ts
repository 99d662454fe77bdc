import { isLate, untilAborted } from './time.ts';

/** Maximum wait for a connection, short enough for a call to end within two seconds. */
export const CONNECT_WAIT_MS = 1_200;
/** How often a caller checks whether any process has found the upstream unreachable. */
const POLL_MS = 100;

/** After `pending` and `unreachable` the work continues; after `unreachable` it will likely fail. */
export type WaitResult = 'settled' | 'pending' | 'unreachable';

/** Jobs by name, so that concurrent callers share one. */
export class SharedJobs {
  readonly #closing = new AbortController();
  /** Includes stopped jobs that have not ended yet. */
  readonly #running = new Set<Job>();

  /** The running job with this name; undefined if there is none or it has been stopped. */
  find(name: string): Job | undefined {
    return [...this.#running].find((job) => job.name === name && !job.isStopped);
  }

  /** Starts `work`, which must not reject, on the next microtask; after `close`, its signal is already aborted. */
  start(name: string, work: (signal: AbortSignal) => Promise<void>): Job {
    const job = new Job(name, work, this.#closing.signal);
    this.#running.add(job);
    void job.done.then(() => this.#running.delete(job));
    return job;
  }

  /** Stops every job and resolves when all have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#running].map(({ done }) => done));
  }
}

/** Work that is under way, and the callers that wait for it. */
export class Job {
  readonly name: string;
  /** Resolves when the work has ended, whatever its result. */
  readonly done: Promise<void>;
  readonly #stopping = new AbortController();
  #reasonsToGoOn = 0;

  constructor(name: string, work: (signal: AbortSignal) => Promise<void>, closing: AbortSignal) {
    this.name = name;
    const signal = AbortSignal.any([closing, this.#stopping.signal]);
    this.done = Promise.resolve().then(() => work(signal));
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Lets the work continue in the background even if all callers leave. */
  keep(): void {
    this.#reasonsToGoOn += 1;
  }

  /**
   * Waits for the work on behalf of a caller: up to `longestMs`, or `CONNECT_WAIT_MS` if the upstream is
   * unreachable. Work that takes longer continues in the background. Aborting `signal` rejects with its reason,
   * after stopping the work unless another caller has waited for it or called `keep`.
   */
  async attend(
    longestMs: number,
    isUnreachable: () => boolean,
    signal: AbortSignal,
  ): Promise<WaitResult> {
    this.keep();
    try {
      // On success `keep` is not undone: the caller's reply says that the work continues.
      return await untilAborted(waitFor(this.done, longestMs, isUnreachable), signal);
    } catch (error) {
      this.#reasonsToGoOn -= 1;
      if (this.#reasonsToGoOn === 0) {
        this.#stopping.abort(signal.reason);
        await this.done;
      }
      throw error;
    }
  }
}

async function waitFor(
  done: Promise<void>,
  longestMs: number,
  isUnreachable: () => boolean,
): Promise<WaitResult> {
  const first = Math.min(CONNECT_WAIT_MS, longestMs);
  if (!(await isLate(done, first))) return 'settled';
  for (let waited = first; waited < longestMs; waited += POLL_MS) {
    if (isUnreachable()) return 'unreachable';
    if (!(await isLate(done, POLL_MS))) return 'settled';
  }
  return 'pending';
}
