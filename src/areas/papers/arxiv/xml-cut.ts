import { InvalidResponseError } from '../../../upstream/errors.ts';

/** arXiv's largest pages: 2,500 records, or 20,000 in a list of headers only. */
const MAX_ITEMS = 20_000;

/**
 * Cuts a document at the tags of its items, by name alone, even when a start or end tag is missing or
 * misplaced, into these and the frame around them. When the last item has no end tag, it is
 * `openEnded`: it may have swallowed what followed, and the frame resumes at the last match of the
 * first pattern of `followers` that matches. Throws an InvalidResponseError for more items than a page
 * can hold.
 */
export function cutItems(text: string, item: string, followers: readonly RegExp[]) {
  const items: string[] = [];
  let frame = '';
  let outside = 0;
  let inside: number | null = null;
  for (const { 0: tag, index } of text.matchAll(tagsOf(item))) {
    if (items.length > MAX_ITEMS)
      throw new InvalidResponseError('arXiv sent a page of too many records.');
    if (tag.startsWith('</')) {
      // An end tag without a start tag closes an item that began after the previous one.
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
  const length = startOfRest(rest, followers);
  items.push(rest.slice(0, length));
  return { frame: frame + rest.slice(length), items, openEnded: true };
}

function tagsOf(item: string): RegExp {
  const prefix = '(?:[\\w.-]+:)?';
  return new RegExp(`<${prefix}${item}(?![\\w.-])|</${prefix}${item}\\s*>`, 'g');
}

function startOfRest(text: string, followers: readonly RegExp[]): number {
  for (const tag of followers) {
    let last: number | undefined;
    for (const { index } of text.matchAll(tag)) last = index;
    if (last !== undefined) return last;
  }
  return text.length;
}
