import type { PhrasingContent, RootContent } from 'mdast';
import { paragraphOf } from '../../markdown.ts';
import { type Element, hasClass, isElement, rawText } from '../tree.ts';
import { type Context, readPhrasing } from './inline.ts';
import { isTag, isTitle } from './kinds.ts';
import { prefix } from './lists.ts';

export function isFloat(element: Element): boolean {
  return element.tagName === 'figure' || hasClass(element, 'ltx_figure', 'ltx_table', 'ltx_float');
}

/**
 * A float without its images. The caption follows a figure's text, but precedes a table or an
 * algorithm.
 */
export function readFloat(float: Element, context: Context): RootContent[] {
  const isFirst = !hasClass(float, 'ltx_figure');
  const captions = float.childNodes.filter(
    (node) => isElement(node) && /^(?:fig)?caption$/.test(node.tagName),
  );
  const rest = float.childNodes.filter((node) => !captions.includes(node));
  const head = captions.flatMap((node) => (isElement(node) ? readCaption(node, context) : []));
  const body = context.readBlocks(rest, context);
  return isFirst ? [...head, ...body] : [...body, ...head];
}

/** "**Figure 2.** What it shows". */
export function readCaption(caption: Element, context: Context): RootContent[] {
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
export function readRunIn(title: Element, context: Context): PhrasingContent[] {
  const plain: Context = { ...context, style: 'plain', ignores: 'strong' };
  return boldTitle(readPhrasing(title.childNodes, plain).map(unstyled));
}

function unstyled(node: PhrasingContent): PhrasingContent {
  const [only] = node.type === 'emphasis' ? node.children : [];
  return only !== undefined && node.type === 'emphasis' && node.children.length === 1 ? only : node;
}

export function isTheorem(element: Element): boolean {
  return hasClass(element, 'ltx_theorem', 'ltx_proof');
}

/** "**Theorem 1 (Name).** …", without the italics of its text. */
export function readTheorem(theorem: Element, context: Context): RootContent[] {
  const title = theorem.childNodes.find(isTitle);
  const rest = theorem.childNodes.filter((node) => node !== title);
  const body = context.readBlocks(rest, { ...context, ignores: 'emphasis' });
  return title === undefined ? body : prefix(readRunIn(title, context), body);
}
