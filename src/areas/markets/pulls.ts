import { VENUES, type VenueName } from './sources/venues.ts';

/** `full`: all lists of a venue; `served`: only events that were served with old odds. */
export type PullScope = 'full' | 'served';

export interface Pull {
  source: string;
  scope: PullScope;
}

/** The last pull of a scope from a venue. Times are milliseconds since 1970. */
export interface PullStamp extends Pull {
  begunAt: number;
  /** Null while it runs. */
  overAt: number | null;
  /** When one last read every list to its end. */
  finishedAt: number | null;
}

const MINUTE_MS = 60_000;
/** Odds older than this are refreshed. */
const FRESH_MS = 15 * MINUTE_MS;
/** Minimum time between automatic pulls from a venue. */
const PAUSE_MS = MINUTE_MS;
/** Time between full pulls; in between only the events that were served are fetched. */
const FULL_EVERY_MS = 6 * 60 * MINUTE_MS;
/** Minimum time before an unfinished full pull is repeated. */
const FULL_RETRY_MS = 60 * MINUTE_MS;

/** Whether odds observed at `seenAt` (ISO 8601) need a refresh. */
export function isOld(seenAt: string, now: Date): boolean {
  return !isWithin(Date.parse(seenAt), FRESH_MS, now);
}

/** Ignores a time in the future: it came from a clock that was ahead. */
function isWithin(moment: number, ms: number, now: Date): boolean {
  const age = now.getTime() - moment;
  return age >= 0 && age < ms;
}

/** The venues of a store: an optional one is on once it was pulled. */
export function venuesOf(pulls: readonly PullStamp[]): VenueName[] {
  return VENUES.filter(
    ({ name, isOptional }) => !isOptional || pulls.some(({ source }) => source === name),
  ).map(({ name }) => name);
}

/** The automatic pull that is due; `served` are the venues of events that were served with old odds. */
export function nextPull(
  pulls: readonly PullStamp[],
  served: readonly string[],
  now: Date,
): Pull | null {
  for (const source of venuesOf(pulls)) {
    const own = pulls.filter((pull) => pull.source === source);
    if (own.some(({ begunAt }) => isWithin(begunAt, PAUSE_MS, now))) continue;
    const full = own.find(({ scope }) => scope === 'full');
    const isFullDue =
      full === undefined ||
      (!isWithin(full.finishedAt ?? 0, FULL_EVERY_MS, now) &&
        !isWithin(full.begunAt, FULL_RETRY_MS, now));
    if (isFullDue) return { source, scope: 'full' };
    if (served.includes(source)) return { source, scope: 'served' };
  }
  return null;
}

/** The latest pull, if it has not ended according to the store. */
export function openPull(pulls: readonly PullStamp[]): PullStamp | null {
  const [last] = pulls.toSorted((a, b) => b.begunAt - a.begunAt);
  return last?.overAt === null ? last : null;
}

/** Whether one of the last pulls from a venue ended before it had read what it should. */
export function hasFailed(pulls: readonly PullStamp[], venue: string): boolean {
  return pulls.some(
    ({ source, overAt, finishedAt }) =>
      source === venue && overAt !== null && finishedAt !== overAt,
  );
}
