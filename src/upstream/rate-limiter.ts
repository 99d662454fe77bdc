/** Paces the requests to an upstream. `store/rate-limiter.ts` has one that all processes share. */
export interface RateLimiter {
  /**
   * Runs `work` alone, at least `intervalMs` milliseconds after the last start and not before a
   * block ends. Aborting `signal` ends the wait with its reason, but does not interrupt `work`.
   */
  run<T>(intervalMs: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Blocks all runs for `ms` milliseconds, unless a longer block is already in force. */
  blockFor(ms: number): void;
  /** Milliseconds until the block ends; 0 when there is none. */
  retryAfter(): number;
}

/** For an upstream without a rate limit. */
export const UNLIMITED: RateLimiter = {
  run: (_, work) => work(),
  blockFor() {},
  retryAfter: () => 0,
};
