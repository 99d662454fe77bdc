import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Runs work that yields after each slice, and lets everything else have its turn in between. */
export async function runInSlices<T>(work: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await yieldToEventLoop();
  }
}
