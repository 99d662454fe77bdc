import pageFile from '../../../../../../data/latexml.json' with { type: 'json' };
import { childElements, type Element, hasClass, isElement, type Node } from '../tree.ts';
import { isDisplayMath, isMath } from './tex.ts';

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

/** Whether a block or a displayed formula is nested inside. */
export function holdsBlocks(element: Element): boolean {
  return (
    !isMath(element) &&
    !hasClass(element, 'ltx_note') &&
    childElements(element).some(
      (child) => isBlock(child) || (isMath(child) && isDisplayMath(child)) || holdsBlocks(child),
    )
  );
}
