/** Counts what is under way, so that a shutdown can wait for it. */
export interface Tally {
  /** Begins one piece of work; the function it returns ends it. */
  enter(): () => void;
  /** Settles when nothing is under way, or after `ms`. */
  empty(ms: number): Promise<void>;
}

export function createTally(): Tally {
  let count = 0;
  let whenEmpty = () => {};
  return {
    enter() {
      count += 1;
      return () => {
        count -= 1;
        if (count === 0) whenEmpty();
      };
    },
    empty(ms) {
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        whenEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
