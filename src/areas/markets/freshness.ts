import type { PullScope } from './sources/venue.ts';

/** The last pull of a scope. Times are milliseconds since 1970. */
export interface PullStamp {
  scope: PullScope;
  begunAt: number;
  /** Null while it runs. */
  overAt: number | null;
  /** When one last read every list to its end. */
  finishedAt: number | null;
}

/** Odds older than this are refreshed; also the minimum time between automatic pulls. */
const FRESH_MS = 15 * 60_000;
/** Time between full pulls; in between only the most traded events are fetched. */
const FULL_EVERY_MS = 6 * 60 * 60_000;
/** Minimum time before an unfinished full pull is repeated. */
const FULL_RETRY_MS = 60 * 60_000;
/** The process of a pull is up and holds its lock by then. */
const START_MS = 60_000;

/** Whether odds observed at `seenAt` (ISO 8601) need a refresh. */
export function isOld(seenAt: string, now: Date): boolean {
  return !isWithin(Date.parse(seenAt), FRESH_MS, now);
}

/** The automatic pull that is due; null shortly after any process began one. */
export function nextScope(pulls: readonly PullStamp[], now: Date): PullScope | null {
  if (pulls.some(({ begunAt }) => isWithin(begunAt, FRESH_MS, now))) return null;
  const full = pulls.find(({ scope }) => scope === 'full');
  const isFullDue =
    full === undefined ||
    (!isWithin(full.finishedAt ?? 0, FULL_EVERY_MS, now) &&
      !isWithin(full.begunAt, FULL_RETRY_MS, now));
  return isFullDue ? 'full' : 'top';
}

/** The latest pull, if it has not ended according to the store. */
export function openPull(pulls: readonly PullStamp[]): PullStamp | null {
  const last = latestPull(pulls);
  return last === undefined || last.overAt !== null ? null : last;
}

/** Whether the latest pull, of which none is at work, ended before it had read every list. */
export function hasFailed(pulls: readonly PullStamp[], now: Date): boolean {
  const last = latestPull(pulls);
  if (last === undefined) return false;
  return last.overAt === null
    ? !isWithin(last.begunAt, START_MS, now)
    : last.finishedAt !== last.overAt;
}

function latestPull(pulls: readonly PullStamp[]): PullStamp | undefined {
  return pulls.toSorted((a, b) => b.begunAt - a.begunAt)[0];
}

/** Ignores a time in the future: it came from a clock that was ahead. */
function isWithin(moment: number, ms: number, now: Date): boolean {
  const age = now.getTime() - moment;
  return age >= 0 && age < ms;
}
