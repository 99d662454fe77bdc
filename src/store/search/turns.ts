import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long may one piece of work hold the thread, in milliseconds, before others get their turn. */
const HELD_MS = 5;

/** To be awaited between the steps of one piece of work; each step should take a few milliseconds. */
export type Pause = () => Promise<void>;

/** Pauses that cost nothing until the work has held the thread for some milliseconds. */
export function createPause(): Pause {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < HELD_MS) return;
    await nextTurn();
    since = performance.now();
  };
}
