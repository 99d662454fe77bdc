import type { PoliteClient, Reply } from '../../upstream/polite.ts';
import { GammaRefusal, type GammaRefusalCode } from './gamma/errors.ts';
import { parseGammaEvent } from './gamma/event.ts';
import type { EventFacts } from './gamma/facts.ts';
import {
  type EventPage,
  MEANINGFUL_STATUSES,
  parseEventPage,
  parseOneEvent,
  parseTag,
  type TagFacts,
} from './gamma/responses.ts';
import { parseWireTime } from './gamma/values.ts';

export type { EventPage, GammaRefusalCode, TagFacts };
export { GammaRefusal, parseGammaEvent, parseWireTime };

/** A list of events; a cursor belongs to the list that minted it. */
export interface EventList {
  closed: boolean;
  /** Events with this tag or one that Polymarket relates to it; by slug, with this very tag. */
  tag?: { id: string } | { slug: string } | undefined;
  /** Only events that end or ended at or after this moment. */
  endSince?: Date | undefined;
  /** By id unless told otherwise; 'busiest' has the most trade of a day first. */
  order?: 'id' | 'busiest' | 'closing' | undefined;
  /** With the order 'closing', the last first: what closed before this moment is not wanted. */
  closedSince?: Date | undefined;
}

/**
 * Everything that is asked of Polymarket. A call rejects with what the client rejects with, or
 * with a GammaRefusal.
 */
export interface PolymarketSource {
  /** One page; without a cursor the first. */
  listEvents(list: EventList, cursor?: string | null, signal?: AbortSignal): Promise<EventPage>;
  /** One event by its id; null when Polymarket does not know it. */
  getEvent(id: string, signal?: AbortSignal): Promise<EventFacts | null>;
  /** The tag of a slug; null when Polymarket has none. */
  findTag(slug: string, signal?: AbortSignal): Promise<TagFacts | null>;
}

export interface PolymarketOptions {
  /** Without a slash at its end. */
  baseUrl: string;
  /** Replaces the pause between requests. */
  paceMs: number | undefined;
}

/** Far below what is allowed for one address (500 lists in 10 seconds). */
const INTERVAL_MS = 250;
/** The server's own cap; it gives no more, whatever is asked for. */
const PAGE_LIMIT = 100;
/** A page of 100 events with their markets takes 2 MB, one of crowded events ten times that. */
const MAX_BYTES = 64 * 1024 * 1024;

export function createPolymarketSource(
  client: PoliteClient,
  { baseUrl, paceMs }: PolymarketOptions,
): PolymarketSource {
  if (!URL.canParse(baseUrl)) throw new Error('the address of Polymarket is no URL');

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
    listEvents(list, cursor = null, signal) {
      const query = new URLSearchParams(queryOf(list));
      if (cursor !== null) query.set('after_cursor', cursor);
      return ask(`events/keyset?${query}`, parseEventPage, signal);
    },
    getEvent(id, signal) {
      const path = `events/${encodeURIComponent(id)}`;
      return ask(path, (reply) => parseOneEvent(reply, id), signal);
    },
    findTag(slug, signal) {
      return ask(`tags/slug/${encodeURIComponent(slug)}`, parseTag, signal);
    },
  };
}

const ORDER_FIELDS = { id: 'id', busiest: 'volume24hr', closing: 'closedTime' } as const;

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
