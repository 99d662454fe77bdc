const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Without a history of releases: how many days apart they usually are. */
const USUAL_GAP: Readonly<Record<string, number>> = {
  Daily: 1,
  Weekly: 7,
  Monthly: 30,
  Quarterly: 30,
  Annual: 90,
};
/** Once a release is awaited, FRED is asked again after so many hours. */
const ASK_AGAIN: Readonly<Record<string, number>> = {
  Daily: 4,
  Weekly: 8,
  Monthly: 12,
  Quarterly: 24,
  Annual: 48,
};
/** Releases that say how far apart the next one is. */
const RELEASES = 12;
/** Most figures are out by then, in hours UTC; a later one is found by asking again. */
const RELEASE_HOUR = 14;
/** A due day further ahead was written by a clock that has since been set back. */
const FURTHEST_MS = 400 * DAY_MS;

/**
 * When a series is next worth asking for: as long after its last release as its releases usually
 * are apart (the median of the last twelve gaps), and not before another few hours when that time
 * has come without any. `days` are days of publication, oldest first.
 */
export function nextDue(frequency: string, days: readonly string[], now: Date): Date {
  const recent = days.slice(-RELEASES - 1);
  const gaps = recent.slice(1).map((day, index) => daysBetween(recent[index] ?? day, day));
  const gap = gaps.length < 3 ? (USUAL_GAP[frequency] ?? 30) : medianOf(gaps);
  const last = recent.at(-1);
  const askAgain = now.getTime() + (ASK_AGAIN[frequency] ?? 24) * HOUR_MS;
  if (last === undefined) return new Date(askAgain);
  const expected = Date.parse(`${last}T00:00:00Z`) + gap * DAY_MS + RELEASE_HOUR * HOUR_MS;
  return new Date(Math.max(expected, askAgain));
}

/** True when a series should be asked for; `due` is null while nothing came from FRED. */
export function isDue(due: string | null, now: Date): boolean {
  if (due === null) return true;
  const left = Date.parse(due) - now.getTime();
  return left <= 0 || left > FURTHEST_MS;
}

/** When to try again after a failure: the longer the figures are overdue, the longer. */
export function retryAfter(due: string | null, now: Date): Date {
  const overdue = due === null ? 0 : now.getTime() - Date.parse(due);
  const wait = Math.min(6 * HOUR_MS, Math.max(HOUR_MS / 4, overdue / 2));
  return new Date(now.getTime() + wait);
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 1;
}
