/** How far a pull goes: all lists, or the first pages of the most traded events. */
export type Reach = 'whole' | 'busiest';

/** The last pull of a reach. Milliseconds since 1970. */
export interface PullStamp {
  reach: Reach;
  begunAt: number;
  /** Null from its beginning to its end, however it ends. */
  overAt: number | null;
  /** When one last came to the end of all its lists. */
  finishedAt: number | null;
}

/** Odds older than this are old; nor is a pull begun by itself more often. */
const FRESH_MS = 15 * 60_000;
/** Between two whole pulls; in between, the most traded events have to do. */
const WHOLE_EVERY_MS = 6 * 60 * 60_000;
/** A whole pull that did not come to its end is not begun again sooner. */
const WHOLE_AGAIN_MS = 60 * 60_000;

/** True of odds seen at `seenAt`, ISO 8601, that are older than they should be. */
export function isOld(seenAt: string, now: Date): boolean {
  return !isWithin(Date.parse(seenAt), FRESH_MS, now);
}

/** The pull that is due by itself; null while one was begun of late, by whatever process. */
export function nextReach(pulls: readonly PullStamp[], now: Date): Reach | null {
  if (pulls.some(({ begunAt }) => isWithin(begunAt, FRESH_MS, now))) return null;
  const whole = pulls.find(({ reach }) => reach === 'whole');
  const isWholeDue =
    whole === undefined ||
    (!isWithin(whole.finishedAt ?? 0, WHOLE_EVERY_MS, now) &&
      !isWithin(whole.begunAt, WHOLE_AGAIN_MS, now));
  return isWholeDue ? 'whole' : 'busiest';
}

/** The pull that was begun last and is not over, as far as the store knows. */
export function openPull(pulls: readonly PullStamp[]): PullStamp | null {
  const [last] = pulls.toSorted((a, b) => b.begunAt - a.begunAt);
  return last === undefined || last.overAt !== null ? null : last;
}

/** A moment of the future is none: the clock ran ahead when it was written down. */
function isWithin(moment: number, ms: number, now: Date): boolean {
  const age = now.getTime() - moment;
  return age >= 0 && age < ms;
}
