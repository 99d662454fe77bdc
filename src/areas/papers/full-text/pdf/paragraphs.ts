import { typeOfTitle } from '../sections/sections.ts';
import { CAPTION } from './columns.ts';
import {
  type ChapterTitles,
  type Heading,
  HeadingFinder,
  isSameColumn,
  type Setting,
} from './headings.ts';
import type { Line } from './lines.ts';

export type Kind = 'text' | 'item' | 'caption' | 'table' | 'note';

export type Block =
  | { kind: 'heading'; heading: Heading; lines: Line[] }
  | { kind: Kind; heading?: undefined; lines: Line[] };
type Body = Extract<Block, { kind: Kind }>;

const ITEM = /^(?:[•◦▪‣●■∙·*–-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+\S/u;
const FIGURE = /^(?:figure|fig\.?|chart|exhibit)\s/i;
const EQUATION_NUMBER = /^\(\w{1,3}(?:\.\d+)?[a-z]?\)[.,]?$/;
/** A line that starts with a footnote mark, not with the volume and year of a journal. */
const NOTE = /^(?:\d{1,2}(?! \(\d{4})|[*†‡§¶∗⋆]{1,3})\s?[\p{L}"“(]/u;
/** Minimum gaps that end a block, as multiples of the leading. */
const GAP = { item: 1.1, block: 1.35, table: 2.5 };
/** Maximum relative difference in size between lines of a block. */
const SAME_SIZE = 0.08;
/** Minimum indent of a new paragraph, in ems. */
const INDENT = 0.7;
/** A footnote mark with no space before the first word. */
export const NOTE_MARK = /^(?:\d{1,2}|[*†‡§¶∗⋆]{1,3})(?=[\p{L}"“(])/u;

/** Groups lines into blocks, in reading order; a float follows the paragraph that it interrupts. */
export function toBlocks(
  lines: readonly Line[],
  setting: Setting,
  chapters: ChapterTitles = new Map(),
): Block[] {
  const headings = new HeadingFinder(lines, setting, chapters);
  const notes = findNotes(lines, setting);
  const blocks: Block[] = [];
  let isInReferences = false;
  let next = 0;
  for (const [at, line] of lines.entries()) {
    if (at < next) continue;
    const heading = notes.has(line) ? null : headings.find(at);
    if (heading !== null) {
      next = at + heading.count;
      blocks.push({ kind: 'heading', heading, lines: lines.slice(at, next) });
      isInReferences = typeOfTitle(heading.title) === 'references';
      continue;
    }
    const last = blocks.at(-1);
    const kind = kindOf(line, lines[at - 1], lines[at + 1], notes, isInReferences);
    if (last === undefined || last.kind === 'heading' || begins(line, kind, last, setting)) {
      blocks.push({ kind, lines: [line] });
    } else last.lines.push(line);
  }
  return moveFloats(dropDrawings(blocks, setting));
}

/** Footnotes: small print at the end of a column, from the first line with a mark. */
function findNotes(lines: readonly Line[], { size }: Setting): Set<Line> {
  const notes = new Set<Line>();
  let small: Line[] = [];
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at];
    const below = lines[at + 1];
    if (line === undefined) break;
    const isLast = below === undefined || !isSameColumn(line, below);
    if (isLast) small = [];
    const isSmall = line.size < size * 0.94 && line.cells.length < 3;
    if (!isSmall || (!isLast && small.length === 0 && !notes.has(below))) continue;
    small.push(line);
    if (!NOTE.test(line.text)) continue;
    for (const note of small) notes.add(note);
  }
  return notes;
}

function kindOf(
  line: Line,
  before: Line | undefined,
  after: Line | undefined,
  notes: ReadonlySet<Line>,
  isInReferences: boolean,
): Kind {
  if (notes.has(line)) return 'note';
  if (isInReferences) return 'text';
  if (CAPTION.test(line.text)) return 'caption';
  // Column numbers, such as "(1) (2) (3)".
  const { cells } = line;
  if (cells.length > 1 && cells.every((cell) => EQUATION_NUMBER.test(cell))) return 'table';
  if (ITEM.test(line.text)) return 'item';
  if (isTableRow(line, before) || isTableRow(line, after)) return 'table';
  return 'text';
}

function isTableRow(line: Line, beside: Line | undefined): boolean {
  const { cells } = line;
  if (cells.length < 2 || EQUATION_NUMBER.test(cells.at(-1) ?? '')) return false;
  if (cells.length >= 4) return true;
  if (beside === undefined || beside.page !== line.page) return false;
  return beside.cells.length >= 2 && Math.abs(beside.y - line.y) < 3 * line.size;
}

/** Whether a line starts a new block rather than continuing the last one. */
function begins(line: Line, kind: Kind, last: Body, setting: Setting): boolean {
  const above = last.lines.at(-1);
  if (above === undefined || !isSameColumn(above, line)) return true;
  const gap = (above.y - line.y) / setting.leading;
  if (kind === 'table' || last.kind === 'table') return kind !== last.kind || gap > GAP.table;
  if (kind === 'note' || last.kind === 'note') return kind !== last.kind || NOTE.test(line.text);
  if (kind === 'caption') return true;
  const isBroken = gap > GAP.block || Math.abs(line.size - above.size) > SAME_SIZE * setting.size;
  if (kind === 'item') {
    const isSibling = last.kind === 'item' && Math.abs((last.lines[0]?.x ?? 0) - line.x) < 2;
    const isSet = line.x > line.left + 0.5 * line.size || above.end < above.right - 3 * line.size;
    return isBroken || isSibling || isSet || gap > GAP.item;
  }
  if (isBroken) return true;
  const indent = line.x - above.x;
  const em = line.size;
  // A line to the left of an item's hanging indent begins the text after the list.
  if (last.kind === 'item' && line.x < above.x - 0.3 * em && above !== last.lines[0]) return true;
  if (last.kind === 'caption') return false;
  const isEnded = /[.:?!)\]”"’]\d{0,2}$/.test(above.text);
  if (indent > 0.8 * em && indent < 4 * em && line.x > line.left + INDENT * em) {
    return isEnded || above.end < above.right - em;
  }
  // Bold words that end in a full stop or colon are a run-in title, whether indented or not.
  const lead = line.text.slice(0, line.boldStart);
  if (isEnded && !above.bold && /[.:]$/.test(lead) && /\p{L}{3}/u.test(lead)) return true;
  const isShort = above.end < above.right - 0.25 * (above.right - above.left);
  return isShort && isEnded && /^[\p{Lu}\p{N}"“]/u.test(line.text);
}

/** Removes text above figure captions that looks like labels of the drawing. */
function dropDrawings(blocks: readonly Block[], { font, size }: Setting): Block[] {
  const kept: Block[] = [];
  for (const block of blocks) {
    const caption = block.lines[0];
    if (block.kind === 'caption' && caption !== undefined && FIGURE.test(caption.text)) {
      const isDrawn = ({ kind, lines }: Block) =>
        (kind === 'text' || kind === 'item' || kind === 'table') &&
        lines.every(
          (line) => line.page === caption.page && (line.font !== font || line.size < 0.8 * size),
        );
      kept.length = kept.findLastIndex((one) => !isDrawn(one)) + 1;
    }
    kept.push(block);
  }
  return kept;
}

/** Rejoins paragraphs interrupted by a float or note, and moves the interruption after them. */
function moveFloats(blocks: readonly Block[]): Block[] {
  const moved: Block[] = [];
  let open: Body | null = null;
  let floats: Block[] = [];
  const close = () => {
    moved.push(...floats);
    floats = [];
  };
  for (const block of blocks) {
    if (block.kind === 'caption' || block.kind === 'table' || block.kind === 'note') {
      floats.push(block);
      continue;
    }
    if (open !== null && block.kind === 'text' && continues(open, block, floats.length > 0)) {
      open.lines.push(...block.lines);
      continue;
    }
    close();
    open = block.kind === 'heading' ? null : { kind: block.kind, lines: [...block.lines] };
    moved.push(open ?? block);
  }
  close();
  return moved;
}

function continues(open: Body, next: Body, hasFloats: boolean): boolean {
  const last = open.lines.at(-1);
  const first = next.lines[0];
  if (last === undefined || first === undefined) return false;
  if (isSameColumn(last, first) && (!hasFloats || open.kind === 'item')) return false;
  if (Math.abs(last.size - first.size) > SAME_SIZE * last.size) return false;
  const isFull = last.end > last.right - last.size;
  const isOpen = !/[.:?!]["”’)\]]?\d{0,2}$/.test(last.text);
  if (isOpen && /^[\p{Ll}\p{N}("“]/u.test(first.text)) return true;
  const isIndented = first.x > first.left + INDENT * first.size;
  if (last.page === first.page && last.column === first.column) return false;
  return isFull && !isIndented && (isOpen || open.kind === 'text');
}
