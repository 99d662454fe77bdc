import type { ListItem, PhrasingContent, RootContent } from 'mdast';
import { isFlow, paragraphOf } from '../sections/markdown.ts';
import { cleanPiece } from '../sections/sections.ts';
import { readEquation } from './equations.ts';
import { readTable } from './grids.ts';
import { Notes, type ReaderState, readHeading, readPhrasing, readSpans } from './inline.ts';
import { buildPhrasing, type Span } from './spans.ts';
import { codeText } from './tex.ts';
import {
  attribute,
  childElements,
  type Element,
  findAll,
  hasClass,
  holdsBlocks,
  isBlock,
  isElement,
  isOf,
  kindOf,
  type Node,
  newText,
  rawText,
  squeeze,
  takeChild,
} from './tree.ts';

export function newState(): ReaderState {
  return {
    notes: new Notes(),
    style: 'plain',
    ignores: null,
    isCell: false,
    href: null,
    readBlocks,
  };
}

/** Reads nodes as blocks; inline content between blocks becomes paragraphs. */
export function readBlocks(nodes: readonly Node[], state: ReaderState): RootContent[] {
  const blocks: RootContent[] = [];
  let spans: Span[] = [];
  const close = () => {
    blocks.push(...paragraphOf(buildPhrasing(spans)));
    spans = [];
  };
  for (const node of nodes) {
    const own = isElement(node) ? readBlock(node, state) : null;
    if (own === null) {
      for (const span of readSpans([node], state)) spans.push(span);
    } else {
      close();
      for (const block of own) blocks.push(block);
    }
  }
  close();
  return blocks;
}

/** Reads an element as blocks; null if it is inline. */
function readBlock(element: Element, state: ReaderState): RootContent[] | null {
  const { childNodes, tagName } = element;
  const kind = kindOf(element);
  switch (kind) {
    case 'math':
    case 'note':
      return null;
    case 'equation':
      return readEquation(element, state);
    case 'works':
      return readBibliography(element, state);
    case 'listing':
      return readListing(element);
    case 'list':
      return readList(element, state);
    case 'description':
      return readDescription(element, state);
    case 'theorem':
      return readTheorem(element, state);
    case 'table':
      return readTable(element, state);
    case 'float':
      return readFloat(element, state);
    case 'subsection':
    case 'subsubsection':
    case 'paragraph':
    case 'subparagraph':
      return readSubsection(element, DEPTHS[kind], state);
    case 'quote': {
      const children = readBlocks(childNodes, state).filter(isFlow);
      return children.length === 0 ? [] : [{ type: 'blockquote', children }];
    }
    default:
      if (tagName === 'section') return readSubsection(element, 3, state);
      return isBlock(element) || holdsBlocks(element) ? readBlocks(childNodes, state) : null;
  }
}

/** An algorithm, a program or verbatim text as a fenced block, with formulas as bare TeX. */
function readListing(element: Element): RootContent[] {
  const listed = findAll(element, (child) => hasClass(child, 'ltx_listingline'));
  const lines = (
    listed.length === 0
      ? cleanPiece(rawText(element)).split('\n')
      : listed.map((line) => codeText(line.childNodes).replace(/\s/gu, ' '))
  ).map((line) => line.trimEnd());
  const filled = lines.filter((line) => line !== '');
  if (filled.length === 0) return [];
  const indent = filled.reduce((least, line) => Math.min(least, line.search(/\S/)), Infinity);
  const value = lines.map((line) => line.slice(indent)).join('\n');
  const lang = element.tagName === 'pre' ? null : 'text';
  return [{ type: 'code', lang, value: value.replace(/^\n+|(?<!\n)\n+$/g, '') }];
}

const DEPTHS = { subsection: 3, subsubsection: 4, paragraph: 5, subparagraph: 6 } as const;

function readSubsection(section: Element, depth: 3 | 4 | 5 | 6, state: ReaderState): RootContent[] {
  const [title, rest] = takeChild(section, 'title');
  const children = title === undefined ? [] : readHeading(title, state);
  const body = readBlocks(rest, state);
  return children.length === 0 ? body : [{ type: 'heading', depth, children }, ...body];
}

const isFloat = (node: Node) => isOf(node, 'float');

export function isAllFloats(nodes: readonly Node[]): boolean {
  return nodes
    .filter(isElement)
    .every((child) => isFloat(child) || childElements(child).every(isFloat));
}

/** A float without its images. The caption comes last in a figure, first in a table or algorithm. */
function readFloat(float: Element, state: ReaderState): RootContent[] {
  const isCaption = (node: Node) => isOf(node, 'caption');
  const captions = childElements(float).filter(isCaption);
  const head = captions.flatMap((caption) => readCaption(caption, state));
  const rest = float.childNodes.filter((node) => !isCaption(node));
  const body = readBlocks(rest, state);
  return hasClass(float, 'ltx_figure') ? [...body, ...head] : [...head, ...body];
}

/** A caption in the form "**Figure 2.** Caption text". */
function readCaption(caption: Element, state: ReaderState): RootContent[] {
  const [tag, rest] = takeChild(caption, 'tag');
  const words = readPhrasing(rest, { ...state, style: 'plain', isCell: false });
  // A bare "(a)" carries no information.
  const isBare = words.length === 0 && /^\s*\(\w\)[.:]?\s*$/.test(rawText(caption));
  return isBare ? [] : prefix(readRunIn(tag, state), paragraphOf(words));
}

/** The title at the start of a caption, theorem or proof: bold, ending in one ".", "?" or "!". */
function readRunIn(title: Element | undefined, state: ReaderState): PhrasingContent[] {
  if (title === undefined) return [];
  const words = readHeading(title, state).flatMap((node) =>
    node.type === 'emphasis' ? node.children : [node],
  );
  const last = words.at(-1);
  const end = last?.type === 'text' ? last.value.replace(/(?<![\s.:])[\s.:]+$/u, '') : '';
  const rest = last?.type === 'text' ? words.slice(0, -1) : words;
  if (end === '' && rest.length === 0) return [];
  const stop = /[?!]$/.test(end) ? '' : '.';
  return [{ type: 'strong', children: [...rest, { type: 'text', value: `${end}${stop}` }] }];
}

/** A theorem or proof in the form "**Theorem 1 (Name).** …", without the italics of its text. */
function readTheorem(theorem: Element, state: ReaderState): RootContent[] {
  const [title, rest] = takeChild(theorem, 'title');
  const body = readBlocks(rest, { ...state, ignores: 'emphasis' });
  return prefix(readRunIn(title, state), body);
}

/** Labels that are only bullets, as characters or as TeX commands. */
const BULLET =
  /^(?:[^\p{L}\p{N}]*|\\(?:bullet|circ|diamond|star|ast|cdot|(?:black)?triangleright|(?:black)?square|[rR]ightarrow|checkmark))$/u;

/** A list, ordered if its labels count up or it is an unlabelled `ol`; other labels stay, except bullets. */
function readList(list: Element, state: ReaderState): RootContent[] {
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
    const label = isBare || tag === undefined ? [] : readHeading(tag, state);
    return listItem(prefix(label, readBlocks(own, state)));
  });
  const isOrdered = isCounted && items.length > 0;
  return toList(children, isOrdered ? start : null);
}

function labelOf(item: Element): string {
  const [tag] = takeChild(item, 'tag');
  return tag === undefined ? '' : squeeze(rawText(tag)).trim();
}

function numberOf(label: string): number {
  return /^\d{1,6}[.)]?$/.test(label) ? Number.parseInt(label, 10) : Number.NaN;
}

/** A description list as bold terms, each followed by its description. */
function readDescription(list: Element, state: ReaderState): RootContent[] {
  const items: ListItem[] = [];
  let head: PhrasingContent[] = [];
  const close = (body: RootContent[]) => {
    if (head.length + body.length > 0) items.push(listItem(prefix(head, body)));
    head = [];
  };
  for (const child of childElements(list)) {
    if (child.tagName === 'dt') {
      close([]);
      const children = readHeading(child, state);
      head = children.length > 0 ? [{ type: 'strong', children }] : [];
    } else close(readBlocks(child.childNodes, state));
  }
  close([]);
  return toList(items, null);
}

/** References as a list; each item is a citation label and the entry, on one line. */
function readBibliography(list: Element, state: ReaderState): RootContent[] {
  const items = childElements(list).map((item) => {
    const [tag, rest] = takeChild(item, 'tag');
    const label = tag === undefined ? [] : readPhrasing(tag.childNodes, state);
    const entry = readPhrasing(
      rest.flatMap((node) => [node, newText(' ')]),
      state,
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

/** Prepends words to the first block if it is a paragraph, else as a paragraph of their own. */
function prefix(words: PhrasingContent[], blocks: RootContent[]): RootContent[] {
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
  // Keep empty items of an ordered list: they are numbered.
  const children = items.filter((item) => start !== null || item.children.length > 0);
  if (children.every((item) => item.children.length === 0)) return [];
  const spread = children.some((item) => item.spread === true);
  return [{ type: 'list', ordered: start !== null, start, spread, children }];
}
