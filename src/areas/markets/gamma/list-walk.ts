import { BadAnswer } from '../../../upstream/polite.ts';
import type { EventList, EventPage, PolymarketSource } from '../source.ts';

/**
 * A list of more pages has no end. Short windows, which never enter the store, fill the closed ones:
 * so many of them close in a month.
 */
const MOST_PAGES = { open: 300, closed: 1_000 } as const;

/**
 * The pages of a list, up to `mostPages` of them. Throws a BadAnswer where they repeat themselves
 * or do not end, and whatever the source rejects with.
 */
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
    if (pages === limit) throw new BadAnswer(`Polymarket sends more than ${limit} pages.`);
    const page: EventPage = await source.listEvents(list, cursor, signal);
    const before = ids.size;
    for (const { id } of page.events) ids.add(id);
    yield page;
    cursor = page.cursor;
    if (cursor === null || isPastEnd(list, page)) return;
    // A server that overlooks the cursor gives its first page for ever.
    if (cursors.has(cursor) || ids.size === before) {
      throw new BadAnswer('Polymarket sends the same page over and over.');
    }
    cursors.add(cursor);
  }
}

/** The last closings come first: after one that is too long ago there is nothing of use. */
function isPastEnd({ closedSince }: EventList, { events }: EventPage): boolean {
  const since = closedSince?.toISOString();
  return (
    since !== undefined &&
    events.some(({ closedTime }) => closedTime !== null && closedTime < since)
  );
}
