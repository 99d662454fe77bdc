import type { Paragraph, RootContent } from 'mdast';
import { plainItem, plainParagraph, writeMarkdown } from '../sections/markdown.ts';
import { type Part, typeOfTitle } from '../sections/section-keys.ts';
import { type Heading, isSameColumn } from './headings.ts';
import type { Line } from './lines.ts';
import { type Block, NOTE_MARK } from './paragraphs.ts';
import { joinLines, type Vocabulary } from './words.ts';

const FRONT = 'Front matter';
const NUMBER =
  /^(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}[.:)]?|[IVX]{1,5}[.:)]?|[A-Z](?:\.?\d{1,2})*[.:)]?)|(?:appendix|supplement)\s+[A-Z\d]{1,2}\s*[.:)–—-]?)\s+(?=\S{2})/iu;

/** Splits the blocks of a document into sections. */
export function toParts(blocks: readonly Block[], vocabulary: Vocabulary): Part[] {
  const parts: Part[] = [];
  let name: Omit<Part, 'content'> | null = null;
  let loose: Block[] = [];
  const close = () => {
    if (name === null && loose.length === 0) return;
    const part = name ?? { title: FRONT };
    const isWorks = (part.type ?? typeOfTitle(part.title)) === 'references';
    const nodes = isWorks ? readWorks(loose, vocabulary) : toNodes(loose, vocabulary);
    parts.push({ ...part, content: writeMarkdown(nodes) });
    loose = [];
  };
  for (const block of blocks) {
    if (block.kind === 'heading' && block.heading.depth === 1) {
      close();
      name = titleOf(block.heading);
    } else loose.push(block);
  }
  close();
  return parts;
}

function titleOf(heading: Heading): Omit<Part, 'content'> {
  const words = heading.title.replace(/[\s:]+$/u, '');
  const title = words.replace(/^section\s+/i, '').replace(NUMBER, '') || words;
  const own = typeOfTitle(title);
  const isAppendix = heading.isAppendix && !['references', 'acknowledgements'].includes(own);
  const shown = /^abstract\W*$/i.test(title) ? 'Abstract' : title;
  return { title: shown, type: isAppendix ? 'appendix' : undefined };
}

/** The blocks of a section as Markdown nodes. */
function toNodes(blocks: readonly Block[], vocabulary: Vocabulary): RootContent[] {
  const nodes: RootContent[] = [];
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const { depth, title } = block.heading;
      const children = [{ type: 'text' as const, value: title }];
      nodes.push({ type: 'heading', depth: depth > 2 ? 4 : 3, children });
    } else if (block.kind === 'table') {
      const value = block.lines.map(({ cells }) => cells.join('  ')).join('\n');
      nodes.push({ type: 'code', value });
    } else if (block.kind === 'item') addItem(nodes, block.lines, vocabulary);
    else if (block.kind === 'note') {
      nodes.push(plainParagraph(joinLines(block.lines, vocabulary).replace(NOTE_MARK, '$& ')));
    } else nodes.push(toParagraph(block.lines, vocabulary));
  }
  return nodes;
}

/** A paragraph; leading bold words are its run-in title. */
function toParagraph(lines: readonly Line[], vocabulary: Vocabulary): Paragraph {
  const text = joinLines(lines, vocabulary);
  const start = lines[0]?.boldStart ?? 0;
  const lead = text.slice(0, start).trim();
  const first = lines[0]?.text ?? '';
  // An entirely bold line counts if plain text follows below it.
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

function addItem(nodes: RootContent[], lines: readonly Line[], vocabulary: Vocabulary): void {
  const text = joinLines(lines, vocabulary);
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

/** The label of a reference. */
const MARK = /^(?:\[[\w+.,\s-]{1,24}\]|\(?\d{1,3}[.)])\s*\S/u;

/** The references, as a list if single entries can be told apart. */
function readWorks(blocks: readonly Block[], vocabulary: Vocabulary): RootContent[] {
  const lines = blocks.flatMap((block) => (block.kind === 'heading' ? [] : block.lines));
  const works = divide(lines);
  const texts = works.map((work) => joinLines(work, vocabulary));
  if (texts.length < 2) return texts.map(plainParagraph);
  return [{ type: 'list', ordered: false, spread: false, children: texts.map(plainItem) }];
}

/** Splits by labels, else by hanging indents, else by vertical gaps. */
function divide(lines: readonly Line[]): Line[][] {
  const first = lines[0];
  if (first === undefined) return [];
  if (MARK.test(first.text)) {
    const isBracket = first.text.startsWith('[');
    return group(lines, (line) => MARK.test(line.text) && line.text.startsWith('[') === isBracket);
  }
  const hanging = lines.filter((line) => line.x > line.left + 0.6 * line.size).length;
  if (hanging > 0.2 * lines.length) {
    return group(lines, (line) => line.x <= line.left + 0.6 * line.size);
  }
  return group(lines, (line, above) => {
    if (!isSameColumn(above, line))
      return /\.$/.test(above.text) && above.end < above.right - line.size;
    return above.y - line.y > 1.4 * line.size;
  });
}

function group(lines: readonly Line[], isStart: (line: Line, above: Line) => boolean): Line[][] {
  const groups: Line[][] = [];
  let above: Line | undefined;
  for (const line of lines) {
    const last = groups.at(-1);
    if (last === undefined || above === undefined || isStart(line, above)) groups.push([line]);
    else last.push(line);
    above = line;
  }
  return groups;
}
