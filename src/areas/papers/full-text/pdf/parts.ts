import type { List, Paragraph, PhrasingContent, RootContent } from 'mdast';
import { writeMarkdown } from '../markdown.ts';
import { type Part, typeOfTitle } from '../section-keys.ts';
import type { SectionType } from '../sections.ts';
import { type Block, NOTE_MARK } from './blocks.ts';
import type { Heading } from './headings.ts';
import type { Line } from './lines.ts';
import { joinLines, type Vocabulary } from './words.ts';
import { readWorks } from './works.ts';

const FRONT = 'Front matter';
const NUMBER =
  /^(?:(?:\d{1,2}(?:\.\d{1,2}){0,3}[.:)]?|[IVX]{1,5}[.:)]?|[A-Z](?:\.?\d{1,2})*[.:)]?)|(?:appendix|supplement)\s+[A-Z\d]{1,2}\s*[.:)–—-]?)\s+(?=\S{2})/iu;

/** Splits the blocks of a document into sections. */
export function toParts(blocks: readonly Block[], vocabulary: Vocabulary): Part[] {
  const parts: Part[] = [];
  let title: { title: string; type: SectionType | undefined } | null = null;
  let loose: Block[] = [];
  const close = () => {
    const type = title?.type;
    const name = title?.title ?? FRONT;
    const isWorks = (type ?? typeOfTitle(name)) === 'references';
    const nodes = isWorks ? readWorks(loose, vocabulary) : toNodes(loose, vocabulary);
    parts.push({
      title: name,
      content: writeMarkdown(nodes),
      ...(type === undefined ? {} : { type }),
    });
    loose = [];
  };
  for (const block of blocks) {
    if (block.kind === 'heading' && block.heading.depth === 1) {
      if (title !== null || loose.length > 0) close();
      title = titleOf(block.heading);
    } else loose.push(block);
  }
  if (title !== null || loose.length > 0) close();
  return parts;
}

function titleOf(heading: Heading) {
  const words = heading.title.replace(/[\s:]+$/u, '');
  const title = words.replace(/^section\s+/i, '').replace(NUMBER, '') || words;
  const own = typeOfTitle(title);
  const isAppendix = heading.isAppendix && !['references', 'acknowledgements'].includes(own);
  const type: SectionType | undefined = isAppendix ? 'appendix' : undefined;
  return { title: /^abstract\W*$/i.test(title) ? 'Abstract' : title, type };
}

/** The blocks of a section as Markdown nodes. */
function toNodes(blocks: readonly Block[], vocabulary: Vocabulary): RootContent[] {
  const nodes: RootContent[] = [];
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const depth = block.heading.depth > 2 ? 4 : 3;
      nodes.push({
        type: 'heading',
        depth,
        children: [{ type: 'text', value: block.heading.title }],
      });
    } else if (block.kind === 'table') {
      nodes.push({
        type: 'code',
        value: block.lines.map(({ cells }) => cells.join('  ')).join('\n'),
      });
    } else if (block.kind === 'item') addItem(nodes, block.lines, vocabulary);
    else if (block.kind === 'note') {
      const value = joinLines(block.lines, vocabulary).replace(NOTE_MARK, '$& ');
      nodes.push({ type: 'paragraph', children: [{ type: 'text', value }] });
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
  if (!isTitle) return { type: 'paragraph', children: [{ type: 'text', value: text }] };
  const children: PhrasingContent[] = [
    { type: 'strong', children: [{ type: 'text', value: lead }] },
    { type: 'text', value: text.slice(start) },
  ];
  return { type: 'paragraph', children };
}

const ORDERED = /^(\d{1,2})[.)]\s+/;
const BULLET = /^[•◦▪‣●■∙·*–-]\s+/u;

function addItem(nodes: RootContent[], lines: readonly Line[], vocabulary: Vocabulary): void {
  const text = joinLines(lines, vocabulary);
  const number = ORDERED.exec(text)?.[1];
  const value = text.replace(ORDERED, '').replace(BULLET, '');
  const item: List['children'][number] = {
    type: 'listItem',
    spread: false,
    children: [{ type: 'paragraph', children: [{ type: 'text', value }] }],
  };
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
