import { InvalidResponseError } from '../../../upstream/errors.ts';
import type { EventList, EventPage, PolymarketSource } from '../source.ts';

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
