import { crosses, findGutters, findWrapped, type Gutter } from './columns.ts';
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
  const rows = pages.map(({ pieces }) => toRows(pieces));
  const gutters = findGutters(rows);
  return rows.map((ofPage, at) => orderRows(ofPage, gutters[at] ?? null, at));
}

function orderRows(rows: readonly Row[], gutter: Gutter | null, number: number): Line[] {
  if (gutter === null) return orderWrapped(rows, number);
  const stretches: { isAcross: boolean; rows: Row[] }[] = [];
  for (const row of rows) {
    const isAcross = crosses(row, gutter);
    const last = stretches.at(-1);
    if (last?.isAcross === isAcross) last.rows.push(row);
    else stretches.push({ isAcross, rows: [row] });
  }
  return stretches.flatMap((stretch) =>
    stretch.isAcross
      ? rowsToLines(toRows(stretch.rows.flatMap(({ pieces }) => pieces)), number, 0)
      : orderColumns(stretch.rows, gutter.from, number),
  );
}

/** The lines of one column; text that runs beside a float is read after it. */
function orderWrapped(rows: readonly Row[], number: number): Line[] {
  const band = findWrapped(rows);
  if (band === null) return rowsToLines(rows, number, 0);
  return [
    ...rowsToLines(rows.slice(0, band.first), number, 0),
    ...orderColumns(rows.slice(band.first, band.last + 1), band.to, number),
    ...orderWrapped(rows.slice(band.last + 1), number),
  ];
}

/** The pieces that start before `edge`, line by line, then the others. */
function orderColumns(rows: readonly Row[], edge: number, number: number): Line[] {
  const pieces = rows.flatMap((row) => row.pieces);
  const isLeft = ({ x }: Piece) => x < edge;
  return [
    ...rowsToLines(toRows(pieces.filter(isLeft)), number, 1),
    ...rowsToLines(toRows(pieces.filter((piece) => !isLeft(piece))), number, 2),
  ];
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
  const plain = row.pieces.findIndex((piece) => !piece.bold);
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
    isUniform: row.pieces.every((piece) => piece.font === first.font),
    cells,
  };
}
