import { untilAborted } from './time.ts';

/** Work that is under way, and the callers that wait for it. */
export interface Job {
  /** Resolves when the work has ended, however it did. */
  done: Promise<void>;
  /** Lets the work go on in the background, whoever leaves. */
  keep(): void;
  /**
   * Waits with `waiting` on behalf of a caller, and keeps the job once that has resolved. Aborting
   * `signal` rejects with its reason; if no other caller waits and nobody has kept the job, it stops
   * the work and rejects when that has ended.
   */
  attend<T>(waiting: Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Jobs by name, so that concurrent callers share one. */
export function createSharedJobs() {
  const jobs = new Map<string, Job>();
  /** Also those that were stopped and have not ended yet. */
  const running = new Map<Promise<void>, AbortController>();
  let isClosed = false;
  return {
    find: (name: string) => jobs.get(name),
    /** Starts `work` on the next microtask, once closed with an aborted signal. It must not reject. */
    start(name: string, work: (signal: AbortSignal) => Promise<void>): Job {
      const stopping = new AbortController();
      if (isClosed) stopping.abort();
      // A stopped job takes no further callers.
      const forget = () => {
        if (jobs.get(name) === job) jobs.delete(name);
      };
      const done = Promise.resolve()
        .then(() => work(stopping.signal))
        .finally(() => {
          forget();
          running.delete(done);
        });
      const job = createJob(done, (reason) => {
        forget();
        stopping.abort(reason);
      });
      jobs.set(name, job);
      running.set(done, stopping);
      return job;
    },
    /** Stops every job and resolves when all have ended. */
    async close(): Promise<void> {
      isClosed = true;
      for (const stopping of running.values()) stopping.abort();
      await Promise.all(running.keys());
    },
  };
}

function createJob(done: Promise<void>, stop: (reason: unknown) => void): Job {
  let reasonsToGoOn = 0;
  const keep = () => {
    reasonsToGoOn += 1;
  };
  return {
    done,
    keep,
    async attend(waiting, signal) {
      keep();
      try {
        // It stays kept then: the caller's answer says that the work continues.
        return await (signal === undefined ? waiting : untilAborted(waiting, signal));
      } catch (error) {
        reasonsToGoOn -= 1;
        if (signal?.aborted === true && reasonsToGoOn === 0) {
          stop(signal.reason);
          await done;
        }
        throw error;
      }
    },
  };
}
