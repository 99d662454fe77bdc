import type { PhrasingContent, RootContent } from 'mdast';
import { isFlow, paragraphOf } from '../sections/markdown.ts';
import { isEquation, readEquation } from './equations.ts';
import { isTabular, readTable } from './grids.ts';
import {
  type Context,
  drawingRuns,
  Notes,
  readPhrasing,
  readRuns,
  wordsOfDrawing,
} from './inline.ts';
import {
  isBibliography,
  isDescription,
  isList,
  prefix,
  readBibliography,
  readDescription,
  readList,
} from './lists.ts';
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
  isMath,
  isTag,
  isTitle,
  type Node,
  rawText,
  sectionDepth,
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
  if (isMath(element)) return null;
  if (isEquation(element)) return readEquation(element, context);
  if (isBibliography(element)) return readBibliography(element, context);
  if (hasClass(element, 'ltx_listing') || element.tagName === 'pre') return readListing(element);
  if (isList(element)) return readList(element, context);
  if (isDescription(element)) return readDescription(element, context);
  if (hasClass(element, 'ltx_theorem', 'ltx_proof')) return readTheorem(element, context);
  if (isTabular(element)) return readTable(element, context);
  if (isFloat(element)) return readFloat(element, context);
  if (sectionDepth(element) > 0 || element.tagName === 'section') {
    return readSubsection(element, context);
  }
  if (element.tagName === 'svg') return readDrawing(element, context);
  if (element.tagName === 'blockquote' || hasClass(element, 'ltx_quote', 'ltx_verse')) {
    const children = readBlocks(element.childNodes, context).filter(isFlow);
    return children.length === 0 ? [] : [{ type: 'blockquote', children }];
  }
  if (element.tagName === 'hr' || hasClass(element, 'ltx_note')) return null;
  return isBlock(element) || holdsBlocks(element) ? readBlocks(element.childNodes, context) : null;
}

function readDrawing(drawing: Element, context: Context): RootContent[] {
  return wordsOfDrawing(drawing).flatMap((words) =>
    words.isPassage
      ? words.elements.flatMap((passage) => readBlocks(passage.childNodes, context))
      : paragraphOf(buildPhrasing(drawingRuns(words, context, null))),
  );
}

/** An algorithm, a program or verbatim text as a fenced block, with formulas as bare TeX. */
function readListing(element: Element): RootContent[] {
  const listed = findAll(element, (child) => hasClass(child, 'ltx_listingline'));
  const texts =
    listed.length === 0
      ? cleanPiece(rawText(element)).split('\n')
      : listed.map((line) => codeText(line.childNodes).replace(/\s/gu, ' '));
  const lines = texts.map((line) => line.trimEnd());
  const first = lines.findIndex((line) => line !== '');
  if (first === -1) return [];
  const last = lines.findLastIndex((line) => line !== '');
  const indent = lines.reduce(
    (least, line) => (line === '' ? least : Math.min(least, line.search(/\S/))),
    Infinity,
  );
  const shown = lines.slice(first, last + 1).map((line) => line.slice(indent));
  const lang = element.tagName === 'pre' ? null : 'text';
  return [{ type: 'code', lang, value: shown.join('\n') }];
}

/** Subsections by depth: "###", "####", "#####", then a run-in title. */
function readSubsection(section: Element, context: Context): RootContent[] {
  const depth = sectionDepth(section) || 1;
  const title = section.childNodes.find(isTitle);
  const rest = section.childNodes.filter((node) => node !== title);
  const body = readBlocks(rest, context);
  if (title === undefined) return body;
  if (depth === 4) return prefix(readRunIn(title, context), body);
  const words = readPhrasing(title.childNodes, { ...context, style: 'plain', ignores: 'strong' });
  if (words.length === 0) return body;
  return [
    { type: 'heading', depth: depth === 1 ? 3 : depth === 2 ? 4 : 5, children: words },
    ...body,
  ];
}

/** Whether all elements are figures or tables. */
export function isAllFloats(nodes: readonly Node[]): boolean {
  return nodes
    .filter(isElement)
    .every((child) => isFloat(child) || childElements(child).every(isFloat));
}

function isFloat(element: Element): boolean {
  return element.tagName === 'figure' || hasClass(element, 'ltx_figure', 'ltx_table', 'ltx_float');
}

/**
 * A float without its images. The caption follows a figure's text, but precedes a table or an
 * algorithm.
 */
function readFloat(float: Element, context: Context): RootContent[] {
  const isCaption = (node: Node) => isElement(node) && /^(?:fig)?caption$/.test(node.tagName);
  const head = childElements(float)
    .filter(isCaption)
    .flatMap((caption) => readCaption(caption, context));
  const body = readBlocks(
    float.childNodes.filter((node) => !isCaption(node)),
    context,
  );
  return hasClass(float, 'ltx_figure') ? [...body, ...head] : [...head, ...body];
}

/** "**Figure 2.** What it shows". */
function readCaption(caption: Element, context: Context): RootContent[] {
  const nodes = caption.childNodes;
  const tag = nodes.find(isTag)?.childNodes ?? [];
  const label = boldTitle(readPhrasing(tag, { ...context, style: 'plain', ignores: 'strong' }));
  const rest = nodes.filter((node) => !isTag(node));
  const words = readPhrasing(rest, { ...context, style: 'plain', isCell: false });
  // A bare "(a)" without a caption says nothing.
  const isBare = words.length === 0 && /^\s*\(\w\)[.:]?\s*$/.test(rawText(caption));
  return isBare ? [] : prefix(label, paragraphOf(words));
}

/** A run-in title: bold, ending in one full stop. */
function boldTitle(words: PhrasingContent[]): PhrasingContent[] {
  const last = words.at(-1);
  const end = last?.type === 'text' ? last.value.replace(/[\s.:]+$/u, '') : '';
  const rest = last?.type === 'text' ? words.slice(0, -1) : words;
  if (end === '' && rest.length === 0) return [];
  const stop = /[?!]$/.test(end) ? '' : '.';
  return [{ type: 'strong', children: [...rest, { type: 'text', value: `${end}${stop}` }] }];
}

/** The run-in title of a theorem, a proof or a minor heading. */
function readRunIn(title: Element, context: Context): PhrasingContent[] {
  const plain: Context = { ...context, style: 'plain', ignores: 'strong' };
  const words = readPhrasing(title.childNodes, plain);
  return boldTitle(words.flatMap((node) => (node.type === 'emphasis' ? node.children : [node])));
}

/** "**Theorem 1 (Name).** …", without the italics of its text. */
function readTheorem(theorem: Element, context: Context): RootContent[] {
  const title = theorem.childNodes.find(isTitle);
  const rest = theorem.childNodes.filter((node) => node !== title);
  const body = readBlocks(rest, { ...context, ignores: 'emphasis' });
  return title === undefined ? body : prefix(readRunIn(title, context), body);
}
