import type { ListItem, PhrasingContent, RootContent } from 'mdast';
import { isFlow, paragraphOf } from '../sections/markdown.ts';
import { type Context, readHeading, readPhrasing } from './inline.ts';
import {
  attribute,
  childElements,
  type Element,
  hasClass,
  newText,
  rawText,
  squeeze,
  takeChild,
} from './tree.ts';

/** Labels that are mere bullets, in words or in TeX. */
const BULLET =
  /^(?:[^\p{L}\p{N}]*|\\(?:bullet|circ|diamond|star|ast|cdot|(?:black)?triangleright|(?:black)?square|[rR]ightarrow|checkmark))$/u;

/** A list, ordered if its labels count up; any other labels go before the items' text. */
export function readList(list: Element, context: Context): RootContent[] {
  const items = childElements(list).filter(
    (child) => child.tagName === 'li' || hasClass(child, 'ltx_item'),
  );
  const labels = items.map(labelOf);
  const isUnlabelled = list.tagName === 'ol' && labels.every((label) => label === '');
  const first = isUnlabelled ? (attribute(list, 'start') ?? '1') : (labels[0] ?? '');
  const start = Number.isNaN(numberOf(first)) ? 1 : numberOf(first);
  const isCounted = isUnlabelled || labels.every((label, k) => numberOf(label) === start + k);
  const children = items.map((item) => {
    const [tag, own] = takeChild(item, 'tag');
    const isBare = isCounted || BULLET.test(labelOf(item));
    const label = isBare || tag === undefined ? [] : readHeading(tag, context);
    return listItem(prefix(label, context.readBlocks(own, context)));
  });
  const isOrdered = isCounted && items.length > 0;
  return toList(children, isOrdered ? start : null);
}

function labelOf(item: Element): string {
  const [tag] = takeChild(item, 'tag');
  return tag === undefined ? '' : squeeze(rawText(tag)).trim();
}

/** The number that a label is; NaN for others. */
function numberOf(label: string): number {
  return /^\d{1,6}[.)]?$/.test(label) ? Number.parseInt(label, 10) : Number.NaN;
}

/** Terms in bold, each with its description; text without a term becomes an item too. */
export function readDescription(list: Element, context: Context): RootContent[] {
  const items: ListItem[] = [];
  let head: PhrasingContent[] = [];
  const close = (body: RootContent[]) => {
    if (head.length + body.length > 0) items.push(listItem(prefix(head, body)));
    head = [];
  };
  for (const child of childElements(list)) {
    if (child.tagName === 'dt') {
      close([]);
      const children = readHeading(child, context);
      head = children.length > 0 ? [{ type: 'strong', children }] : [];
    } else close(context.readBlocks(child.childNodes, context));
  }
  close([]);
  return toList(items, null);
}

/** References as a list: the citation label, then the entry on one line. */
export function readBibliography(list: Element, context: Context): RootContent[] {
  const items = childElements(list).map((item) => {
    const [tag, rest] = takeChild(item, 'tag');
    const label = tag === undefined ? [] : readPhrasing(tag.childNodes, context);
    const entry = readPhrasing(
      rest.flatMap((node) => [node, newText(' ')]),
      context,
    );
    const isCount = label.length === 1 && label[0]?.type === 'text' && /^\d+$/.test(label[0].value);
    const shown: PhrasingContent[] = isCount
      ? [{ type: 'text', value: '[' }, ...label, { type: 'text', value: ']' }]
      : label;
    return listItem(paragraphOf(joined(shown, entry)));
  });
  return toList(items, null);
}

function joined(head: PhrasingContent[], rest: PhrasingContent[]): PhrasingContent[] {
  if (head.length === 0 || rest.length === 0) return [...head, ...rest];
  return [...head, { type: 'text', value: ' ' }, ...rest];
}

/** Puts words in front of the first paragraph, or in a paragraph of their own. */
export function prefix(words: PhrasingContent[], blocks: RootContent[]): RootContent[] {
  if (words.length === 0) return blocks;
  const [first, ...rest] = blocks;
  if (first?.type !== 'paragraph') return [{ type: 'paragraph', children: words }, ...blocks];
  return [{ ...first, children: joined(words, first.children) }, ...rest];
}

function listItem(blocks: readonly RootContent[]): ListItem {
  const children = blocks.filter(isFlow);
  const last = children.at(-1);
  const own = last?.type === 'list' && last.spread !== true ? children.slice(0, -1) : children;
  return { type: 'listItem', spread: own.length > 1, children };
}

function toList(items: readonly ListItem[], start: number | null): RootContent[] {
  // Keep empty items of an ordered list: they have a number.
  const children = items.filter((item) => start !== null || item.children.length > 0);
  if (children.every((item) => item.children.length === 0)) return [];
  const spread = children.some((item) => item.spread === true);
  return [{ type: 'list', ordered: start !== null, start, spread, children }];
}
