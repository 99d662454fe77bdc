import { performance } from 'node:perf_hooks';

/** Rounds of which the least disturbed counts, for each item: other programs share the machine. */
export const ROUNDS = 3;

/** Milliseconds of `work` on each item, the least of all rounds. One item goes before, untimed. */
export async function spend<T>(
  items: readonly T[],
  work: (item: T, round: number) => unknown,
  rounds = ROUNDS,
): Promise<number[]> {
  return leastOf(items, rounds, async (item, round) => {
    const begun = performance.now();
    await work(item, round);
    return performance.now() - begun;
  });
}

/** What was measured on each item, the least of all rounds. */
export async function leastOf<T>(
  items: readonly T[],
  rounds: number,
  measure: (item: T, round: number) => Promise<number>,
): Promise<number[]> {
  const least = items.map(() => Number.POSITIVE_INFINITY);
  const [first] = items;
  if (first !== undefined) await measure(first, rounds);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, item] of items.entries()) {
      least[index] = Math.min(least[index] ?? 0, await measure(item, round));
    }
  }
  return least;
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
