import texFile from '../../../../../data/tex.json' with { type: 'json' };
import type { Piece } from './pieces.ts';

/** Pieces at about the same height. */
export interface Row {
  y: number;
  size: number;
  pieces: Piece[];
}

export const endOf = (piece: Piece) => piece.x + piece.width;

/** Groups pieces into rows, top to bottom, each left to right. */
export function toRows(pieces: readonly Piece[]): Row[] {
  const rows: Row[] = [];
  for (const piece of [...pieces].sort((a, b) => b.y - a.y)) {
    const row = rows.at(-1);
    const isSame = row !== undefined && row.y - piece.y < 0.45 * Math.max(row.size, piece.size);
    if (row === undefined || !isSame) {
      rows.push({ y: piece.y, size: piece.size, pieces: [piece] });
      continue;
    }
    row.pieces.push(piece);
    if (piece.size > row.size * 1.05) {
      row.y = piece.y;
      row.size = piece.size;
    }
  }
  for (const row of rows) row.pieces.sort((a, b) => a.x - b.x);
  return mergeClose(rows);
}

/** Merges a row into a close one if it fits into the gaps: a fraction, or a label beside two lines. */
function mergeClose(rows: readonly Row[]): Row[] {
  const merged: Row[] = [];
  for (const row of rows) {
    const last = merged.at(-1);
    const room = 0.8 * Math.max(last?.size ?? 0, row.size);
    if (last === undefined || last.y - row.y > room || !fits(row, last)) {
      merged.push(row);
      continue;
    }
    const { y, size } = widthOf(row) > widthOf(last) ? row : last;
    const pieces = [...last.pieces, ...row.pieces].sort((a, b) => a.x - b.x);
    merged[merged.length - 1] = { y, size, pieces };
  }
  return merged;
}

const widthOf = (row: Row) => row.pieces.reduce((sum, { width }) => sum + width, 0);

/** Whether no piece of one row overlaps a piece of the other horizontally. */
function fits(a: Row, b: Row): boolean {
  return a.pieces.every((one) =>
    b.pieces.every((other) => endOf(other) < one.x + 1 || endOf(one) < other.x + 1),
  );
}

export interface Span {
  x: number;
  end: number;
  pieces: Piece[];
}

/** Splits a row at gaps wider than `gap` times its font size. */
export function splitRow(row: Row, gap: number): Span[] {
  const spans: Span[] = [];
  for (const piece of row.pieces) {
    const span = spans.at(-1);
    if (span === undefined || piece.x - span.end > gap * row.size) {
      spans.push({ x: piece.x, end: endOf(piece), pieces: [piece] });
    } else {
      span.pieces.push(piece);
      span.end = Math.max(span.end, endOf(piece));
    }
  }
  return spans;
}

/** The text of pieces in order, with spaces where there are gaps. */
export function joinPieces(pieces: readonly Piece[]): string {
  let text = '';
  let last: Piece | undefined;
  for (const piece of pieces) {
    const gap = last === undefined ? 0 : piece.x - endOf(last);
    const least = 0.175 * Math.max(last?.size ?? 0, piece.size);
    // A denominator follows its numerator, after a space.
    const isBelow = last !== undefined && last.y - piece.y > 0.9 * piece.size;
    const isApart = last !== undefined && (gap > least || piece.x < last.x || isBelow);
    text += isApart ? ` ${piece.text}` : piece.text;
    last = piece;
  }
  return joinAccents(text.replace(/\s+/gu, ' ').trim());
}

/** Combining accents, keyed by the characters that old TeX fonts print before the letter. */
const ACCENTS: ReadonlyMap<string, string> = new Map(Object.entries(texFile.printedAccents));

function joinAccents(text: string): string {
  return text.replace(/([´ˆ˜¯˘˙¨˚˝ˇ])([a-zıA-Z])/gu, (printed, accent: string, letter: string) => {
    const whole = `${letter === 'ı' ? 'i' : letter}${ACCENTS.get(accent) ?? ''}`.normalize('NFC');
    return whole.length === 1 ? whole : printed;
  });
}
