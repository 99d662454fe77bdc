import { ABSTRACT, beginsAbstract, type Setting } from './headings.ts';
import { FRONT_PAGES, type Line } from './lines.ts';
import type { Block } from './paragraphs.ts';

/** Longer front matter contains more than a title and authors. */
const MAX_LINES = 60;
/** Fewest words of prose, which distinguish it from a motto or a dedication. */
const MIN_WORDS = 12;

/** Drops the title and the authors, and gives the abstract a heading of its own. */
export function dropFront(blocks: readonly Block[], setting: Setting): Block[] {
  const abstract = blocks.findIndex(isAbstract);
  const block = blocks[abstract];
  if (block !== undefined && countLines(blocks.slice(0, abstract)) <= MAX_LINES) {
    const front = blocks.slice(0, abstract);
    const notes = front.filter(({ kind }) => kind === 'note');
    const prose = front.filter((one) => one.kind !== 'note' && isProse(one, setting));
    const rest = [...notes, ...blocks.slice(abstract + 1)];
    if (block.kind === 'heading') return [...prose, block, ...rest];
    const heading = { depth: 1, title: 'Abstract', count: 0, isAppendix: false };
    const text = { ...block, lines: cutLabel(block.lines) };
    return [...prose, { kind: 'heading', heading, lines: block.lines }, text, ...rest];
  }
  const body = blocks.findIndex(({ kind }) => kind === 'heading');
  const end = body === -1 ? blocks.length : body;
  return [...blocks.slice(0, end).filter((one) => isProse(one, setting)), ...blocks.slice(end)];
}

function isAbstract(block: Block): boolean {
  const line = block.lines[0];
  if (line === undefined || line.page >= FRONT_PAGES) return false;
  if (block.kind === 'heading') return /^(?:abstract|summary)\W*$/i.test(block.heading.title);
  return block.kind === 'text' && beginsAbstract(line);
}

const countLines = (blocks: readonly Block[]) =>
  blocks.reduce((sum, { lines }) => sum + lines.length, 0);

function cutLabel(lines: readonly Line[]): Line[] {
  return lines.flatMap((line, at) => {
    if (at > 0) return [line];
    const text = line.text.replace(ABSTRACT, '');
    return text === '' ? [] : [{ ...line, text, boldStart: 0 }];
  });
}

/** Whether a block is prose, not a title, a name or an address, whose words have capitals. */
function isProse({ kind, lines }: Block, { size }: Setting): boolean {
  if (kind === 'heading' || lines.some((line) => line.size > 1.15 * size)) return false;
  const words = lines.flatMap(
    ({ text }) => text.replace(/\S*@\S*/g, '').match(/\p{L}{2,}/gu) ?? [],
  );
  const lower = words.filter((word) => /^\p{Ll}/u.test(word));
  return words.length >= MIN_WORDS && lower.length > words.length / 2;
}
