import { InvalidResponseError } from '../../../upstream/errors.ts';
import type { EventList, EventPage, PolymarketSource } from './polymarket.ts';

/** Tags that cover most finance events, queried by id because filtering by slug is unreliable. */
export const MAIN_TAGS: readonly { id: string; slug: string }[] = [
  { id: '120', slug: 'finance' },
  { id: '21', slug: 'crypto' },
  { id: '100328', slug: 'economy' },
  { id: '107', slug: 'business' },
  { id: '604', slug: 'stocks' },
  { id: '100196', slug: 'fed-rates' },
];

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How far back lists of closed events by end date go. */
const ENDED_MS = 45 * DAY_MS;
/** How far back lists by closing time go, for events that closed long after their end date. */
const CLOSED_MS = 30 * DAY_MS;

/** Closed events that ended, or closed, before these times are in no list. */
export function listCutoffs(now: Date): { endedSince: Date; closedSince: Date } {
  return {
    endedSince: new Date(now.getTime() - ENDED_MS),
    closedSince: new Date(now.getTime() - CLOSED_MS),
  };
}

/** Lists that together cover all open and recently closed events with the tags `slugs`, main tags first. */
export function fullLists(now: Date, slugs: readonly string[]): EventList[] {
  const { endedSince: endSince, closedSince } = listCutoffs(now);
  const known = new Set(MAIN_TAGS.map(({ slug }) => slug));
  const tags = [
    ...MAIN_TAGS.map(({ id }) => ({ id })),
    ...slugs.filter((slug) => !known.has(slug)).map((slug) => ({ slug })),
  ];
  return [
    ...tags.map((tag) => ({ closed: false, tag })),
    ...MAIN_TAGS.map(({ id }) => {
      return { closed: true, tag: { id }, order: 'closing', closedSince } as const;
    }),
    ...tags.map((tag) => ({ closed: true, tag, endSince })),
  ];
}

/** Lists that start with the most traded open events. */
export function topLists(): EventList[] {
  return MAIN_TAGS.map(({ id }) => ({ closed: false, tag: { id }, order: 'volume' }));
}

/**
 * Page limits, so that reading a list always ends. Closed lists are longer because of the short
 * windows, which we drop.
 */
const PAGE_LIMITS = { open: 300, closed: 1_000 } as const;

/**
 * Yields up to `maxPages` pages of a list. Throws an InvalidResponseError if pages repeat or do not
 * end.
 */
export async function* walkList(
  source: PolymarketSource,
  list: EventList,
  maxPages: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventPage> {
  const cursors = new Set<string>();
  const ids = new Set<string>();
  const limit = PAGE_LIMITS[list.closed ? 'closed' : 'open'];
  let cursor: string | null = null;
  for (let pages = 0; pages < maxPages; pages += 1) {
    if (pages === limit)
      throw new InvalidResponseError(`Polymarket sent more than ${limit} pages.`);
    const page: EventPage = await source.listEvents(list, cursor, signal);
    const before = ids.size;
    for (const { id } of page.events) ids.add(id);
    yield page;
    cursor = page.cursor;
    if (cursor === null || isPastEnd(list, page)) return;
    // A server that ignores the cursor repeats its first page.
    if (cursors.has(cursor) || ids.size === before) {
      throw new InvalidResponseError('Polymarket sent the same page again.');
    }
    cursors.add(cursor);
  }
}

/** The latest to close come first, so an event that closed too long ago ends the list. */
function isPastEnd({ closedSince }: EventList, { events }: EventPage): boolean {
  const since = closedSince?.toISOString();
  return (
    since !== undefined &&
    events.some(({ closedTime }) => closedTime !== null && closedTime < since)
  );
}
