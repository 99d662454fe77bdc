/** Paces the requests to an upstream. `store/rate-limiter.ts` has one that all processes share. */
export interface RateLimiter {
  /**
   * Runs `work` alone, at least `intervalMs` milliseconds after the last start and not before a
   * block ends. Aborting `signal` ends the wait with its reason, but does not interrupt `work`, which
   * is given a signal that aborts with a TimeoutError when it must end its turn.
   */
  run<T>(
    intervalMs: number,
    work: (turn: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>;
  /** Blocks all runs for `ms` milliseconds, unless a longer block is already in force. */
  blockFor(ms: number): void;
  /** Milliseconds until the block ends; 0 when there is none. */
  retryAfter(): number;
}

const NEVER = new AbortController().signal;

/** For an upstream without a rate limit. */
export const UNLIMITED: RateLimiter = {
  run: (_, work) => work(NEVER),
  blockFor() {},
  retryAfter: () => 0,
};
