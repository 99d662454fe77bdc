import type { RootContent } from 'mdast';
import { paragraphOf, writeMarkdown } from '../sections/markdown.ts';
import type { Part, SectionType } from '../sections/sections.ts';
import { isAllFloats, newContext, readBlocks } from './blocks.ts';
import { type Context, isMarkOnly, isNote, noteBody, readPhrasing } from './inline.ts';
import { isBibliography } from './lists.ts';
import {
  attribute,
  childElements,
  type Element,
  findFirst,
  hasClass,
  isDivision,
  isElement,
  isSection,
  isTag,
  isText,
  isTitle,
  type Node,
  rawText,
  sectionDepth,
} from './tree.ts';

/**
 * Splits a prepared paper into its sections, in document order. They carry their numbers if the
 * text refers to any of them by number.
 */
export function readParts(paper: Element): Part[] {
  const splitter = new Splitter(refersByNumber(paper));
  splitter.walk(paper);
  return splitter.finish();
}

class Splitter {
  readonly #isNumbered: boolean;
  readonly #parts: Part[] = [];
  #loose: Node[] = [];
  /** Notes between sections, to be added to the next section. */
  #notes: Node[] = [];
  /** Titles of a part or chapter whose first section is still to come. */
  #divisions: Element[] = [];

  constructor(isNumbered: boolean) {
    this.#isNumbered = isNumbered;
  }

  walk(container: Element): void {
    for (const node of container.childNodes) {
      if (!isElement(node)) this.#loose.push(node);
      else if (isDivision(node)) this.#openDivision(node);
      else if (beginsSection(node)) this.#addSection(node);
      else if (hasClass(node, 'ltx_keywords', 'ltx_classification')) this.#addKeywords(node);
      else if (holdsSection(node)) this.walk(node);
      else this.#loose.push(node);
    }
  }

  finish(): Part[] {
    this.#closeLoose();
    const notes = this.#notes.splice(0);
    this.#push({ title: 'Notes', type: 'note' }, notes, undefined);
    // Ordinary sections have no type; if there are none, the front matter is the whole text.
    if (this.#parts.some((part) => part.type === undefined)) return this.#parts;
    return this.#parts.map((part) => (part.title === FRONT ? { ...part, title: 'Body' } : part));
  }

  #openDivision(division: Element): void {
    const title = division.childNodes.find(isTitle);
    this.#closeLoose();
    if (title !== undefined) this.#divisions.push(title);
    division.childNodes = division.childNodes.filter((node) => node !== title);
    this.walk(division);
  }

  #addSection(section: Element): void {
    this.#closeLoose();
    const inner = takeSections(section);
    const title = section.childNodes.find(isTitle);
    const nodes = section.childNodes.filter((node) => node !== title);
    const type = typeOf(section);
    const name = title === undefined ? { title: '' } : readTitle(title);
    this.#push(
      { ...name, title: name.title || capitalise(type ?? 'untitled'), type },
      nodes,
      title,
    );
    for (const part of inner) this.#addSection(part);
  }

  #addKeywords(keywords: Element): void {
    const title = keywords.childNodes.find(isTitle);
    const nodes = keywords.childNodes.filter((node) => node !== title);
    const usual = hasClass(keywords, 'ltx_classification') ? 'Classification' : 'Keywords';
    const name = capitalise((title && readTitle(title).title) || usual);
    const words = writeMarkdown(paragraphOf(readPhrasing(nodes, newContext())));
    if (words === '') return;
    this.#closeLoose();
    const line = `**${name}:** ${words}`;
    const last = this.#parts.at(-1);
    if (last === undefined) this.#parts.push({ title: FRONT, content: line, type: 'other' });
    else last.content += `\n\n${line}`;
  }

  /** Text outside sections: front matter before the first section, later a part of its own. */
  #closeLoose(): void {
    const nodes = this.#loose;
    this.#loose = [];
    if (nodes.every((node) => rawText(node).trim() === '')) return;
    if (nodes.every(isNotes)) {
      this.#notes.push(...nodes);
      return;
    }
    const isFront = this.#parts.every((part) => part.type === 'abstract' || part.title === FRONT);
    const late = isAllFloats(nodes) ? 'Figures and tables' : 'Further text';
    const division = this.#divisions.pop();
    if (division !== undefined) this.#push(readTitle(division), nodes, division);
    else this.#push({ title: isFront ? FRONT : late, type: 'other' }, nodes, undefined);
  }

  #push(name: Omit<Part, 'content'>, nodes: Node[], heading: Element | undefined): void {
    const context = newContext();
    // A title is plain text and cannot show the marks of its notes.
    const all = [...(heading === undefined ? [] : childElements(heading).filter(isNote)), ...nodes];
    // When there are only notes, their text is the section.
    const body = readBlocks(all.every(isNotes) ? all.flatMap(wordsOfNotes) : all, context);
    if (body.length === 0) return;
    const head = this.#divisions.splice(0).flatMap((title) => readDivision(title, context));
    // Read only for the footnotes that they add to the context.
    readBlocks(this.#notes.splice(0), context);
    const content = writeMarkdown([...head, ...body, ...context.notes.definitions]);
    const number = this.#isNumbered ? name.number : undefined;
    this.#parts.push({ ...name, number, content });
  }
}

/** The title of a part or chapter, in bold before its first section. */
function readDivision(title: Element, context: Context): RootContent[] {
  const children = readPhrasing(title.childNodes, { ...context, ignores: 'strong' });
  return paragraphOf(children.length === 0 ? [] : [{ type: 'strong', children }]);
}

/** Whether a node holds no text except in notes. */
function isNotes(node: Node): boolean {
  if (!isElement(node)) return rawText(node).trim() === '';
  return isNote(node) || node.childNodes.every(isNotes);
}

function wordsOfNotes(node: Node): Node[] {
  if (!isElement(node)) return [];
  if (!isNote(node)) return node.childNodes.flatMap(wordsOfNotes);
  return isMarkOnly(node) ? [] : noteBody(node);
}

/** Title of the text before the first section. */
const FRONT = 'Front matter';

function holdsSection(element: Element): boolean {
  return childElements(element).some(
    (child) => isDivision(child) || beginsSection(child) || holdsSection(child),
  );
}

/**
 * Removes the sections nested in an element, at any depth, and returns them in order. A float that
 * its authors closed too late encloses the sections that follow.
 */
function takeSections(element: Element): Element[] {
  const taken: Element[] = [];
  element.childNodes = element.childNodes.filter((node) => {
    if (!isElement(node)) return true;
    if (isSection(node)) taken.push(node);
    else taken.push(...takeSections(node));
    return !isSection(node);
  });
  return taken;
}

function beginsSection(element: Element): boolean {
  return isSection(element) || sectionDepth(element) > 0 || isBibliography(element);
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

function capitalise(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/**
 * A title as plain text, with formulas as TeX, and its number separately. A title that is only a
 * number stays the title.
 */
function readTitle(heading: Element): Pick<Part, 'title' | 'number'> {
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

/** Link target of a numbered section: "#S3", "#A1.SS2". */
const SECTION = /#(?:Pt|Ch|S|A)\d+(?:\.(?:Ch|S|SS|SSS)\d+)*$/;
/** References typed by hand: "Section 3", "Sec. IV", "§2.1", "Appendix B". */
const TYPED =
  /(?:\b(?:[Ss]ections?|[Ss]ect?s?\.|[Cc]hapters?|[Aa]ppendix|[Aa]ppendices)|§)\s*(?:\d|[IVX]+\b|[A-H]\b)/;

/** Whether the text refers to a section by number, in a link or in words. */
function refersByNumber(node: Node): boolean {
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
