import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html as markup, parse } from 'parse5';
import pageFile from '../../../../../data/latexml.json' with { type: 'json' };
import { cleanText } from '../../../../core/text.ts';

export type Element = DefaultTreeAdapterTypes.Element;
export type Node = DefaultTreeAdapterTypes.ChildNode;

/** Maximum nesting, far above that of papers; every tree walk here recurses. */
const MAX_DEPTH = 400;

/** Limit on rowspan and colspan, far above those in papers. */
const MAX_SPAN = 100;

/** The `html` element of a page; null when it nests too deeply. */
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

export function isElement(node: Node | DefaultTreeAdapterTypes.Node): node is Element {
  return 'tagName' in node;
}

export function isText(node: Node): node is DefaultTreeAdapterTypes.TextNode {
  return node.nodeName === '#text';
}

export function childElements(element: Element): Element[] {
  return element.childNodes.filter(isElement);
}

export function attribute(element: Element, name: string): string | null {
  return element.attrs.find((attr) => attr.name === name)?.value ?? null;
}

/** `rowspan` or `colspan` of a cell, at most MAX_SPAN. */
export function spanOf(cell: Element, name: 'rowspan' | 'colspan'): number {
  const count = Number.parseInt(attribute(cell, name) ?? '1', 10);
  return Number.isFinite(count) ? Math.min(Math.max(count, 1), MAX_SPAN) : 1;
}

export function newText(value: string): Node {
  return defaultTreeAdapter.createTextNode(value);
}

export function newLineBreak(): Node {
  return defaultTreeAdapter.createElement('br', markup.NS.HTML, []);
}

/** Whether the element has any of the classes. */
export function hasClass(element: Element, ...names: string[]): boolean {
  const classes = attribute(element, 'class');
  if (classes === null) return false;
  // To split is slow, and most elements have no text like a name.
  return names.some((name) => classes.includes(name) && classes.split(/\s+/).includes(name));
}

/** The descendants that match, in document order, without those inside another match. */
export function findAll(element: Element, matches: (element: Element) => boolean): Element[] {
  return childElements(element).flatMap((child) =>
    matches(child) ? [child] : findAll(child, matches),
  );
}

/** The first descendant that matches, in document order. */
export function findFirst(
  element: Element,
  matches: (element: Element) => boolean,
): Element | null {
  for (const child of element.childNodes) {
    if (!isElement(child)) continue;
    const match = matches(child) ? child : findFirst(child, matches);
    if (match !== null) return match;
  }
  return null;
}

/** All text below a node, unchanged. */
export function rawText(node: Node): string {
  if (isText(node)) return node.value;
  return isElement(node) ? node.childNodes.map(rawText).join('') : '';
}

/** Text without invisible characters, in NFC; leading and trailing space stays. */
export function cleanPiece(text: string): string {
  return cleanText(`|${text}|`).slice(1, -1).normalize('NFC');
}

/** The same, with each run of white space collapsed to one space. */
export function squeeze(text: string): string {
  // A single space stays: to replace it, too, takes many times as long.
  return cleanPiece(text).replace(/[^\S ]\s*| \s+/gu, ' ');
}

/** Whether an element is a formula: MathML, or the span that MathJax pages have instead. */
export function isMath(element: Element): boolean {
  if (element.tagName === 'math') return true;
  return element.tagName === 'span' && hasClass(element, 'ltx_Math', 'ltx_DisplayMath');
}

const BLOCK_TAGS: ReadonlySet<string> = new Set(pageFile.blockTags);

/** Whether an element is block-level. */
export function isBlock(element: Element): boolean {
  return BLOCK_TAGS.has(element.tagName) || hasClass(element, ...pageFile.blockClasses);
}

/** Whether an element becomes a section of its own. */
export function isSection(element: Element): boolean {
  return hasClass(element, ...pageFile.sections);
}

export function isDivision(element: Element): boolean {
  return hasClass(element, 'ltx_part', 'ltx_chapter');
}

const SUBSECTIONS = ['subsection', 'subsubsection', 'paragraph', 'subparagraph'];

/** From 1 for a subsection to 4 for a run-in heading; 0 for anything else. */
export function sectionDepth(element: Element): number {
  return SUBSECTIONS.findIndex((name) => hasClass(element, `ltx_${name}`)) + 1;
}

export function isTitle(node: Node): node is Element {
  return isElement(node) && (hasClass(node, 'ltx_title') || /^h[1-6]$/.test(node.tagName));
}

export function isTag(node: Node): node is Element {
  return isElement(node) && hasClass(node, 'ltx_tag', 'ltx_bibtag');
}

/** Whether a block is nested inside. */
export function holdsBlocks(element: Element): boolean {
  return (
    !isMath(element) &&
    !hasClass(element, 'ltx_note') &&
    childElements(element).some((child) => isBlock(child) || holdsBlocks(child))
  );
}
