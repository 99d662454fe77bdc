import { type Block, countStyles } from './blocks.ts';
import { ABSTRACT, beginsAbstract, type Setting, styleOf } from './headings.ts';
import { FRONT_PAGES, type Line } from './lines.ts';

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
    const heading = { depth: 1, title: 'Abstract', count: 0, isAppendix: false, isGuess: false };
    const text = { ...block, lines: cutLabel(block.lines) };
    return [...prose, { kind: 'heading', heading, lines: block.lines }, text, ...rest];
  }
  const end = findBody(blocks);
  return [...blocks.slice(0, end).filter((one) => isProse(one, setting)), ...blocks.slice(end)];
}

/** Index of the first block after the title, the authors and any text without a heading. */
function findBody(blocks: readonly Block[]): number {
  const sizes = blocks.flatMap(({ lines }) => (lines[0]?.page === 0 ? lines[0].size : []));
  const title = sizes.reduce((a, b) => Math.max(a, b), 0);
  const styles = countStyles(blocks);
  const body = blocks.findIndex((block, at) => {
    if (block.kind !== 'heading') return false;
    const line = block.lines[0];
    if (!block.heading.isGuess || line === undefined || line.page > 0) return true;
    // Authors may be set large too, but no other block shares their style.
    const isUsual = (styles.get(styleOf(line)) ?? 0) > 1;
    return isUsual && line.size < title - 0.5 && isSentence(blocks[at + 1]);
  });
  return body === -1 ? blocks.length : body;
}

/** Names and addresses, which may also follow a large line, do not end in a full stop. */
function isSentence(block: Block | undefined): boolean {
  if (block === undefined || block.kind === 'heading') return false;
  return block.lines.length > 3 || /[.:]$/.test(block.lines.at(-1)?.text ?? '');
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
