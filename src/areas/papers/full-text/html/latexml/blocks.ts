import type { RootContent } from 'mdast';
import { isFlow, paragraphOf } from '../../markdown.ts';
import { childElements, type Element, hasClass, isElement, type Node } from '../tree.ts';
import { type DrawnWords, wordsOfDrawing } from './drawings.ts';
import { isEquation, readEquation } from './equations.ts';
import { isFloat, isTheorem, readCaption, readFloat, readRunIn, readTheorem } from './floats.ts';
import { type Context, drawingRuns, readPhrasing, readRuns } from './inline.ts';
import { holdsBlocks, isBlock, isTitle, sectionDepth } from './kinds.ts';
import { isListing, readListing } from './listings.ts';
import {
  isBibliography,
  isDescription,
  isList,
  prefix,
  readBibliography,
  readDescription,
  readList,
} from './lists.ts';
import { Notes } from './notes.ts';
import { buildPhrasing, type Run } from './runs.ts';
import { isTabular, readTable } from './tables.ts';
import { isDisplayMath, isMath, readTex } from './tex.ts';

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
  if (isMath(element)) {
    if (!isDisplayMath(element)) return null;
    const value = readTex(element);
    return value === '' ? [] : [{ type: 'math', value }];
  }
  if (isEquation(element)) return readEquation(element, context);
  if (isBibliography(element)) return readBibliography(element, context);
  if (isListing(element)) return readListing(element);
  if (isList(element)) return readList(element, context);
  if (isDescription(element)) return readDescription(element, context);
  if (isTheorem(element)) return readTheorem(element, context);
  if (isFloat(element) && !isTabular(element)) return readFloat(element, context);
  if (isTabular(element)) return readTable(element, context);
  if (sectionDepth(element) > 0 || element.tagName === 'section') {
    return readSubsection(element, context);
  }
  return readContainer(element, context);
}

function readContainer(element: Element, context: Context): RootContent[] | null {
  if (element.tagName === 'figcaption') return readCaption(element, context);
  if (element.tagName === 'svg') {
    return wordsOfDrawing(element).flatMap((words) => readDrawn(words, context));
  }
  if (element.tagName === 'blockquote' || hasClass(element, 'ltx_quote', 'ltx_verse')) {
    const children = readBlocks(element.childNodes, context).filter(isFlow);
    return children.length === 0 ? [] : [{ type: 'blockquote', children }];
  }
  if (hasClass(element, 'ltx_title') || /^h[1-6]$/.test(element.tagName)) {
    return paragraphOf(readRunIn(element, context));
  }
  if (element.tagName === 'hr' || hasClass(element, 'ltx_note')) return null;
  return isBlock(element) || holdsBlocks(element) ? readBlocks(element.childNodes, context) : null;
}

function readDrawn(words: DrawnWords, context: Context): RootContent[] {
  if (words.kind === 'passage') {
    return words.elements.flatMap((passage) => readBlocks(passage.childNodes, context));
  }
  return paragraphOf(buildPhrasing(drawingRuns(words, context, null)));
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
