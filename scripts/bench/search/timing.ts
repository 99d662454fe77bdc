import { performance } from 'node:perf_hooks';

/** Rounds per item, of which the fastest counts, because other programs share the machine. */
export const ROUNDS = 3;

/** Milliseconds of `work` on each item, the fastest of all rounds, after a warm-up with one item. */
export async function timeEach<T>(
  items: readonly T[],
  work: (item: T, round: number) => unknown,
  rounds = ROUNDS,
): Promise<number[]> {
  return fastestOf(items, rounds, async (item, round) => {
    const begun = performance.now();
    await work(item, round);
    return performance.now() - begun;
  });
}

/** The smallest measurement of all rounds for each item. */
export async function fastestOf<T>(
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

/** The longest time that `work` blocked the event loop, in milliseconds. */
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
