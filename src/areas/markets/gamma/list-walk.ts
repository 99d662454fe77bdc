import { InvalidResponseError } from '../../../upstream/errors.ts';
import type { EventList, EventPage, PolymarketSource } from '../source.ts';

/**
 * Page limits, so that walking a list always ends. Closed lists are longer because of the short
 * windows, which we drop.
 */
const MOST_PAGES = { open: 300, closed: 1_000 } as const;

/** Yields up to `mostPages` pages of a list. Throws a InvalidResponseError when they repeat or do not end. */
export async function* walkList(
  source: PolymarketSource,
  list: EventList,
  mostPages: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<EventPage> {
  const cursors = new Set<string>();
  const ids = new Set<string>();
  const limit = MOST_PAGES[list.closed ? 'closed' : 'open'];
  let cursor: string | null = null;
  for (let pages = 0; pages < mostPages; pages += 1) {
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

/** Latest closings come first, so an event that closed too long ago ends the list. */
function isPastEnd({ closedSince }: EventList, { events }: EventPage): boolean {
  const since = closedSince?.toISOString();
  return (
    since !== undefined &&
    events.some(({ closedTime }) => closedTime !== null && closedTime < since)
  );
}
