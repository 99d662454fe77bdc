import * as z from 'zod';
import { DAY_MS } from '../../../core/time.ts';
import { InvalidResponseError } from '../../../upstream/failures.ts';
import { gammaEvent } from './polymarket-event.ts';
import {
  type Connect,
  type CursorPage,
  type EventList,
  type EventPage,
  getterOf,
  readEach,
  requirePage,
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

/** How far back lists of closed events go by end date. Events that close later are fetched singly. */
const ENDED_MS = 45 * DAY_MS;

interface ListOptions {
  tag: string;
  closed?: boolean;
  /** Only events whose end date is at or after this time. */
  endSince?: Date;
}

const TITLE = 'Polymarket';

export const connect: Connect = (client, options) => {
  const facts = { title: TITLE, intervalMs: INTERVAL_MS, maxBytes: MAX_BYTES };
  const get = getterOf(client, options, facts);

  function walk(list: ListOptions, signal?: AbortSignal): AsyncIterable<EventPage> {
    const query = new URLSearchParams(queryOf(list));
    const limit = MAX_PAGES[list.closed ? 'closed' : 'open'];
    return walkPages(TITLE, limit, async (cursor) => {
      if (cursor !== null) query.set('after_cursor', cursor);
      return requirePage(TITLE, await get(`events/keyset?${query}`, gammaPage, signal));
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
    async getEvent(id, signal) {
      const event = await get(`events/${encodeURIComponent(id)}`, gammaEvent, signal);
      if (event !== null && event.sourceId !== id) {
        throw new InvalidResponseError(`${TITLE} sent a different event than requested.`);
      }
      return event;
    },
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

const gammaPage = z
  .object({
    // The server's own maximum is 100.
    events: z.array(z.unknown()).max(500),
    next_cursor: z.string().nullish(),
  })
  .transform(({ events: wires, next_cursor: cursor }): CursorPage => {
    const events = readEach(TITLE, wires, gammaEvent);
    const unreadable = wires.length - events.length;
    return { events, outside: 0, unreadable, cursor: cursor || null };
  });
