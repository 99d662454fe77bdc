import type { PdfPage, Piece } from './pieces.ts';
import { endOf } from './rows.ts';

/** A strip of a page from `x` to `end`, in points. */
interface Strip {
  x: number;
  end: number;
}

/** Minimum number of integers in a column; maximum on a page, because the search is quadratic. */
const MIN_NUMBERS = 5;
const MAX_NUMBERS = 500;
/** Minimum share of the steps in a column that equal the usual step. */
const REGULAR = 0.8;
/** Alignment tolerance, in points. */
const TOLERANCE = 3;

const isNumber = ({ text }: Piece) => /^\s*\d{1,5}\s*$/.test(text);

/**
 * Removes the line numbers of a manuscript: columns of rising integers, on at least half of the
 * pages, in strips that contain nothing else.
 */
export function dropLineNumbers(pages: readonly PdfPage[]): PdfPage[] {
  const columns = pages.map(({ pieces }) => findColumns(pieces));
  const full = pages.filter(({ pieces }) => pieces.length > 2 * MIN_NUMBERS).length;
  if (2 * columns.filter((strips) => strips.length > 0).length < Math.max(full, 1))
    return [...pages];
  const strips = columns.flat();
  const isInside = (piece: Piece) =>
    strips.some(({ x, end }) => piece.x > x - TOLERANCE && endOf(piece) < end + TOLERANCE);
  return pages.map((page) => ({
    ...page,
    pieces: page.pieces.filter((piece) => !(isNumber(piece) && isInside(piece))),
  }));
}

function findColumns(pieces: readonly Piece[]): Strip[] {
  const numbers = pieces.filter(isNumber);
  if (numbers.length > MAX_NUMBERS) return [];
  // Numbers may be flush right or flush left.
  return [...group(numbers, endOf), ...group(numbers, ({ x }) => x)].flatMap((column) => {
    const strip = {
      x: Math.min(...column.map(({ x }) => x)),
      end: Math.max(...column.map(endOf)),
    };
    const isFree = pieces.every(
      (piece) => column.includes(piece) || endOf(piece) < strip.x || piece.x > strip.end,
    );
    return isFree && isRising(column) ? [strip] : [];
  });
}

/** Pieces that share an edge, from top to bottom. */
function group(pieces: readonly Piece[], edgeOf: (piece: Piece) => number): Piece[][] {
  const columns: { edge: number; pieces: Piece[] }[] = [];
  for (const piece of [...pieces].sort((a, b) => b.y - a.y)) {
    const edge = edgeOf(piece);
    const column = columns.find((each) => Math.abs(each.edge - edge) < TOLERANCE);
    if (column === undefined) columns.push({ edge, pieces: [piece] });
    else column.pieces.push(piece);
  }
  return columns.map((column) => column.pieces).filter(({ length }) => length >= MIN_NUMBERS);
}

/** Whether the numbers mostly rise by a constant, such as 1 on every line or 5 on every fifth. */
function isRising(column: readonly Piece[]): boolean {
  const steps = column.slice(1).map(({ text }, at) => Number(text) - Number(column[at]?.text));
  const usual = [...steps].sort((a, b) => a - b)[steps.length >> 1] ?? 0;
  const regular = steps.filter((step) => step === usual).length;
  return usual > 0 && usual <= 10 && regular >= REGULAR * steps.length;
}
