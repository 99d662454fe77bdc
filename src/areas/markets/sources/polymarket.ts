import * as z from 'zod';
import { InvalidResponseError, RejectedRequestError } from '../../../upstream/errors.ts';
import type { HttpClient, Reply } from '../../../upstream/http.ts';
import { readJson } from '../../../upstream/json.ts';
import { parseGammaEvent } from './gamma.ts';
import { type CursorPage, walkPages } from './pages.ts';
import type { EventList, EventPage, Venue, VenueEvent } from './venue.ts';

/** Tags that cover most finance events, queried by id because filtering by slug is unreliable. */
const MAIN_TAGS: Readonly<Record<string, string>> = {
  finance: '120',
  crypto: '21',
  economy: '100328',
  business: '107',
  stocks: '604',
  'fed-rates': '100196',
};

/** Far below Polymarket's limit (500 list requests in 10 seconds per address). */
const INTERVAL_MS = 250;
/** The server's own maximum. */
const PAGE_LIMIT = 100;
/** A page of 100 events with their markets takes 2 MB, up to 20 MB for events with many markets. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Pages of a list of the most traded events. */
const TOP_PAGES = 2;
/** Page limits of whole lists. Closed ones are longer because of the short windows, which we drop. */
const MAX_PAGES = { open: 300, closed: 1_000 };

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How far back lists of closed events go by end date. */
const ENDED_MS = 45 * DAY_MS;
/** How far back they go by closing time, for events that closed long after their end date. */
const CLOSED_MS = 30 * DAY_MS;

interface ListOptions {
  tag: string;
  closed?: boolean;
  /** Default 'id'; 'volume24hr' and 'closedTime' come largest and latest first. */
  order?: 'id' | 'volume24hr' | 'closedTime';
  /** Only events whose end date is at or after this time. */
  endSince?: Date;
  /** With order 'closedTime': stop at events that closed before this time. */
  closedSince?: Date;
}

export interface PolymarketOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Overrides the interval between requests, in milliseconds. */
  paceMs: number | undefined;
}

/** Requests reject with the client's errors or a RejectedRequestError. */
export function createPolymarket(
  client: Pick<HttpClient, 'get'>,
  { baseUrl, paceMs }: PolymarketOptions,
): Venue {
  if (!URL.canParse(baseUrl)) throw new Error('the Polymarket base URL is not a valid URL');

  function get<T>(path: string, read: (reply: Reply) => T, signal?: AbortSignal): Promise<T> {
    return client.get(`${baseUrl}/${path}`, {
      statuses: [404, 422],
      read,
      maxBytes: MAX_BYTES,
      intervalMs: paceMs ?? INTERVAL_MS,
      signal,
    });
  }

  async function* walk(list: ListOptions, signal?: AbortSignal): AsyncGenerator<EventPage> {
    const query = new URLSearchParams(queryOf(list));
    const limit = MAX_PAGES[list.closed ? 'closed' : 'open'];
    let pages = 0;
    for await (const page of walkPages('Polymarket', limit, (cursor) => {
      if (cursor !== null) query.set('after_cursor', cursor);
      return get(`events/keyset?${query}`, readPage, signal);
    })) {
      yield page;
      pages += 1;
      if (isPastEnd(list, page) || (list.order === 'volume24hr' && pages === TOP_PAGES)) return;
    }
  }

  const toList = (list: ListOptions): EventList => ({
    name: `${list.closed ? 'closed' : 'open'} events of ${list.tag}`,
    isMain: list.tag in MAIN_TAGS && !list.closed,
    // Events of a tag that was removed are fetched one by one.
    isSupplement: !(list.tag in MAIN_TAGS) || list.order === 'closedTime',
    pages: (signal) => walk(list, signal),
  });

  return {
    name: 'polymarket',
    lists(scope, tags, now) {
      const main = Object.keys(MAIN_TAGS);
      if (scope === 'top') return main.map((tag) => toList({ tag, order: 'volume24hr' }));
      const all = [...main, ...tags.filter((tag) => !(tag in MAIN_TAGS))];
      const closedSince = new Date(now.getTime() - CLOSED_MS);
      const endSince = new Date(now.getTime() - ENDED_MS);
      return [
        ...all.map((tag) => ({ tag })),
        ...main.map((tag) => ({ tag, closed: true, order: 'closedTime', closedSince }) as const),
        ...all.map((tag) => ({ tag, closed: true, endSince })),
      ].map(toList);
    },
    getEvent: (id, signal) =>
      get(`events/${encodeURIComponent(id)}`, (reply) => readEvent(reply, id), signal),
  };
}

function queryOf({ tag, closed = false, order = 'id', endSince }: ListOptions) {
  const id = MAIN_TAGS[tag];
  return {
    closed: String(closed),
    ...(id === undefined ? { tag_slug: tag } : { tag_id: id, related_tags: 'true' }),
    ...(endSince === undefined ? {} : { end_date_min: endSince.toISOString() }),
    limit: String(PAGE_LIMIT),
    order,
    ascending: String(order === 'id'),
  };
}

/** The latest to close come first, so an event that closed too long ago ends the list. */
function isPastEnd({ closedSince }: ListOptions, { events }: EventPage): boolean {
  const since = closedSince?.toISOString();
  return (
    since !== undefined &&
    events.some(({ closedTime }) => closedTime !== null && closedTime < since)
  );
}

const gammaPage = z.object({
  // The server's own maximum is 100.
  events: z.array(z.unknown()).max(500),
  next_cursor: z.string().nullish(),
});

/** Throws an InvalidResponseError if more than half of its events are invalid. */
function readPage(reply: Reply): CursorPage {
  if (reply.status === 404) {
    throw new RejectedRequestError('Polymarket has nothing at this address.');
  }
  const { events: wires, next_cursor: cursor } = readBody(reply, gammaPage);
  const events = wires.flatMap((wire) => parseOrSkip(wire) ?? []);
  const unreadable = wires.length - events.length;
  if (unreadable * 2 > wires.length) {
    throw new InvalidResponseError('Polymarket sent a page of mostly invalid events.');
  }
  return { events, outside: 0, unreadable, cursor: cursor || null };
}

function readEvent(reply: Reply, id: string): VenueEvent | null {
  if (reply.status === 404) return null;
  const event = parseOrSkip(readBody(reply, z.unknown()));
  if (event === null) throw new InvalidResponseError('Polymarket sent an invalid event.');
  if (event.sourceId !== id) {
    throw new InvalidResponseError('Polymarket sent a different event than requested.');
  }
  return event;
}

function readBody<T>({ status, body }: Reply, shape: z.ZodType<T>): T {
  if (status === 422) throw new RejectedRequestError('Polymarket rejected the request.');
  return readJson(body, shape, 'Polymarket');
}

/** Null for an event that cannot be parsed; the others on the page still count. */
function parseOrSkip(wire: unknown): VenueEvent | null {
  try {
    return parseGammaEvent(wire);
  } catch {
    return null;
  }
}
