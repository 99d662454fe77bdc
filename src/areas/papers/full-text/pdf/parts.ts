import type { Paragraph, RootContent } from 'mdast';
import { plainItem, plainParagraph, writeMarkdown } from '../sections/markdown.ts';
import { FRONT, type Part, typeOfTitle } from '../sections/sections.ts';
import { FRONT_PAGES, type Line } from './lines.ts';
import { type Block, NOTE_MARK } from './paragraphs.ts';

/** Maximum number of lines above an abstract that can be just a title and authors. */
const MAX_FRONT = 60;

/** Drops the title and the authors above an abstract; moves their footnotes below its heading. */
export function dropFront(blocks: readonly Block[]): Block[] {
  const at = blocks.findIndex(isAbstract);
  const front = blocks.slice(0, Math.max(at, 0));
  if (front.flatMap(({ lines }) => lines).length > MAX_FRONT) return [...blocks];
  const notes = front.filter(({ kind }) => kind === 'note');
  return [...blocks.slice(front.length, at + 1), ...notes, ...blocks.slice(at + 1)];
}

function isAbstract({ kind, heading, lines: [line] }: Block): boolean {
  const isFront = line !== undefined && line.page < FRONT_PAGES;
  return isFront && kind === 'heading' && /^(?:abstract|summary)\W*$/i.test(heading.title);
}

export function toParts(blocks: readonly Block[], compounds: Compounds): Part[] {
  const parts: Part[] = [];
  let name: Omit<Part, 'content'> | null = null;
  let loose: Block[] = [];
  const close = () => {
    if (name === null && loose.length === 0) return;
    const part = name ?? { title: FRONT };
    const isWorks = (part.type ?? typeOfTitle(part.title)) === 'references';
    const nodes = isWorks ? readWorks(loose, compounds) : toNodes(loose, compounds);
    parts.push({ ...part, content: writeMarkdown(nodes) });
    loose = [];
  };
  for (const block of blocks) {
    if (block.kind === 'heading' && block.heading.depth === 1) {
      close();
      const { number, title, isAppendix } = block.heading;
      name = { number, title, type: isAppendix ? 'appendix' : undefined };
    } else loose.push(block);
  }
  close();
  return parts;
}

function toNodes(blocks: readonly Block[], compounds: Compounds): RootContent[] {
  const nodes: RootContent[] = [];
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const { depth, number, title } = block.heading;
      const value = number === undefined ? title : `${number} ${title}`;
      const children = [{ type: 'text' as const, value }];
      nodes.push({ type: 'heading', depth: depth > 2 ? 4 : 3, children });
    } else if (block.kind === 'table') {
      const value = block.lines.map(({ cells }) => cells.join('  ')).join('\n');
      nodes.push({ type: 'code', value });
    } else if (block.kind === 'item') addItem(nodes, block.lines, compounds);
    else if (block.kind === 'note') {
      nodes.push(plainParagraph(joinLines(block.lines, compounds).replace(NOTE_MARK, '$& ')));
    } else nodes.push(toParagraph(block.lines, compounds));
  }
  return nodes;
}

/** A paragraph, with any leading bold words as its run-in title. */
function toParagraph(lines: readonly Line[], compounds: Compounds): Paragraph {
  const text = joinLines(lines, compounds);
  const start = lines[0]?.boldStart ?? 0;
  const lead = text.slice(0, start).trim();
  const first = lines[0]?.text ?? '';
  // A bold line that ends in a full stop or colon is a title if the next line begins in plain type.
  const isLine = start === first.length && /[.:]$/.test(first) && lines[1]?.boldStart === 0;
  const isTitle = (start < first.length || isLine) && /\p{L}{3}/u.test(lead);
  if (!isTitle) return plainParagraph(text);
  return {
    type: 'paragraph',
    children: [
      { type: 'strong', children: [{ type: 'text', value: lead }] },
      { type: 'text', value: text.slice(start) },
    ],
  };
}

const ORDERED = /^(\d{1,2})[.)]\s+/;
const BULLET = /^[•◦▪‣●■∙·*–-]\s+/u;

function addItem(nodes: RootContent[], lines: readonly Line[], compounds: Compounds): void {
  const text = joinLines(lines, compounds);
  const number = ORDERED.exec(text)?.[1];
  const item = plainItem(text.replace(ORDERED, '').replace(BULLET, ''));
  const last = nodes.at(-1);
  const isNext =
    last?.type === 'list' &&
    (number === undefined
      ? last.ordered !== true
      : last.ordered === true && Number(number) === (last.start ?? 1) + last.children.length);
  if (isNext) last.children.push(item);
  else {
    const start = number === undefined ? null : Number(number);
    nodes.push({ type: 'list', ordered: start !== null, start, spread: false, children: [item] });
  }
}

/** Reference labels: "[12]", "[Lee99]"; "12.", "(12)". */
const LABELS = [/^\[[\w+.,\s-]{1,24}\]\s*\S/, /^\(?\d{1,3}[.)]\s*\S/];

/** The references as a list: split at labels, else at hanging indents, else at paragraphs. */
function readWorks(blocks: readonly Block[], compounds: Compounds): RootContent[] {
  const paragraphs = blocks.flatMap((block) => (block.kind === 'heading' ? [] : [block.lines]));
  const lines = paragraphs.flat();
  const label = LABELS.find((pattern) => pattern.test(lines[0]?.text ?? ''));
  const isHanging = (line: Line) => line.x > line.left + 0.6 * line.size;
  const isStart = (line: Line) => (label === undefined ? !isHanging(line) : label.test(line.text));
  const isDivided = label !== undefined || lines.filter(isHanging).length > 0.2 * lines.length;
  const works: Line[][] = isDivided ? [] : paragraphs;
  for (const line of isDivided ? lines : []) {
    if (works.length === 0 || isStart(line)) works.push([line]);
    else works.at(-1)?.push(line);
  }
  const texts = works.map((work) => joinLines(work, compounds));
  if (texts.length < 2) return texts.map(plainParagraph);
  return [{ type: 'list', ordered: false, spread: false, children: texts.map(plainItem) }];
}

/** The hyphenated words of a document, in lower case, used to undo hyphenation. */
type Compounds = ReadonlySet<string>;

const COMPOUND = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)+/gu;

export function collectCompounds(lines: readonly Line[]): Compounds {
  const words = lines.flatMap(({ text }) => text.toLowerCase().match(COMPOUND) ?? []);
  return new Set(words);
}

const STEM = /[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*(?=[-‐]$)/u;
const HEAD = /^[\p{L}\p{M}]+(?:-[\p{L}\p{M}\p{N}]+)*/u;

/** Joins lines, dropping hyphens that merely split a word at the end of a line. */
function joinLines(lines: readonly Line[], compounds: Compounds): string {
  // Collect parts: inspecting the end of a growing string copies it every time.
  const parts: string[] = [];
  for (const { text } of lines) {
    const last = parts.pop();
    if (last === undefined) parts.push(text);
    else parts.push(...joinTwo(last, text, compounds));
  }
  return parts.join('');
}

/** Prepares two lines for concatenation: adds a space, or drops the hyphen of a split word. */
function joinTwo(above: string, line: string, compounds: Compounds): [string, string] {
  const apart: [string, string] = [`${above} `, line];
  const close: [string, string] = [above, line];
  const last = above.slice(-80);
  if (/https?:\/\/$|(?:https?:\/\/|www\.|doi\.org)\S*[/_=?&#%-]$/i.test(last)) return close;
  // A URL may be split after a dot; a new sentence would start with a capital.
  const isAddress = /(?:https?:\/\/|www\.)\S+\.$/i.test(last);
  if (isAddress && /^[\p{Ll}\d][\w-]*[./]\S/u.test(line)) return close;
  if (/https?:$/i.test(last) && line.startsWith('//')) return close;
  if (/[\p{L}\p{N}][–—]$/u.test(last) && /^[\p{L}\p{N}]/u.test(line)) return close;
  const stem = STEM.exec(last)?.[0].toLowerCase();
  if (stem === undefined) return apart;
  const head = HEAD.exec(line)?.[0];
  if (head === undefined) return /^\p{N}/u.test(line) ? close : apart;
  // "short- and long-term": a suspended hyphen.
  if (/^(?:and|or|und|oder|et|ou)$/.test(head)) return apart;
  return isSplitWord(stem, head, compounds) ? [above.slice(0, -1), line] : close;
}

/** Whether `stem` and `head` are one word, rather than a compound with its own hyphen. */
function isSplitWord(stem: string, head: string, compounds: Compounds): boolean {
  const isCompound = stem.includes('-') || compounds.has(`${stem}-${head.toLowerCase()}`);
  return /^\p{Ll}/u.test(head) && !isCompound && !/\p{N}$/u.test(stem);
}
