import { performance } from 'node:perf_hooks';
import { quantile } from '../figures.ts';

/** Rounds of which the least disturbed is reported: other programs share the machine. */
export const ROUNDS = 3;

/**
 * Milliseconds of `work` on each item, of the round with the lowest median. The first round is
 * preceded by one item untimed.
 */
export async function spend<T>(
  items: readonly T[],
  work: (item: T, round: number) => unknown,
  rounds = ROUNDS,
): Promise<number[]> {
  let best: number[] | undefined;
  const [first] = items;
  if (first !== undefined) await work(first, rounds);
  for (let round = 0; round < rounds; round += 1) {
    const spent: number[] = [];
    for (const item of items) {
      const begun = performance.now();
      await work(item, round);
      spent.push(performance.now() - begun);
    }
    if (best === undefined || quantile(spent, 0.5) < quantile(best, 0.5)) best = spent;
  }
  return best ?? [];
}

/** The longest that other work of this thread had to wait while `work` ran, in milliseconds. */
export async function longestWait(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let isRunning = true;
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  tick();
  isRunning = false;
  return longest;
}

/** Milliseconds in which this machine reads so many bytes of its memory, at best. */
export function readingTime(bytes: number): number {
  const memory = Buffer.alloc(bytes, 1);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 7; round += 1) {
    const begun = performance.now();
    // memchr of a byte that is not there.
    if (memory.indexOf(0) !== -1) throw new Error('the memory was not filled');
    best = Math.min(best, performance.now() - begun);
  }
  return best;
}
