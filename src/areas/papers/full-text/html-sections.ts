import type { RootContent } from 'mdast';
import {
  childElements,
  type Element,
  hasClass,
  isElement,
  type Node,
  rawText,
} from './html-tree.ts';
import { isAllFloats, newContext, readBlocks } from './latexml-blocks.ts';
import { readPhrasing } from './latexml-inline.ts';
import { isDivision, isSection, isTag, isTitle, sectionDepth } from './latexml-kinds.ts';
import { isBibliography } from './latexml-lists.ts';
import { writeMarkdown } from './markdown.ts';
import type { Part } from './section-keys.ts';
import type { SectionType } from './sections.ts';

/** Divides an article, already prepared, into its sections in document order. */
export function readParts(article: Element): Part[] {
  const splitter = new Splitter();
  splitter.walk(article);
  return splitter.finish();
}

class Splitter {
  readonly #parts: Part[] = [];
  #loose: Node[] = [];
  /** The titles of the part and chapter whose first section is still to come. */
  #divisions: Element[] = [];

  walk(container: Element): void {
    for (const node of container.childNodes) {
      if (!isElement(node)) this.#loose.push(node);
      else if (isDivision(node)) this.#openDivision(node);
      else if (isSection(node)) this.#addSection(node);
      else if (sectionDepth(node) > 0 || isBibliography(node)) this.#addSection(node);
      else if (hasClass(node, 'ltx_keywords', 'ltx_classification')) this.#addKeywords(node);
      else if (holdsSection(node)) this.walk(node);
      else this.#loose.push(node);
    }
  }

  finish(): Part[] {
    this.#closeLoose();
    // Sections have no type of their own; without one, what stood in front is the whole text.
    if (this.#parts.some((part) => part.type === undefined)) return this.#parts;
    return this.#parts.map((part) => (part.title === FRONT ? { ...part, title: 'Body' } : part));
  }

  #openDivision(division: Element): void {
    const title = division.childNodes.find(isTitle);
    if (!holdsSection(division)) {
      this.#addSection(division);
      return;
    }
    this.#closeLoose();
    if (title !== undefined) this.#divisions.push(title);
    division.childNodes = division.childNodes.filter((node) => node !== title);
    this.walk(division);
  }

  #addSection(section: Element): void {
    this.#closeLoose();
    const title = section.childNodes.find(isTitle);
    const inner = childElements(section).filter(isAcknowledgements);
    const nodes = section.childNodes.filter(
      (node) => node !== title && !(isElement(node) && inner.includes(node)),
    );
    const words = title === undefined ? '' : titleOf(title);
    const type = typeOf(section);
    this.#push(words || titleFor(type), nodes, type, title);
    for (const part of inner) this.#addSection(part);
  }

  #addKeywords(keywords: Element): void {
    const title = keywords.childNodes.find(isTitle);
    const nodes = keywords.childNodes.filter((node) => node !== title);
    const label = (title === undefined ? '' : titleOf(title)).replace(/[\s.:]+$/u, '');
    const isClassified = hasClass(keywords, 'ltx_classification');
    const name = label || (isClassified ? 'Classification' : 'Keywords');
    const words = readPhrasing(nodes, newContext());
    if (words.length === 0) return;
    const strong = { type: 'text' as const, value: `${capitalise(name)}:` };
    const line = writeMarkdown([
      {
        type: 'paragraph',
        children: [{ type: 'strong', children: [strong] }, { type: 'text', value: ' ' }, ...words],
      },
    ]);
    this.#closeLoose();
    const last = this.#parts.at(-1);
    if (last === undefined) this.#parts.push({ title: FRONT, content: line, type: 'other' });
    else last.content = [last.content, line].filter((text) => text !== '').join('\n\n');
  }

  /** Text outside the sections: before the first it is front matter, later it is a part by itself. */
  #closeLoose(): void {
    const nodes = this.#loose;
    this.#loose = [];
    if (nodes.every((node) => rawText(node).trim() === '')) return;
    const isFront = this.#parts.every((part) => part.type === 'abstract' || part.title === FRONT);
    const late = isAllFloats(nodes) ? 'Figures and tables' : 'Further text';
    const division = this.#divisions.pop();
    if (division === undefined) this.#push(isFront ? FRONT : late, nodes, 'other', undefined);
    else this.#push(titleOf(division), nodes, undefined, division);
  }

  #push(title: string, nodes: Node[], type: SectionType | undefined, heading: Element | undefined) {
    const context = newContext();
    const blocks: RootContent[] = [];
    for (const division of this.#divisions) {
      const children = readPhrasing(division.childNodes, { ...context, ignores: 'strong' });
      if (children.length > 0) {
        blocks.push({ type: 'paragraph', children: [{ type: 'strong', children }] });
      }
    }
    const notesOfTitle = heading === undefined ? [] : notesIn(heading);
    const body = readBlocks([...notesOfTitle, ...nodes], context);
    if (body.length > 0) this.#divisions = [];
    const content = writeMarkdown([...blocks, ...body, ...context.notes.definitions]);
    if (content === '') return;
    this.#parts.push(type === undefined ? { title, content } : { title, content, type });
  }
}

/** Where the paper has text before its first section. */
const FRONT = 'Front matter';

function holdsSection(element: Element): boolean {
  return childElements(element).some(
    (child) =>
      isSection(child) ||
      isDivision(child) ||
      sectionDepth(child) > 0 ||
      isBibliography(child) ||
      holdsSection(child),
  );
}

function isAcknowledgements(element: Element): boolean {
  return hasClass(element, 'ltx_acknowledgements');
}

function typeOf(section: Element): SectionType | undefined {
  if (hasClass(section, 'ltx_abstract')) return 'abstract';
  if (hasClass(section, 'ltx_bibliography', 'ltx_biblist')) return 'references';
  if (hasClass(section, 'ltx_appendix')) return 'appendix';
  return isAcknowledgements(section) ? 'acknowledgements' : undefined;
}

function titleFor(type: SectionType | undefined): string {
  if (type === undefined) return 'Untitled';
  return type === 'acknowledgements' ? 'Acknowledgements' : capitalise(type);
}

function capitalise(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A title as plain words, formulas as TeX, without its number; the number where it is all. */
function titleOf(title: Element): string {
  const words = plainWords(title.childNodes.filter((node) => !isTag(node)));
  return withoutStop(words).replace(/^[\s.:]+/u, '') || withoutStop(plainWords(title.childNodes));
}

/** The stop that closes a title goes, that of "U.S." stays. */
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

/** A note hung on a title opens the section: the manifest has no place for a mark. */
function notesIn(title: Element): Node[] {
  return childElements(title).filter((child) => hasClass(child, 'ltx_note'));
}
