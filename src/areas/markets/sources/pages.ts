import { InvalidResponseError } from '../../../upstream/errors.ts';
import type { EventPage } from './venue.ts';

/** A page with the cursor of the next; null at the end. */
export type CursorPage = EventPage & { cursor: string | null };

/** The pages of a list to its end. Throws an InvalidResponseError if they repeat or do not end. */
export async function* walkPages(
  venue: string,
  limit: number,
  getPage: (cursor: string | null) => Promise<CursorPage>,
): AsyncGenerator<EventPage> {
  const cursors = new Set<string | null>([null]);
  for (let next: string | null = null; ; ) {
    const { cursor, ...page } = await getPage(next);
    yield page;
    if (cursor === null) return;
    if (cursors.has(cursor)) throw new InvalidResponseError(`${venue} sent the same page again.`);
    if (cursors.size === limit) {
      throw new InvalidResponseError(`${venue} sent more than ${limit} pages.`);
    }
    cursors.add(cursor);
    next = cursor;
  }
}
