import { isLate } from '../../core/time.ts';

/** Counts work in flight, so that a shutdown can wait for it. */
export interface InFlightCounter {
  /** Begins one piece of work; the returned function ends it. */
  enter(): () => void;
  /** Resolves when nothing is in flight, or after `ms` milliseconds. */
  drained(ms: number): Promise<void>;
}

export function createInFlightCounter(): InFlightCounter {
  let count = 0;
  let whenDrained = () => {};
  return {
    enter() {
      count += 1;
      return () => {
        count -= 1;
        if (count === 0) whenDrained();
      };
    },
    async drained(ms) {
      if (count === 0) return;
      const drained = new Promise<void>((resolve) => {
        whenDrained = resolve;
      });
      await isLate(drained, ms);
    },
  };
}
