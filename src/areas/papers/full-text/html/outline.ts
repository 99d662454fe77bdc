import type { RootContent } from 'mdast';
import { paragraphOf, writeMarkdown } from '../sections/markdown.ts';
import { FRONT, type Part, type SectionType } from '../sections/sections.ts';
import { isAllFloats, newState, readBlocks } from './blocks.ts';
import { isMarkOnly, noteBody, type ReaderState, readHeading, readPhrasing } from './inline.ts';
import {
  childElements,
  type Element,
  holds,
  isElement,
  isOf,
  type Kind,
  kindOf,
  type Node,
  rawText,
  takeChild,
} from './tree.ts';

interface Segment {
  /** `block` for text outside sections; `division` for the bare title of a part or chapter. */
  kind: Kind;
  title?: Element | undefined;
  nodes: Node[];
}

const isSection = (node: Node) =>
  isOf(node, 'abstract', 'references', 'appendix', 'acknowledgements', 'section');
/** Elements that count as sections unless they are inside one. */
const isLesser = (node: Node) =>
  isOf(node, 'subsection', 'subsubsection', 'paragraph', 'subparagraph', 'works');
const isKeywords = (node: Node) => isOf(node, 'keywords', 'classification');

/** Splits a paper's nodes into segments, in order; appends them to `segments`. */
function divide(nodes: readonly Node[], segments: Segment[] = []): Segment[] {
  for (const node of nodes) {
    const last = segments.at(-1);
    if (isElement(node) && isOf(node, 'division')) {
      const [title, rest] = takeChild(node, 'title');
      segments.push({ kind: 'division', title, nodes: [] });
      divide(rest, segments);
    } else if (isElement(node) && (isKeywords(node) || isSection(node) || isLesser(node))) {
      segments.push(...divideSection(node));
    } else if (isElement(node) && holdsSection(node)) divide(node.childNodes, segments);
    else if (last?.kind === 'block') last.nodes.push(node);
    else segments.push({ kind: 'block', nodes: [node] });
  }
  return segments;
}

/** A section, followed by the sections nested in it. */
function divideSection(section: Element): Segment[] {
  const inner = takeSections(section);
  const [title, nodes] = takeChild(section, 'title');
  const kind = kindOf(section) ?? 'section';
  return [{ kind, title, nodes }, ...inner.flatMap(divideSection)];
}

function holdsSection(element: Element): boolean {
  const begins = (child: Element) => isOf(child, 'division') || isSection(child) || isLesser(child);
  return holds(element, begins);
}

/** Removes and returns the sections nested in an element, at any depth: a float may enclose some. */
function takeSections(element: Element): Element[] {
  const taken: Element[] = [];
  element.childNodes = element.childNodes.filter((node) => {
    if (!isElement(node)) return true;
    taken.push(...(isSection(node) ? [node] : takeSections(node)));
    return !isSection(node);
  });
  return taken;
}

/** Splits a prepared paper into its sections, in order. */
export function readParts(paper: Element): Part[] {
  const parts: Part[] = [];
  // Division titles, and notes between sections, belong to the next section.
  let divisions: Element[] = [];
  let notes: Node[] = [];
  const push = (name: Omit<Part, 'content'>, { title, nodes }: Omit<Segment, 'kind'>) => {
    const state = newState();
    // A title is plain text, so its footnote marks precede the body.
    const marks = title === undefined ? [] : childElements(title).filter(isNote);
    const all = [...marks, ...nodes];
    // If there are only notes, their text becomes the section.
    const body = readBlocks(all.every(isNotes) ? all.flatMap(wordsOfNotes) : all, state);
    if (body.length === 0) return;
    const head = divisions.flatMap((division) => readDivision(division, state));
    // Read the notes only to add their footnotes to the state.
    readBlocks(notes, state);
    divisions = [];
    notes = [];
    const content = writeMarkdown([...head, ...body, ...state.notes.definitions]);
    parts.push({ ...name, content });
  };
  for (const segment of divide(paper.childNodes)) {
    const { kind, title, nodes } = segment;
    if (kind === 'division') {
      if (title !== undefined) divisions.push(title);
    } else if (kind === 'keywords' || kind === 'classification') addKeywords(parts, segment);
    else if (kind !== 'block') push(nameOf(segment), segment);
    else if (nodes.every(isNotes)) notes.push(...nodes);
    else {
      const isFront = parts.every((part) => part.type === 'abstract' || part.title === FRONT);
      const late = isAllFloats(nodes) ? 'Figures and tables' : 'Further text';
      const division = divisions.pop();
      if (division !== undefined) push(readTitle(division), { title: division, nodes });
      else push({ title: isFront ? FRONT : late, type: 'other' }, { nodes });
    }
  }
  push({ title: 'Notes', type: 'note' }, { nodes: notes.splice(0) });
  // Ordinary sections have no type. If there are none, the front matter is the whole text.
  if (parts.some((part) => part.type === undefined)) return parts;
  return parts.map((part) => (part.title === FRONT ? { ...part, title: 'Body' } : part));
}

const TYPES: Partial<Record<Kind, SectionType>> = {
  abstract: 'abstract',
  references: 'references',
  works: 'references',
  appendix: 'appendix',
  acknowledgements: 'acknowledgements',
};

function nameOf({ kind, title }: Segment): Omit<Part, 'content'> {
  const type = TYPES[kind];
  const name = title === undefined ? { title: '' } : readTitle(title);
  return { ...name, title: name.title || capitalise(type ?? 'untitled'), type };
}

/** Appends keywords to the preceding section, or makes them front matter if there is none. */
function addKeywords(parts: Part[], { kind, title, nodes }: Segment): void {
  const name = capitalise((title && readTitle(title).title) || kind);
  const words = writeMarkdown(paragraphOf(readPhrasing(nodes, newState())));
  if (words === '') return;
  const last = parts.at(-1);
  const content = `**${name}:** ${words}`;
  if (last === undefined) parts.push({ title: FRONT, content, type: 'other' });
  else last.content += `\n\n${content}`;
}

/** The title of a part or chapter, in bold, for the start of its first section. */
function readDivision(title: Element, state: ReaderState): RootContent[] {
  const children = readHeading(title, state);
  return paragraphOf(children.length === 0 ? [] : [{ type: 'strong', children }]);
}

const isNote = (node: Node) => isOf(node, 'note');

/** Whether a node has no text outside notes. */
function isNotes(node: Node): boolean {
  if (!isElement(node)) return rawText(node).trim() === '';
  return isNote(node) || node.childNodes.every(isNotes);
}

function wordsOfNotes(node: Node): Node[] {
  if (!isElement(node)) return [];
  if (!isNote(node)) return node.childNodes.flatMap(wordsOfNotes);
  return isMarkOnly(node) ? [] : noteBody(node);
}

function capitalise(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A heading's number, and its title as plain text with formulas as TeX; a number alone is the title. */
function readTitle(heading: Element): Pick<Part, 'title' | 'number'> {
  const [tag, rest] = takeChild(heading, 'tag');
  const title = withoutStop(plainWords(rest)).replace(/^[\s.:]+/u, '');
  if (title === '') return { title: withoutStop(plainWords(heading.childNodes)) };
  const number = tag === undefined ? '' : plainWords(tag.childNodes).trim();
  return number === '' ? { title } : { title, number };
}

/** Drops a full stop or colon at the end, but keeps the stop of "U.S.". */
function withoutStop(words: string): string {
  return words.replace(/(?<![\s:.])(?:\s|:|(?<!\p{Lu})\.)+$/u, '');
}

const plainWords = (nodes: readonly Node[]) =>
  readHeading({ childNodes: nodes }, newState()).map(textOf).join('');

function textOf(node: ReturnType<typeof readPhrasing>[number]): string {
  if (node.type === 'text' || node.type === 'inlineCode') return node.value;
  if (node.type === 'inlineMath') return `$${node.value}$`;
  if (node.type === 'break') return ' ';
  return 'children' in node ? node.children.map(textOf).join('') : '';
}
