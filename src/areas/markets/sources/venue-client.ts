import * as z from 'zod';
import type { HttpClient } from '../../../upstream/client.ts';
import { InvalidResponseError, RejectedRequestError } from '../../../upstream/failures.ts';
import { readJson } from '../../../upstream/json.ts';
import type { VenueEvent, VenueMarket } from './event-card.ts';

export type Connect = (
  client: Pick<HttpClient, 'get'>,
  options: { baseUrl: string },
) => VenueClient;

/** Its methods reject with an UpstreamError. */
export interface VenueClient {
  /** Lists that together contain all open finance events, selected by `tags` or by category. */
  lists(tags: readonly string[], now: Date): readonly EventList[];
  /** Null if the venue does not know the event. A known event may have lost its markets. */
  getEvent(sourceId: string, signal?: AbortSignal): Promise<VenueEvent | null>;
  /** An event's settled markets in the archive; a venue without an archive lacks this method. */
  listArchive?(sourceId: string, signal?: AbortSignal): Promise<VenueMarket[]>;
}

export interface OpenVenue extends VenueClient {
  name: string;
  title: string;
}

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

/** A page with the next page's cursor, which is null on the last page. */
export type CursorPage = EventPage & { cursor: string | null };

/** The lowest limit that a venue documents, 20 requests per second, would allow intervals of 50 ms. */
const INTERVAL_MS = 250;
/** A page of 100 events usually takes 2 MB, but up to 20 MB if they have many markets. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Maximum number of pages in a list. Short-lived events make lists of closed events long. */
const MAX_PAGES = 1_000;

/** All pages of a list. Throws an InvalidResponseError if a cursor repeats or the list is too long. */
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

/** Creates a function that requests JSON from a venue; its result is null for a 404. */
export function getterOf(client: Pick<HttpClient, 'get'>, baseUrl: string, title: string) {
  return <T>(path: string, shape: z.ZodType<T>, signal?: AbortSignal): Promise<T | null> =>
    client.get(`${baseUrl}/${path}`, {
      statuses: [400, 404, 422],
      read({ status, body }) {
        if (status !== 200 && status !== 404)
          throw new RejectedRequestError(`${title} rejected the request.`);
        // The venue's own 404 has a JSON body; a proxy's is an HTML page.
        if (status === 404) readJson(body, z.unknown(), title);
        return status === 404 ? null : readJson(body, shape, title);
      },
      maxBytes: MAX_BYTES,
      intervalMs: INTERVAL_MS,
      signal,
    });
}

/** Throws a RejectedRequestError if there is no page. */
export function requirePage<T>(title: string, page: T | null): T {
  if (page === null) throw new RejectedRequestError(`${title} has no such list.`);
  return page;
}

/** The items that can be parsed. Throws an InvalidResponseError if most cannot. */
export function readEach<T>(title: string, wires: readonly unknown[], shape: z.ZodType<T>): T[] {
  const items = wires.flatMap((wire) => shape.safeParse(wire).data ?? []);
  requireHalf(title, items.length, wires.length);
  return items;
}

/** Throws an InvalidResponseError if fewer than half of the items are valid. */
export function requireHalf(venue: string, valid: number, all: number): void {
  if (valid * 2 < all) throw new InvalidResponseError(`${venue} sent mostly invalid data.`);
}
