import * as z from 'zod';
import type { HttpClient } from '../../../upstream/client.ts';
import { InvalidResponseError, RejectedRequestError } from '../../../upstream/failures.ts';
import { readJson } from '../../../upstream/json.ts';
import type { VenueEvent, VenueMarket } from './event-card.ts';

/** Creates the client of a venue. */
export type Connect = (client: Pick<HttpClient, 'get'>, options: VenueOptions) => VenueClient;

interface VenueOptions {
  /** Without a trailing slash. */
  baseUrl: string;
}

/** Its methods reject with an UpstreamError. */
export interface VenueClient {
  /** Lists that together contain all open and recently closed events with these tags. */
  lists(tags: readonly string[], now: Date): readonly EventList[];
  /** Null if the venue does not know the event, which may also have lost its markets. */
  getEvent(sourceId: string, signal?: AbortSignal): Promise<VenueEvent | null>;
  /** Settled markets of an event in the venue's archive; undefined for a venue without one. */
  listArchive?(sourceId: string, signal?: AbortSignal): Promise<VenueMarket[]>;
}

/** A venue that can be queried. */
export interface OpenVenue extends VenueClient {
  name: string;
  title: string;
}

/** A list of events at a venue. */
export interface EventList {
  /** For messages to users, such as "open events tagged gold". */
  name: string;
  pages(signal: AbortSignal | undefined): AsyncIterable<EventPage>;
}

export interface EventPage {
  events: VenueEvent[];
  /** Number of events that the client dropped as outside finance. */
  outside: number;
  /** Number of events that could not be parsed. */
  unreadable: number;
}

/** A page, with the cursor of the next; null at the end. */
export type CursorPage = EventPage & { cursor: string | null };

/** Far above the 20 ms that the only stated limit requires: 500 requests in 10 seconds. */
const INTERVAL_MS = 250;
/** A page of 100 events with their markets takes 2 MB, up to 20 MB for events with many markets. */
const MAX_BYTES = 64 * 1024 * 1024;
/**
 * Maximum number of pages in a list. Lists of closed events are long because of short windows,
 * which we drop.
 */
const MAX_PAGES = 1_000;

/** All pages of a list. Throws an InvalidResponseError if they repeat or do not end. */
export async function* walkPages(
  venue: string,
  getPage: (cursor: string | null) => Promise<CursorPage>,
): AsyncGenerator<EventPage> {
  const cursors = new Set<string | null>([null]);
  for (let next: string | null = null; ; ) {
    const { cursor, ...page }: CursorPage = await getPage(next);
    yield page;
    if (cursor === null) return;
    const fault = cursors.has(cursor)
      ? 'the same page again'
      : cursors.size === MAX_PAGES && `more than ${MAX_PAGES} pages`;
    if (fault) throw new InvalidResponseError(`${venue} sent ${fault}.`);
    cursors.add(cursor);
    next = cursor;
  }
}

/** Requests JSON of a given shape from a venue; null if it has nothing at the path. */
export function getterOf(
  client: Pick<HttpClient, 'get'>,
  { baseUrl }: VenueOptions,
  title: string,
) {
  return <T>(path: string, shape: z.ZodType<T>, signal?: AbortSignal): Promise<T | null> =>
    client.get(`${baseUrl}/${path}`, {
      statuses: [400, 404, 422],
      read({ status, body }) {
        if (status !== 200 && status !== 404)
          throw new RejectedRequestError(`${title} rejected the request.`);
        // Only JSON is the venue's own 404; a proxy sends a page.
        if (status === 404) readJson(body, z.unknown(), title);
        return status === 404 ? null : readJson(body, shape, title);
      },
      maxBytes: MAX_BYTES,
      intervalMs: INTERVAL_MS,
      signal,
    });
}

/** A venue's response for a list. Throws a RejectedRequestError for null. */
export function requirePage<T>(title: string, page: T | null): T {
  if (page === null) throw new RejectedRequestError(`${title} has nothing at this address.`);
  return page;
}

/** The items that can be parsed. Throws an InvalidResponseError if most cannot. */
export function readEach<T>(title: string, wires: readonly unknown[], shape: z.ZodType<T>): T[] {
  const items = wires.flatMap((wire) => shape.safeParse(wire).data ?? []);
  requireHalf(title, items.length, wires.length);
  return items;
}

/** Throws an InvalidResponseError if less than half of the items are valid. */
export function requireHalf(venue: string, valid: number, all: number): void {
  if (valid * 2 < all) throw new InvalidResponseError(`${venue} sent mostly invalid data.`);
}
