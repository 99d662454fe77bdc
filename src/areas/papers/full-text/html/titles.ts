import type { Part } from '../section-keys.ts';
import { newContext } from './latexml/blocks.ts';
import { readPhrasing } from './latexml/inline.ts';
import { isTag, isTitle } from './latexml/kinds.ts';
import { isNote } from './latexml/notes.ts';
import {
  attribute,
  childElements,
  type Element,
  findFirst,
  hasClass,
  isElement,
  isText,
  type Node,
} from './tree.ts';

/**
 * A title as plain text, with formulas as TeX, and its number separately. A title that is only a
 * number stays the title.
 */
export function readTitle(heading: Element): Pick<Part, 'title' | 'number'> {
  const tag = heading.childNodes.find(isTag);
  const words = plainWords(heading.childNodes.filter((node) => !isTag(node)));
  const title = withoutStop(words).replace(/^[\s.:]+/u, '');
  if (title === '') return { title: withoutStop(plainWords(heading.childNodes)) };
  const number = tag === undefined ? '' : plainWords(tag.childNodes).trim();
  return number === '' ? { title } : { title, number };
}

/** Drops a full stop or colon at the end, but keeps the stop of "U.S.". */
function withoutStop(words: string): string {
  return words.replace(/(?:\s|:|(?<!\p{Lu})\.)+$/u, '');
}

function plainWords(nodes: readonly Node[]): string {
  const context = { ...newContext(), ignores: 'strong' as const };
  return readPhrasing(nodes, context).map(wordsOf).join('');
}

function wordsOf(node: ReturnType<typeof readPhrasing>[number]): string {
  if (node.type === 'text' || node.type === 'inlineCode') return node.value;
  if (node.type === 'inlineMath') return `$${node.value}$`;
  if (node.type === 'break') return ' ';
  return 'children' in node ? node.children.map(wordsOf).join('') : '';
}

/** Notes attached to a title, which is plain text and cannot show their marks. */
export function notesOfTitle(heading: Element): Element[] {
  return childElements(heading).filter(isNote);
}

/** Link target of a numbered section: "#S3", "#A1.SS2". */
const SECTION = /#(?:Pt|Ch|S|A)\d+(?:\.(?:Ch|S|SS|SSS)\d+)*$/;
/** References typed by hand: "Section 3", "Sec. IV", "§2.1", "Appendix B". */
const TYPED =
  /(?:\b(?:[Ss]ections?|[Ss]ect?s?\.|[Cc]hapters?|[Aa]ppendix|[Aa]ppendices)|§)\s*(?:\d|[IVX]+\b|[A-H]\b)/;

/** Whether the text refers to a section by number, in a link or in words. */
export function refersByNumber(node: Node): boolean {
  if (isText(node)) return TYPED.test(node.value);
  if (!isElement(node)) return false;
  const isBelowTitle = (child: Node) => !isTitle(child) && refersByNumber(child);
  return isReference(node) || node.childNodes.some(isBelowTitle);
}

/** LaTeXML marks the text of a link: `ltx_ref_tag` is a number, `ltx_ref_title` a title. */
function isReference(element: Element): boolean {
  return (
    element.tagName === 'a' &&
    SECTION.test(attribute(element, 'href') ?? '') &&
    findFirst(element, (child) => hasClass(child, 'ltx_ref_tag')) !== null
  );
}
