import { InvalidResponseError } from '../../../../upstream/errors.ts';

/** A document whose items are cut out of it. */
export interface CutDocument {
  /** What is left without its items. */
  frame: string;
  items: string[];
  /** The last item has no end tag, so what stood behind it may be lost with it. */
  openEnded: boolean;
}

/** No page of arXiv holds more: 2,500 records, 20,000 where only their headers are listed. */
const MAX_ITEMS = 20_000;

/**
 * Cuts a document that is no well-formed XML at the tags of its items, by their names alone: also
 * where one of the two is missing or stands in the middle. Where the last item has no end tag, the
 * frame goes on at the last tag that one of `behind` matches, the first of these that matches at all.
 * Throws a InvalidResponseError for more items than a page can hold.
 */
export function cutItems(text: string, item: string, behind: readonly RegExp[]): CutDocument {
  const items: string[] = [];
  let frame = '';
  let outside = 0;
  let inside: number | null = null;
  for (const { 0: tag, index } of text.matchAll(tagsOf(item))) {
    if (items.length > MAX_ITEMS)
      throw new InvalidResponseError('arXiv sent a page of too many records.');
    if (tag.startsWith('</')) {
      // Without a start tag it ends what stands behind the item before.
      const start = inside ?? (items.length === 0 ? index : outside);
      if (inside === null && items.length === 0) frame += text.slice(outside, index);
      outside = index + tag.length;
      inside = null;
      items.push(text.slice(start, outside));
    } else {
      if (inside === null) frame += text.slice(outside, index);
      else items.push(text.slice(inside, index));
      inside = index;
    }
  }
  if (inside === null) return { frame: frame + text.slice(outside), items, openEnded: false };
  const rest = text.slice(inside);
  const length = startOfRest(rest, behind);
  items.push(rest.slice(0, length));
  return { frame: frame + rest.slice(length), items, openEnded: true };
}

function tagsOf(item: string): RegExp {
  const prefix = '(?:[\\w.-]+:)?';
  return new RegExp(`<${prefix}${item}(?![\\w.-])|</${prefix}${item}\\s*>`, 'g');
}

function startOfRest(text: string, behind: readonly RegExp[]): number {
  for (const tag of behind) {
    let last: number | undefined;
    for (const { index } of text.matchAll(tag)) last = index;
    if (last !== undefined) return last;
  }
  return text.length;
}
