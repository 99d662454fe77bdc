import type { HttpClient, Reply } from '../../../upstream/http.ts';
import { type EventFacts, parseGammaEvent, parseWireTime } from './gamma.ts';
import {
  type EventPage,
  MEANINGFUL_STATUSES,
  parseEventPage,
  parseOneEvent,
  parseTagId,
} from './gamma-responses.ts';

export type { EventPage };
export { parseGammaEvent, parseWireTime };

/** A list of events. Cursors are valid only for the list that issued them. */
export interface EventList {
  closed: boolean;
  /** By id: events with this tag or a related one. By slug: events with exactly this tag. */
  tag?: { id: string } | { slug: string } | undefined;
  /** Only events whose end date is at or after this time. */
  endSince?: Date | undefined;
  /** Default 'id'; 'volume' sorts by 24-hour volume and 'closing' by closing time, both descending. */
  order?: 'id' | 'volume' | 'closing' | undefined;
  /** With order 'closing': stop at events that closed before this time. */
  closedSince?: Date | undefined;
}

export type PolymarketSource = ReturnType<typeof createPolymarketSource>;

export interface PolymarketOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  /** Overrides the interval between requests, in milliseconds. */
  paceMs: number | undefined;
}

/** Far below Polymarket's limit (500 list requests in 10 seconds per address). */
const INTERVAL_MS = 250;
/** The server's own maximum. */
const PAGE_LIMIT = 100;
/** A page of 100 events with their markets takes 2 MB, up to 20 MB for events with many markets. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The Polymarket queries that we use. Calls reject with the client's errors or a RejectedRequestError. */
export function createPolymarketSource(
  client: Pick<HttpClient, 'get'>,
  { baseUrl, paceMs }: PolymarketOptions,
) {
  if (!URL.canParse(baseUrl)) throw new Error('the Polymarket base URL is not a valid URL');

  function ask<T>(
    path: string,
    parse: (reply: Reply) => T,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return client.get(`${baseUrl}/${path}`, {
      statuses: MEANINGFUL_STATUSES,
      read: parse,
      maxBytes: MAX_BYTES,
      intervalMs: paceMs ?? INTERVAL_MS,
      signal,
    });
  }

  return {
    /** One page; the first without a cursor. */
    listEvents(
      list: EventList,
      cursor: string | null = null,
      signal?: AbortSignal,
    ): Promise<EventPage> {
      const query = new URLSearchParams(queryOf(list));
      if (cursor !== null) query.set('after_cursor', cursor);
      return ask(`events/keyset?${query}`, parseEventPage, signal);
    },
    /** One event by id; null when Polymarket does not know it. */
    getEvent(id: string, signal?: AbortSignal): Promise<EventFacts | null> {
      const path = `events/${encodeURIComponent(id)}`;
      return ask(path, (reply) => parseOneEvent(reply, id), signal);
    },
    /** The id of a tag by its slug; null when Polymarket has none. */
    findTag(slug: string, signal?: AbortSignal): Promise<string | null> {
      return ask(`tags/slug/${encodeURIComponent(slug)}`, parseTagId, signal);
    },
  };
}

const ORDER_FIELDS = { id: 'id', volume: 'volume24hr', closing: 'closedTime' } as const;

function queryOf({ closed, tag, endSince, order = 'id' }: EventList): Record<string, string> {
  return {
    closed: String(closed),
    ...(tag === undefined ? {} : tagQuery(tag)),
    ...(endSince === undefined ? {} : { end_date_min: endSince.toISOString() }),
    limit: String(PAGE_LIMIT),
    order: ORDER_FIELDS[order],
    ascending: String(order === 'id'),
  };
}

function tagQuery(tag: { id: string } | { slug: string }): Record<string, string> {
  return 'id' in tag ? { tag_id: tag.id, related_tags: 'true' } : { tag_slug: tag.slug };
}
