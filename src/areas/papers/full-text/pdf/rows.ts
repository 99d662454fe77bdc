import texFile from '../../../../../data/tex.json' with { type: 'json' };
import type { Piece } from './pages.ts';

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
  return closeFractions(rows);
}

/** Merges rows that fit into the gaps of a close neighbour, as in a fraction. */
function closeFractions(rows: readonly Row[]): Row[] {
  const closed: { base: Row; pieces: Piece[] }[] = [];
  rows.forEach((row, at) => {
    const last = closed.at(-1);
    const next = rows[at + 1];
    const room = last === undefined ? Number.POSITIVE_INFINITY : last.base.y - row.y;
    const isNear = room < 0.8 * Math.max(last?.base.size ?? 0, row.size);
    // A row halfway between two, such as a label beside both, joins the upper one.
    const below = next === undefined ? Number.POSITIVE_INFINITY : row.y - next.y + 0.15 * row.size;
    const isNearer = next === undefined || room <= below || !fits(row, next);
    if (last === undefined || !isNear || !isNearer || !fits(row, last.base)) {
      closed.push({ base: row, pieces: [...row.pieces] });
      return;
    }
    last.pieces.push(...row.pieces);
    if (widthOf(row) > widthOf(last.base)) last.base = row;
  });
  return closed.map(({ base, pieces }) => {
    return pieces.length === base.pieces.length ? base : { ...base, pieces: insert(base, pieces) };
  });
}

/** Inserts pieces into the gaps of a row; those in the same gap are read line by line. */
function insert(base: Row, pieces: readonly Piece[]): Piece[] {
  const own = new Set(base.pieces);
  const guests = pieces.filter((piece) => !own.has(piece)).sort((a, b) => a.x - b.x);
  const filled: Piece[] = [];
  let at = 0;
  for (const piece of [...base.pieces, null]) {
    const gap: Piece[] = [];
    for (let guest = guests[at]; guest !== undefined; guest = guests[at]) {
      if (piece !== null && guest.x > piece.x) break;
      gap.push(guest);
      at += 1;
    }
    // Superscripts and subscripts stay with their line.
    filled.push(...toLevels(gap).flat());
    if (piece !== null) filled.push(piece);
  }
  return filled;
}

function toLevels(pieces: readonly Piece[]): Piece[][] {
  const levels: Piece[][] = [];
  for (const piece of [...pieces].sort((a, b) => b.y - a.y)) {
    const level = levels.at(-1);
    const last = level?.at(-1);
    if (level === undefined || last === undefined || last.y - piece.y > 0.45 * piece.size) {
      levels.push([piece]);
    } else level.push(piece);
  }
  return levels.map((level) => level.sort((a, b) => a.x - b.x));
}

const widthOf = (row: Row) => row.pieces.reduce((sum, { width }) => sum + width, 0);

/** Whether no piece of one row overlaps a piece of the other horizontally. */
function fits(a: Row, b: Row): boolean {
  let at = 0;
  for (const piece of a.pieces) {
    while ((b.pieces[at]?.x ?? Number.POSITIVE_INFINITY) < endOf(piece) - 1) {
      const other = b.pieces[at];
      if (other !== undefined && endOf(other) > piece.x + 1) return false;
      at += 1;
    }
  }
  return true;
}

/** A part of a row. */
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

/** Whether `small` is the rest of a word in small capitals, set in a smaller size of the font. */
function isSmallCaps(large: Piece, small: Piece, gap: number): boolean {
  const isCloseBy = gap < 0.35 * small.size && Math.abs(large.y - small.y) < 0.1 * small.size;
  const isSmaller = small.size < 0.9 * large.size && small.size > 0.6 * large.size;
  return (
    isCloseBy &&
    isSmaller &&
    /(?:^|\P{L})\p{Lu}$/u.test(large.text) &&
    /^\p{Lu}{2}/u.test(small.text)
  );
}

/** The text of pieces in order, with spaces where they are apart. */
export function joinPieces(pieces: readonly Piece[]): string {
  let text = '';
  let last: Piece | undefined;
  for (const piece of pieces) {
    const gap = last === undefined ? 0 : piece.x - endOf(last);
    const least = 0.175 * Math.max(last?.size ?? 0, piece.size);
    // A denominator follows its numerator.
    const isBelow = last !== undefined && last.y - piece.y > 0.9 * piece.size;
    const isFar = gap > least && !(last !== undefined && isSmallCaps(last, piece, gap));
    const isApart = last !== undefined && (isFar || piece.x < last.x || isBelow);
    text += isApart ? ` ${piece.text}` : piece.text;
    last = piece;
  }
  return joinAccents(text.replace(/\s+/gu, ' ').trim());
}

/** Accents that old TeX fonts print as separate characters before their letter. */
const ACCENTS: ReadonlyMap<string, string> = new Map(Object.entries(texFile.printedAccents));

function joinAccents(text: string): string {
  return text.replace(/([´ˆ˜¯˘˙¨˚˝ˇ])([a-zıA-Z])/gu, (found, accent: string, letter: string) => {
    const whole = `${letter === 'ı' ? 'i' : letter}${ACCENTS.get(accent) ?? ''}`.normalize('NFC');
    return whole.length === 1 ? whole : found;
  });
}
