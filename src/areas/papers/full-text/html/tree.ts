import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html as markup, parse } from 'parse5';
import latexml from '../../../../../data/latexml.json' with { type: 'json' };
import { cleanPiece } from '../sections/sections.ts';

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.ChildNode;

/** Maximum nesting depth, far above that of papers: walking the tree recurses. */
const MAX_DEPTH = 400;

/** Limit on rowspan and colspan, far above those in papers. */
const MAX_SPAN = 100;

/** The CSS selectors of each kind of element; if several kinds match, the first one counts. */
const { about: _, ...selectorsOf } = latexml;
export type Kind = keyof typeof selectorsOf;

const KINDS = Object.keys(selectorsOf).filter((name): name is Kind => name in selectorsOf);
const RANKS: ReadonlyMap<string, number> = new Map(
  KINDS.flatMap((kind, rank) => selectorsOf[kind].map((selector) => [selector, rank] as const)),
);
const INLINE: ReadonlySet<Kind> = new Set<Kind>(['error', 'math', 'note', 'tag', 'drawing']);

/** The kind of an element, by its tag, classes and id; null for text and other elements. */
export function kindOf(node: Node): Kind | null {
  if (!isElement(node)) return null;
  const { tagName } = node;
  let least = RANKS.get(tagName) ?? KINDS.length;
  for (const { name, value } of node.attrs) {
    const selectors =
      name === 'id'
        ? [`#${value}`]
        : name === 'class'
          ? value.split(/\s+/).flatMap((one) => [`.${one}`, `${tagName}.${one}`])
          : [];
    for (const selector of selectors) least = Math.min(least, RANKS.get(selector) ?? least);
  }
  return KINDS[least] ?? null;
}

export function isOf(node: Node, ...kinds: Kind[]): boolean {
  const kind = kindOf(node);
  return kind !== null && kinds.includes(kind);
}

/** Whether an element starts its own line. */
export function isBlock(node: Node): boolean {
  const kind = kindOf(node);
  return kind !== null && !INLINE.has(kind);
}

export function holdsBlocks(element: Element): boolean {
  if (isOf(element, 'math', 'note')) return false;
  return childElements(element).some((child) => isBlock(child) || holdsBlocks(child));
}

/** The `html` element of a page; null if it nests too deeply. */
export function parsePage(html: string): Element | null {
  let depth = 0;
  const adapter = {
    ...defaultTreeAdapter,
    onItemPush() {
      depth += 1;
      if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
    },
    onItemPop() {
      depth -= 1;
    },
  };
  try {
    return parse(html, { treeAdapter: adapter }).childNodes.find(isElement) ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

export const {
  isElementNode: isElement,
  isTextNode: isText,
  createTextNode: newText,
} = defaultTreeAdapter;

export function childElements(element: Element): Element[] {
  return element.childNodes.filter(isElement);
}

/** The first child of a kind, and the other children. */
export function takeChild(element: Element, kind: Kind): [Element | undefined, Node[]] {
  const child = childElements(element).find((one) => isOf(one, kind));
  return [child, element.childNodes.filter((node) => node !== child)];
}

export function attribute(element: Element, name: string): string | null {
  return element.attrs.find((attr) => attr.name === name)?.value ?? null;
}

/** `rowspan` or `colspan` of a cell, from 1 to MAX_SPAN. */
export function spanOf(cell: Element, name: 'rowspan' | 'colspan'): number {
  const count = Number.parseInt(attribute(cell, name) ?? '1', 10);
  return Number.isFinite(count) ? Math.min(Math.max(count, 1), MAX_SPAN) : 1;
}

export function newElement(tagName: string, childNodes: Node[]): Element {
  const element = defaultTreeAdapter.createElement(tagName, markup.NS.HTML, []);
  element.childNodes = childNodes;
  return element;
}

/** Whether an element has any of the classes. */
export function hasClass(element: Element, ...names: string[]): boolean {
  const classes = attribute(element, 'class');
  if (classes === null) return false;
  // Splitting is slow, and most class attributes do not contain the name at all.
  return names.some((name) => classes.includes(name) && classes.split(/\s+/).includes(name));
}

/** The descendants that match, in document order, without those inside another match. */
export function findAll(element: Element, matches: (element: Element) => boolean): Element[] {
  return childElements(element).flatMap((child) =>
    matches(child) ? [child] : findAll(child, matches),
  );
}

export function holds(element: Element, matches: (element: Element) => boolean): boolean {
  return findAll(element, matches).length > 0;
}

export function rawText(node: Node): string {
  if (isText(node)) return node.value;
  return isElement(node) ? node.childNodes.map(rawText).join('') : '';
}

/** Like `cleanPiece`, with white space collapsed to single spaces. */
export function squeeze(text: string): string {
  // Replacing single spaces as well would take many times longer.
  return cleanPiece(text).replace(/[^\S ]\s*| \s+/gu, ' ');
}
