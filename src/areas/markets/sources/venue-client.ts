import type { HttpClient } from '../../../upstream/client.ts';
import { InvalidResponseError } from '../../../upstream/failures.ts';
import type { VenueEvent, VenueMarket } from './event-card.ts';

/** Opens a venue. */
export type Connect = (client: Pick<HttpClient, 'get'>, options: VenueOptions) => VenueClient;

export interface VenueOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Overrides the interval between requests, in milliseconds. */
  paceMs: number | undefined;
}

/** Its methods reject with an UpstreamError. */
export interface VenueClient {
  /** Lists that together hold all open events with these tags, and those that closed of late. */
  lists(tags: readonly string[], now: Date): readonly EventList[];
  /** One event; null when the venue does not know it. It may have lost its markets. */
  getEvent(sourceId: string, signal?: AbortSignal): Promise<VenueEvent | null>;
  /** The settled markets of an event that the venue has moved to its archive; none where it has no archive. */
  listArchive?(sourceId: string, signal?: AbortSignal): Promise<VenueMarket[]>;
}

/** A venue that can be asked. */
export interface OpenVenue extends VenueClient {
  name: string;
  /** For people. */
  title: string;
}

/** A list of events at a venue. */
export interface EventList {
  /** For people, such as "open events of gold". */
  name: string;
  /** Its pages to the end. */
  pages(signal: AbortSignal | undefined): AsyncIterable<EventPage>;
}

export interface EventPage {
  events: VenueEvent[];
  /** Number of events that the source left out as outside finance. */
  outside: number;
  /** Number of events skipped because they could not be parsed. */
  unreadable: number;
  /** What was refused, as sentences for users; the page holds the rest. */
  warnings?: readonly string[];
}

/** A page with the cursor of the next; null at the end. */
export type CursorPage = EventPage & { cursor: string | null };

/** The pages of a list to its end. Throws an InvalidResponseError if they repeat or do not end. */
export async function* walkPages(
  venue: string,
  limit: number,
  getPage: (cursor: string | null) => Promise<CursorPage>,
): AsyncGenerator<EventPage> {
  const cursors = new Set<string | null>([null]);
  for (let next: string | null = null; ; ) {
    const { cursor, ...page }: CursorPage = await getPage(next);
    yield page;
    if (cursor === null) return;
    const fault = cursors.has(cursor)
      ? 'the same page again'
      : cursors.size === limit && `more than ${limit} pages`;
    if (fault) throw new InvalidResponseError(`${venue} sent ${fault}.`);
    cursors.add(cursor);
    next = cursor;
  }
}

/** Throws an InvalidResponseError where less than half of what came is valid. */
export function requireHalf(venue: string, valid: number, all: number): void {
  if (valid * 2 < all) throw new InvalidResponseError(`${venue} sent mostly invalid data.`);
}
