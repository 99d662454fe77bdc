import type { RootContent } from 'mdast';
import { paragraphOf, writeMarkdown } from '../markdown.ts';
import type { Part } from '../section-keys.ts';
import type { SectionType } from '../sections.ts';
import { isAllFloats, newContext, readBlocks } from './latexml/blocks.ts';
import { type Context, readPhrasing } from './latexml/inline.ts';
import { isDivision, isSection, isTitle, sectionDepth } from './latexml/kinds.ts';
import { isBibliography } from './latexml/lists.ts';
import { isMarkOnly, isNote, noteBody } from './latexml/notes.ts';
import { notesOfTitle, readTitle, refersByNumber } from './titles.ts';
import { childElements, type Element, hasClass, isElement, type Node, rawText } from './tree.ts';

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
    const own = (title === undefined ? '' : readTitle(title).title).replace(/[\s.:]+$/u, '');
    const isClassified = hasClass(keywords, 'ltx_classification');
    const name = own || (isClassified ? 'Classification' : 'Keywords');
    const words = readPhrasing(nodes, newContext());
    if (words.length === 0) return;
    const label = { type: 'text' as const, value: `${capitalise(name)}:` };
    const strong = { type: 'strong' as const, children: [label] };
    const line = writeMarkdown(paragraphOf([strong, { type: 'text', value: ' ' }, ...words]));
    this.#closeLoose();
    const last = this.#parts.at(-1);
    if (last === undefined) this.#parts.push({ title: FRONT, content: line, type: 'other' });
    else last.content = [last.content, line].filter((text) => text !== '').join('\n\n');
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
    const all = [...(heading === undefined ? [] : notesOfTitle(heading)), ...nodes];
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
