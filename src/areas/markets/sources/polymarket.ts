import * as z from 'zod';
import { DAY_MS } from '../../../core/time.ts';
import type { Reply } from '../../../upstream/client.ts';
import { InvalidResponseError, RejectedRequestError } from '../../../upstream/failures.ts';
import { readJson } from '../../../upstream/json.ts';
import type { VenueEvent } from './event-card.ts';
import { gammaEvent } from './polymarket-event.ts';
import {
  type Connect,
  type CursorPage,
  type EventList,
  type EventPage,
  requireHalf,
  walkPages,
} from './venue-client.ts';

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
/** Page limits of lists. Closed ones are longer because of the short windows, which we drop. */
const MAX_PAGES = { open: 300, closed: 1_000 };

/** How far back lists of closed events go by end date. One that closes long after is asked for by itself. */
const ENDED_MS = 45 * DAY_MS;

interface ListOptions {
  tag: string;
  closed?: boolean;
  /** Only events whose end date is at or after this time. */
  endSince?: Date;
}

export const connect: Connect = (client, { baseUrl, paceMs }) => {
  function get<T>(path: string, read: (reply: Reply) => T, signal?: AbortSignal): Promise<T> {
    return client.get(`${baseUrl}/${path}`, {
      statuses: [404, 422],
      read,
      maxBytes: MAX_BYTES,
      intervalMs: paceMs ?? INTERVAL_MS,
      signal,
    });
  }

  function walk(list: ListOptions, signal?: AbortSignal): AsyncIterable<EventPage> {
    const query = new URLSearchParams(queryOf(list));
    const limit = MAX_PAGES[list.closed ? 'closed' : 'open'];
    return walkPages('Polymarket', limit, (cursor) => {
      if (cursor !== null) query.set('after_cursor', cursor);
      return get(`events/keyset?${query}`, readPage, signal);
    });
  }

  const toList = (list: ListOptions): EventList => ({
    name: `${list.closed ? 'closed' : 'open'} events of ${list.tag}`,
    pages: (signal) => walk(list, signal),
  });

  return {
    lists(tags, now) {
      const all = [...new Set([...Object.keys(MAIN_TAGS), ...tags])];
      const endSince = new Date(now.getTime() - ENDED_MS);
      return [
        ...all.map((tag) => ({ tag })),
        ...all.map((tag) => ({ tag, closed: true, endSince })),
      ].map(toList);
    },
    getEvent: (id, signal) =>
      get(`events/${encodeURIComponent(id)}`, (reply) => readEvent(reply, id), signal),
  };
};

function queryOf({ tag, closed = false, endSince }: ListOptions) {
  const id = MAIN_TAGS[tag];
  return {
    closed: String(closed),
    ...(id === undefined ? { tag_slug: tag } : { tag_id: id, related_tags: 'true' }),
    ...(endSince === undefined ? {} : { end_date_min: endSince.toISOString() }),
    limit: String(PAGE_LIMIT),
    order: 'id',
    ascending: 'true',
  };
}

const gammaPage = z.object({
  // The server's own maximum is 100.
  events: z.array(z.unknown()).max(500),
  next_cursor: z.string().nullish(),
});

function readPage(reply: Reply): CursorPage {
  if (reply.status === 404) {
    throw new RejectedRequestError('Polymarket has nothing at this address.');
  }
  const { events: wires, next_cursor: cursor } = readBody(reply, gammaPage);
  // The others on the page still count.
  const events = wires.flatMap((wire) => gammaEvent.safeParse(wire).data ?? []);
  requireHalf('Polymarket', events.length, wires.length);
  const unreadable = wires.length - events.length;
  return { events, outside: 0, unreadable, cursor: cursor || null };
}

function readEvent(reply: Reply, id: string): VenueEvent | null {
  if (reply.status === 404) return null;
  const event = readBody(reply, gammaEvent);
  if (event.sourceId !== id) {
    throw new InvalidResponseError('Polymarket sent a different event than requested.');
  }
  return event;
}

function readBody<T>({ status, body }: Reply, shape: z.ZodType<T>): T {
  if (status === 422) throw new RejectedRequestError('Polymarket rejected the request.');
  return readJson(body, shape, 'Polymarket');
}
