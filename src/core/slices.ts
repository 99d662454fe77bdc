import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/**
 * Runs work that yields after each slice, and lets everything else have its turn in between. When
 * `signal` is aborted, the work ends at its slice and the promise rejects with the signal's reason.
 */
export async function runInSlices<T>(
  work: Generator<undefined, T>,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    const step = signal.aborted ? work.throw(signal.reason) : work.next();
    if (step.done === true) return step.value;
    await yieldToEventLoop();
  }
}
