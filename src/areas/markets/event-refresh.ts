import type { Database } from 'better-sqlite3';
import { describeError } from '../../core/errors.ts';
import { SharedJobs, type WaitResult } from '../../core/shared-jobs.ts';
import { listServed } from './pulls.ts';
import { listPulls } from './queries.ts';
import type { VenueClient } from './sources/venue-client.ts';
import { VENUES, type Venue, venuesOf } from './sources/venues.ts';
import { refreshEvent } from './sync.ts';

export type EventRefresher = ReturnType<typeof createEventRefresher>;

/** Maximum time that a reader waits for a venue; the request then continues in the background. */
const LONGEST_WAIT_MS = 2_000;
/** Minimum time between requests for the same event that are not cancelled. */
const PAUSE_MS = 60_000;

interface EventRefresherOptions {
  /** Writable. */
  db: Database;
  open(venue: Venue): Promise<{
    source: VenueClient;
    reachability: { isUpstreamUnreachable(): boolean };
  }>;
  now(): Date;
  log(line: string): void;
}

/** Creates a refresher for events being read; concurrent readers of an event share one request. */
export function createEventRefresher({ db, open, now, log }: EventRefresherOptions) {
  const jobs = new SharedJobs();
  const requestedAt = new Map<number, number>();
  return {
    /** See `freshenEvent` in `Context`. */
    async freshen(id: number, signal: AbortSignal): Promise<WaitResult | 'off'> {
      const on = venuesOf(listPulls(db));
      const [event] = listServed(db, [id]);
      const venue = VENUES.find(({ name }) => name === event?.source && on.includes(name));
      if (event === undefined || venue === undefined) return 'off';
      const { source: client, reachability } = await open(venue);
      const isUnreachable = () => reachability.isUpstreamUnreachable();
      if (isUnreachable()) return 'unreachable';
      const running = jobs.find(event.alias);
      const isRecent = now().getTime() - (requestedAt.get(id) ?? 0) < PAUSE_MS;
      if (running === undefined && isRecent) return 'settled';
      const request = async (stop: AbortSignal) => {
        requestedAt.set(id, now().getTime());
        try {
          await refreshEvent(db, client, event, now, stop);
        } catch (error) {
          // A request that its callers gave up says nothing about the venue.
          if (stop.aborted) requestedAt.delete(id);
          else log(`markets: ${describeError(error)}`);
        }
      };
      const job = running ?? jobs.start(event.alias, request);
      const result = await job.attend(LONGEST_WAIT_MS, isUnreachable, signal);
      // A refused connection ends the request at once.
      return result === 'settled' && isUnreachable() ? 'unreachable' : result;
    },
    close: () => jobs.close(),
  };
}
