import { childElements, type Element, hasClass, isElement, type Node } from '../tree.ts';
import { isDisplayMath, isMath } from './tex.ts';

const BLOCK_TAGS = new Set(
  `address article aside blockquote center dd details div dl dt fieldset figcaption figure footer
   form h1 h2 h3 h4 h5 h6 header hr li main ol p pre section table tbody td tfoot th thead tr ul`
    .split(/\s+/)
    .filter((tag) => tag !== 'td' && tag !== 'th'),
);
const BLOCK_CLASSES = [
  'ltx_p',
  'ltx_block',
  'ltx_para',
  'ltx_tabular',
  'ltx_tr',
  'ltx_equation',
  'ltx_equationgroup',
  'ltx_itemize',
  'ltx_enumerate',
  'ltx_description',
  'ltx_item',
  'ltx_listing',
  'ltx_listingline',
  'ltx_figure',
  'ltx_table',
  'ltx_float',
];

/** Whether an element is block-level. */
export function isBlock(element: Element): boolean {
  return BLOCK_TAGS.has(element.tagName) || hasClass(element, ...BLOCK_CLASSES);
}

const SECTIONS = [
  'ltx_section',
  'ltx_appendix',
  'ltx_bibliography',
  'ltx_abstract',
  'ltx_acknowledgements',
  'ltx_index',
];

/** Whether an element becomes a section of its own. */
export function isSection(element: Element): boolean {
  return hasClass(element, ...SECTIONS);
}

export function isDivision(element: Element): boolean {
  return hasClass(element, 'ltx_part', 'ltx_chapter');
}

const SUBSECTIONS = [
  'ltx_subsection',
  'ltx_subsubsection',
  'ltx_paragraph',
  'ltx_subparagraph',
] as const;

/** From 1 for a subsection to 4 for a run-in heading; 0 for anything else. */
export function sectionDepth(element: Element): number {
  return SUBSECTIONS.findIndex((name) => hasClass(element, name)) + 1;
}

export function isTitle(node: Node): node is Element {
  return isElement(node) && (hasClass(node, 'ltx_title') || /^h[1-6]$/.test(node.tagName));
}

export function isTag(node: Node): node is Element {
  return isElement(node) && hasClass(node, 'ltx_tag', 'ltx_bibtag');
}

const cache = new WeakMap<Element, boolean>();

/** Whether a block or a displayed formula is nested inside. */
export function holdsBlocks(element: Element): boolean {
  const known = cache.get(element);
  if (known !== undefined) return known;
  const holds =
    !isMath(element) &&
    !hasClass(element, 'ltx_note') &&
    childElements(element).some(
      (child) => isBlock(child) || (isMath(child) && isDisplayMath(child)) || holdsBlocks(child),
    );
  cache.set(element, holds);
  return holds;
}
