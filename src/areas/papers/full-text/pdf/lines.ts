import { orderPages } from './columns.ts';
import type { PdfPage, Piece } from './pieces.ts';
import { endOf, joinPieces, type Row, splitRow, toRows } from './rows.ts';

/** One printed line; lengths in points. */
export interface Line {
  text: string;
  page: number;
  /** 0 for full-width lines, otherwise the column, from 1 at the left. */
  column: number;
  /** Edges of its column. */
  left: number;
  right: number;
  x: number;
  end: number;
  y: number;
  size: number;
  font: string;
  /** Entirely bold. */
  bold: boolean;
  /** Number of characters before the first that is not bold. */
  boldStart: number;
  /** Whether the whole line has one font. */
  isUniform: boolean;
  /** The text, split at wide gaps. */
  cells: string[];
}

/** Pages that may hold the abstract: the first, or the one after a cover. */
export const FRONT_PAGES = 2;

/** The lines of each page, in reading order. */
export function toLines(pages: readonly PdfPage[]): Line[][] {
  const ordered = orderPages(pages.map(({ pieces }) => toRows(pieces)));
  return ordered.map((stretches, page) =>
    stretches.flatMap(({ rows, column }) => rowsToLines(rows, page, column)),
  );
}

function rowsToLines(rows: readonly Row[], page: number, column: number): Line[] {
  const lines = rows.flatMap((row) => toLine(row, page, column) ?? []);
  const letters = lines.reduce((sum, { text }) => sum + text.length, 0);
  // Skip the outermost lines: a figure or a rule may stick out of the column.
  const fromLeft = lines.toSorted((a, b) => a.x - b.x);
  const fromRight = lines.toSorted((a, b) => b.end - a.end);
  const left = shareOf(fromLeft, 0.1 * letters)?.x ?? 0;
  const right = shareOf(fromRight, 0.1 * letters)?.end ?? 0;
  for (const line of lines) {
    line.left = left;
    line.right = Math.max(right, left);
  }
  return lines;
}

/** The line at which the running total reaches `letters`. */
function shareOf(lines: readonly Line[], letters: number): Line | undefined {
  let count = 0;
  return lines.find((line) => {
    count += line.text.length;
    return count >= letters;
  });
}

/** A lone ligature may come from another font, which is then not a change of style. */
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
