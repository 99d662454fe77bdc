import type { PhrasingContent, RootContent } from 'mdast';
import { isFlow, paragraphOf } from '../sections/markdown.ts';
import { readEquation } from './equations.ts';
import { readTable } from './grids.ts';
import { type Context, Notes, readHeading, readPhrasing, readRuns } from './inline.ts';
import { prefix, readBibliography, readDescription, readList } from './lists.ts';
import { buildPhrasing, type Run } from './runs.ts';
import { codeText } from './tex.ts';
import {
  childElements,
  cleanPiece,
  type Element,
  findAll,
  hasClass,
  holdsBlocks,
  isBlock,
  isElement,
  isOf,
  kindOf,
  type Node,
  rawText,
  takeChild,
} from './tree.ts';

export function newContext(): Context {
  return { notes: new Notes(), style: 'plain', ignores: null, isCell: false, readBlocks };
}

/** Converts nodes to blocks; inline content between blocks becomes paragraphs. */
export function readBlocks(nodes: readonly Node[], context: Context): RootContent[] {
  const blocks: RootContent[] = [];
  let runs: Run[] = [];
  const close = () => {
    blocks.push(...paragraphOf(buildPhrasing(runs)));
    runs = [];
  };
  for (const node of nodes) {
    const own = isElement(node) ? readBlock(node, context) : null;
    if (own === null) {
      for (const run of readRuns([node], context)) runs.push(run);
    } else {
      close();
      for (const block of own) blocks.push(block);
    }
  }
  close();
  return blocks;
}

/** The element as blocks; null when it is inline. */
function readBlock(element: Element, context: Context): RootContent[] | null {
  const { childNodes, tagName } = element;
  switch (kindOf(element)) {
    case 'math':
    case 'note':
      return null;
    case 'equation':
      return readEquation(element, context);
    case 'works':
      return readBibliography(element, context);
    case 'listing':
      return readListing(element);
    case 'list':
      return readList(element, context);
    case 'description':
      return readDescription(element, context);
    case 'theorem':
      return readTheorem(element, context);
    case 'table':
      return readTable(element, context);
    case 'float':
      return readFloat(element, context);
    case 'subsection':
      return readSubsection(element, 3, context);
    case 'subsubsection':
      return readSubsection(element, 4, context);
    case 'paragraph':
      return readSubsection(element, 5, context);
    case 'subparagraph': {
      const [title, rest] = takeChild(element, 'title');
      return prefix(readRunIn(title, context), readBlocks(rest, context));
    }
    case 'quote': {
      const children = readBlocks(childNodes, context).filter(isFlow);
      return children.length === 0 ? [] : [{ type: 'blockquote', children }];
    }
    default:
      if (tagName === 'section') return readSubsection(element, 3, context);
      return isBlock(element) || holdsBlocks(element) ? readBlocks(childNodes, context) : null;
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
  return [{ type: 'code', lang, value: value.replace(/^\n+|\n+$/g, '') }];
}

function readSubsection(section: Element, depth: 3 | 4 | 5, context: Context): RootContent[] {
  const [title, rest] = takeChild(section, 'title');
  const children = title === undefined ? [] : readHeading(title, context);
  const body = readBlocks(rest, context);
  return children.length === 0 ? body : [{ type: 'heading', depth, children }, ...body];
}

const isFloat = (node: Node) => isOf(node, 'float');

/** Whether all elements are figures or tables. */
export function isAllFloats(nodes: readonly Node[]): boolean {
  return nodes
    .filter(isElement)
    .every((child) => isFloat(child) || childElements(child).every(isFloat));
}

/**
 * A float without its images. The caption follows a figure's text, but precedes a table or an
 * algorithm.
 */
function readFloat(float: Element, context: Context): RootContent[] {
  const isCaption = (node: Node) => isOf(node, 'caption');
  const captions = childElements(float).filter(isCaption);
  const head = captions.flatMap((caption) => readCaption(caption, context));
  const rest = float.childNodes.filter((node) => !isCaption(node));
  const body = readBlocks(rest, context);
  return hasClass(float, 'ltx_figure') ? [...body, ...head] : [...head, ...body];
}

/** "**Figure 2.** What it shows". */
function readCaption(caption: Element, context: Context): RootContent[] {
  const [tag, rest] = takeChild(caption, 'tag');
  const words = readPhrasing(rest, { ...context, style: 'plain', isCell: false });
  // A bare "(a)" without a caption says nothing.
  const isBare = words.length === 0 && /^\s*\(\w\)[.:]?\s*$/.test(rawText(caption));
  return isBare ? [] : prefix(readRunIn(tag, context), paragraphOf(words));
}

/** The title that begins a caption, a theorem, a proof or a paragraph: bold, ending in one stop. */
function readRunIn(title: Element | undefined, context: Context): PhrasingContent[] {
  if (title === undefined) return [];
  const words = readHeading(title, context).flatMap((node) =>
    node.type === 'emphasis' ? node.children : [node],
  );
  const last = words.at(-1);
  const end = last?.type === 'text' ? last.value.replace(/[\s.:]+$/u, '') : '';
  const rest = last?.type === 'text' ? words.slice(0, -1) : words;
  if (end === '' && rest.length === 0) return [];
  const stop = /[?!]$/.test(end) ? '' : '.';
  return [{ type: 'strong', children: [...rest, { type: 'text', value: `${end}${stop}` }] }];
}

/** "**Theorem 1 (Name).** …", without the italics of its text. */
function readTheorem(theorem: Element, context: Context): RootContent[] {
  const [title, rest] = takeChild(theorem, 'title');
  const body = readBlocks(rest, { ...context, ignores: 'emphasis' });
  return prefix(readRunIn(title, context), body);
}
