import { orderPages } from './columns.ts';
import type { PdfPage, Piece } from './pieces.ts';
import { endOf, joinPieces, type Row, splitRow, toRows } from './rows.ts';

/** One printed line; lengths in points. */
export interface Line {
  text: string;
  page: number;
  /** 0 for full-width lines, otherwise the column, from 1 at the left. */
  column: number;
  /** Edges of the column. */
  left: number;
  right: number;
  x: number;
  end: number;
  y: number;
  size: number;
  font: string;
  /** Whether the whole line is bold. */
  bold: boolean;
  /** Number of bold characters at the start. */
  boldStart: number;
  /** Whether the whole line has one font. */
  isUniform: boolean;
  /** The text, split at wide gaps. */
  cells: string[];
}

/** The abstract must begin within this many pages: a cover may precede it. */
export const FRONT_PAGES = 2;

/** The lines of each page, in reading order. */
export function toLines(pages: readonly PdfPage[]): Line[][] {
  const ordered = orderPages(pages.map(({ pieces }) => toRows(pieces)));
  return ordered.map((regions, page) =>
    regions.flatMap(({ rows, column }) => rowsToLines(rows, page, column)),
  );
}

function rowsToLines(rows: readonly Row[], page: number, column: number): Line[] {
  const lines = rows.flatMap((row) => toLine(row, page, column) ?? []);
  const letters = lines.reduce((sum, { text }) => sum + text.length, 0);
  // Ignore the outermost tenth of the text: a figure or a rule may stick out of the column.
  const fromLeft = lines.toSorted((a, b) => a.x - b.x);
  const fromRight = lines.toSorted((a, b) => b.end - a.end);
  const left = lineReaching(fromLeft, 0.1 * letters)?.x ?? 0;
  const right = lineReaching(fromRight, 0.1 * letters)?.end ?? 0;
  for (const line of lines) {
    line.left = left;
    line.right = Math.max(right, left);
  }
  return lines;
}

/** The first line at which the running total of characters reaches `letters`. */
function lineReaching(lines: readonly Line[], letters: number): Line | undefined {
  let count = 0;
  return lines.find((line) => {
    count += line.text.length;
    return count >= letters;
  });
}

/** A lone ligature may come from another font without a change of style. */
const LIGATURE = /^(?:ff|fi|fl|ffi|ffl|st)$/;

function toLine(row: Row, page: number, column: number): Line | null {
  const spans = splitRow(row, 1.05);
  const first = row.pieces[0];
  if (first === undefined) return null;
  const main = row.pieces.reduce((a, b) =>
    b.text.length * b.size > a.text.length * a.size ? b : a,
  );
  const cells = spans.map(({ pieces }) => joinPieces(pieces)).filter((cell) => cell !== '');
  const text = cells.join(' ');
  if (text === '') return null;
  const isLigature = ({ text }: Piece) => LIGATURE.test(text);
  const plain = row.pieces.findIndex((piece) => !piece.bold && !isLigature(piece));
  return {
    text,
    page,
    column,
    left: first.x,
    right: first.x,
    x: first.x,
    end: Math.max(...row.pieces.map(endOf)),
    y: row.y,
    size: row.size,
    font: main.font,
    bold: plain === -1,
    boldStart: plain === -1 ? text.length : joinPieces(row.pieces.slice(0, plain)).length,
    isUniform: row.pieces.every((piece) => piece.font === first.font || isLigature(piece)),
    cells,
  };
}

/** Height of the top or bottom margin, as a share of the page. */
const MARGIN = 0.13;
const OUTER_LINES = 3;
const PAGE_NUMBER =
  /^(?:page)?[-–—[(\s]*(?:\d{1,4}|[ivxl]{1,7})[-–—\])\s]*(?:(?:of|\/)\s*\d{1,4})?$/i;

/** The start of a publisher's notice at the foot of the first page. */
const NOTICE = /^\d?\s?(?:©|\([cC]\)|Copyright\b|Preprint\b|Proceedings of\b|Permission to\b)/;

/** Removes running heads, footers, page numbers and, on the first page, a publisher's notice. */
export function dropMargins(pages: readonly Line[][], heights: readonly number[]): Line[][] {
  const outer = pages.map((lines, at) => outerLines(lines, heights[at] ?? 0));
  const places = new Map<string, number[]>();
  for (const line of outer.flat()) {
    places.set(patternOf(line), [...(places.get(patternOf(line)) ?? []), line.y]);
  }
  const least = pages.length > 8 ? 3 : 2;
  const isMarginal = (line: Line) =>
    (line.page === 0 && NOTICE.test(line.text) && isApart(line, pages[0] ?? [])) ||
    // Several numbers without a word are a table row.
    ((line.cells.length === 1 || /\p{L}/u.test(line.text)) &&
      (places.get(patternOf(line)) ?? []).filter((y) => Math.abs(y - line.y) <= 3).length >= least);
  return pages.map((lines, at) => {
    const [outermost, height] = [outer[at] ?? [], heights[at] ?? 0];
    const drop = new Set(outermost.filter((line) => isMarginal(line)));
    for (const line of belowNumber(drop, outermost, height)) drop.add(line);
    return lines.filter((line) => !drop.has(line));
  });
}

/** Whether a line is small print, or has space above. */
function isApart(line: Line, lines: readonly Line[]): boolean {
  const [above] = lines.filter(({ y }) => y > line.y + 1).sort((a, b) => a.y - b.y);
  return above === undefined || above.y - line.y > 1.6 * line.size || line.size < 0.94 * above.size;
}

/** A line with its numbers masked, which is constant for a running head. */
const patternOf = ({ text }: Line) => text.replace(/\d+/g, '#').toLowerCase();

function outerLines(lines: readonly Line[], height: number): Line[] {
  const sorted = [...lines].sort((a, b) => b.y - a.y);
  const top = sorted.slice(0, OUTER_LINES).filter(({ y }) => y > height * (1 - MARGIN));
  const bottom = sorted.slice(-OUTER_LINES).filter(({ y }) => y < height * MARGIN);
  return [...new Set([...top, ...bottom])];
}

/** Outer lines below the page number, which are never body text. */
function belowNumber(dropped: ReadonlySet<Line>, outer: readonly Line[], height: number): Line[] {
  const number = [...dropped].find(({ y, text }) => y < height * MARGIN && PAGE_NUMBER.test(text));
  return number === undefined ? [] : outer.filter(({ y }) => y < number.y - 0.5 * number.size);
}
