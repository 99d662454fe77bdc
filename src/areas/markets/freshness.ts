import { type PullScope, VENUES, type VenueName } from './sources/venue.ts';

export interface Pull {
  source: VenueName;
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

/** Odds older than this are refreshed; also the minimum time between automatic pulls of a venue. */
const FRESH_MS = 15 * 60_000;
/** Time between full pulls; in between only the most traded events are fetched. */
const FULL_EVERY_MS = 6 * 60 * 60_000;
/** Minimum time before an unfinished full pull is repeated. */
const FULL_RETRY_MS = 60 * 60_000;

/** Whether odds observed at `seenAt` (ISO 8601) need a refresh. */
export function isOld(seenAt: string, now: Date): boolean {
  return !isWithin(Date.parse(seenAt), FRESH_MS, now);
}

/** The venues of a store: an optional one is on once it was pulled. */
export function venuesOf(pulls: readonly PullStamp[]): VenueName[] {
  return VENUES.filter(
    ({ name, isOptional }) => !isOptional || pulls.some(({ source }) => source === name),
  ).map(({ name }) => name);
}

/** The automatic pull that is due at one of the venues; null where there is none. */
export function nextPull(pulls: readonly PullStamp[], now: Date): Pull | null {
  for (const source of venuesOf(pulls)) {
    const scope = nextScope(
      pulls.filter((pull) => pull.source === source),
      now,
    );
    if (scope !== null) return { source, scope };
  }
  return null;
}

/** Of one venue; null shortly after any process began a pull. */
function nextScope(pulls: readonly PullStamp[], now: Date): PullScope | null {
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

/**
 * Whether the latest pull from a venue ended before it had read every list; where only a full pull reads
 * lists, also whether the latest of those did.
 */
export function hasFailed(pulls: readonly PullStamp[], venue: VenueName): boolean {
  const own = pulls.filter(({ source }) => source === venue);
  const hasTop = VENUES.some(({ name, hasTop: has }) => name === venue && has);
  const full = hasTop ? undefined : own.find(({ scope }) => scope === 'full');
  return [latestPull(own), full].some(
    (pull) => pull !== undefined && pull.overAt !== null && pull.finishedAt !== pull.overAt,
  );
}

function latestPull(pulls: readonly PullStamp[]): PullStamp | undefined {
  return pulls.toSorted((a, b) => b.begunAt - a.begunAt)[0];
}

/** Ignores a time in the future: it came from a clock that was ahead. */
function isWithin(moment: number, ms: number, now: Date): boolean {
  const age = now.getTime() - moment;
  return age >= 0 && age < ms;
}
