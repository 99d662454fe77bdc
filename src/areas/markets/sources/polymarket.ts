import * as z from 'zod';
import { DAY_MS } from '../../../core/time.ts';
import { InvalidResponseError } from '../../../upstream/failures.ts';
import { gammaEvent } from './polymarket-event.ts';
import {
  type Connect,
  type CursorPage,
  type EventList,
  getterOf,
  readEach,
  requirePage,
  walkPages,
} from './venue-client.ts';

/** Ids of tags that cover most finance events; the server's filter by slug is unreliable. */
const MAIN_TAGS: Readonly<Record<string, string>> = {
  finance: '120',
  crypto: '21',
  economy: '100328',
  business: '107',
  stocks: '604',
  'fed-rates': '100196',
};

/** The server's own maximum. */
const PAGE_LIMIT = 100;

/**
 * How far back lists of closed events reach, by end date. An event that closes long after its end
 * is fetched by id.
 */
const ENDED_MS = 45 * DAY_MS;

const TITLE = 'Polymarket';

export const connect: Connect = (client, { baseUrl }) => {
  const get = getterOf(client, baseUrl, TITLE);

  function toList(tag: string, state: 'open' | 'closed', more: Record<string, string>): EventList {
    const id = MAIN_TAGS[tag];
    const filters = {
      closed: String(state === 'closed'),
      ...(id === undefined ? { tag_slug: tag } : { tag_id: id, related_tags: 'true' }),
      ...more,
      limit: String(PAGE_LIMIT),
      order: 'id',
      ascending: 'true',
    };
    const pages = (signal?: AbortSignal) =>
      walkPages(TITLE, async (cursor) => {
        const after = cursor === null ? {} : { after_cursor: cursor };
        const query = new URLSearchParams({ ...filters, ...after });
        return requirePage(TITLE, await get(`events/keyset?${query}`, gammaPage, signal));
      });
    return { name: `${state} events tagged ${tag}`, pages };
  }

  return {
    lists(tags, now) {
      const all = [...new Set([...Object.keys(MAIN_TAGS), ...tags])];
      const end_date_min = new Date(now.getTime() - ENDED_MS).toISOString();
      return [
        ...all.map((tag) => toList(tag, 'open', {})),
        ...all.map((tag) => toList(tag, 'closed', { end_date_min })),
      ];
    },
    async getEvent(id, signal) {
      const event = await get(`events/${encodeURIComponent(id)}`, gammaEvent, signal);
      if (event !== null && event.sourceId !== id) {
        throw new InvalidResponseError(`${TITLE} sent an event other than the one requested.`);
      }
      return event;
    },
  };
};

const gammaPage = z
  .object({
    events: z.array(z.unknown()).max(500),
    next_cursor: z.string().nullish(),
  })
  .transform(({ events: wires, next_cursor: cursor }): CursorPage => {
    const events = readEach(TITLE, wires, gammaEvent);
    const unreadable = wires.length - events.length;
    return { events, outside: 0, unreadable, cursor: cursor || null };
  });
