const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Usual days between releases, for a series without release history. */
const USUAL_GAP: Readonly<Record<string, number>> = {
  Daily: 1,
  Weekly: 7,
  Monthly: 30,
  Quarterly: 30,
  Annual: 90,
};
/** Hours between queries while a release is overdue. */
const ASK_AGAIN: Readonly<Record<string, number>> = {
  Daily: 4,
  Weekly: 8,
  Monthly: 12,
  Quarterly: 24,
  Annual: 48,
};
/** Number of past gaps whose median predicts the next. */
const RELEASES = 12;
/** Hour (UTC) by which most figures are published; later ones are found by the next query. */
const RELEASE_HOUR = 14;
/** Ignore a due date further ahead: it came from a clock that was ahead. */
const FURTHEST_MS = 400 * DAY_MS;

/**
 * When to query a series next: its last release plus the median of the last twelve gaps, or a few
 * hours from now when that has passed without a release. `days` are publication dates, oldest first.
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

/** Whether a series should be queried; `due` is null while nothing came from FRED. */
export function isDue(due: string | null, now: Date): boolean {
  if (due === null) return true;
  const left = Date.parse(due) - now.getTime();
  return left <= 0 || left > FURTHEST_MS;
}

/** Within the back-off after a failure. */
export function isBackingOff({ retryAt }: { retryAt: string | null }, now: Date): boolean {
  return retryAt !== null && !isDue(retryAt, now);
}

/** When to retry after a failure: half the time overdue, between 15 minutes and 6 hours. */
export function retryAfter(due: string | null, now: Date): Date {
  const overdue = due === null ? 0 : now.getTime() - Date.parse(due);
  const wait = Math.min(6 * HOUR_MS, Math.max(HOUR_MS / 4, overdue / 2));
  return new Date(now.getTime() + wait);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 1;
}
