import type { PdfPage, Piece } from './pdf-pages.ts';
import { endOf, joinPieces, type Row, type Span, splitRow, toRows } from './pdf-rows.ts';

/** One line of print. */
export interface Line {
  text: string;
  page: number;
  /** 0 for lines as wide as the page, else the column from the left. */
  column: number;
  /** Left and right edge of what the line stands in. */
  left: number;
  right: number;
  x: number;
  end: number;
  y: number;
  size: number;
  font: string;
  /** All of its letters are bold. */
  bold: boolean;
  /** How many of its first letters are bold. */
  boldStart: number;
  /** The letters up to the first change of font. */
  fontStart: number;
  /** Its text in the pieces that wide gaps divide. */
  cells: string[];
}

/** The empty strip between two columns. */
interface Gutter {
  from: number;
  to: number;
}

/** Fewer full lines on either side make no column. */
const LEAST_LINES = 6;

const ABSTRACT_NAME = /^a ?b ?s ?t ?r ?a ?c ?t(?!\p{L})/iu;
/** The abstract stands on the first page, or on the one after a cover. */
export const FRONT_PAGES = 2;

/** Where a page has two columns; null for one. */
export function findGutter(rows: readonly Row[]): Gutter | null {
  const spans = rows.flatMap((row) => splitRow(row, 0.7));
  let [left, right] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const span of spans) {
    left = Math.min(left, span.x);
    right = Math.max(right, span.end);
  }
  const width = Math.round(right - left);
  if (!(width > 100 && width < 5_000)) return null;
  const steps = new Array<number>(width + 2).fill(0);
  const add = (at: number, by: number) => {
    const index = Math.max(0, Math.min(width + 1, Math.round(at - left)));
    steps[index] = (steps[index] ?? 0) + by;
  };
  for (const span of spans) {
    add(span.x, 1);
    add(span.end, -1);
  }
  let covered = 0;
  const cover = steps.map((step) => {
    covered += step;
    return covered;
  });
  const middle = cover.slice(Math.round(width * 0.4), Math.round(width * 0.6));
  const least = Math.min(...middle);
  const offset = Math.round(width * 0.4);
  let best: Gutter | null = null;
  for (let at = 0; at < middle.length; at += 1) {
    if (middle[at] !== least) continue;
    const start = at;
    while (middle[at + 1] === least) at += 1;
    if (best === null || at - start > best.to - best.from) {
      best = { from: left + offset + start, to: left + offset + at + 1 };
    }
  }
  if (best === null) return null;
  const { from, to } = best;
  const isWide = (span: Span, room: number) => span.end - span.x > 0.75 * room;
  const before = spans.filter((s) => s.end <= from + 1 && isWide(s, from - left)).length;
  const after = spans.filter((s) => s.x >= to - 1 && isWide(s, right - to)).length;
  const isGutter = before >= LEAST_LINES && after >= LEAST_LINES && to - from >= 5;
  return isGutter && before + after > 2 * least ? best : null;
}

/** The lines of a page in the order in which they are read. */
export function toLines(page: PdfPage, number: number): Line[] {
  const rows = toRows(page.pieces);
  const gutter = findGutter(rows);
  if (gutter === null) return rowsToLines(rows, number, 0);
  const lines: Line[] = [];
  let columns: [Piece[], Piece[]] = [[], []];
  let wide: Piece[] = [];
  const closeWide = () => {
    lines.push(...rowsToLines(toRows(wide), number, 0));
    wide = [];
  };
  const closeColumns = () => {
    lines.push(...rowsToLines(toRows(columns[0]), number, 1));
    lines.push(...rowsToLines(toRows(columns[1]), number, 2));
    columns = [[], []];
  };
  const body = number < FRONT_PAGES ? findAbstract(rows, gutter) : -1;
  for (const [at, row] of rows.entries()) {
    if (at < body || crosses(row, gutter)) {
      closeColumns();
      wide.push(...row.pieces);
      continue;
    }
    closeWide();
    for (const piece of row.pieces) {
      columns[piece.x + piece.width / 2 < (gutter.from + gutter.to) / 2 ? 0 : 1].push(piece);
    }
  }
  closeWide();
  closeColumns();
  return lines;
}

/** The row whose left half names the abstract: what stands side by side above it are authors. */
function findAbstract(rows: readonly Row[], gutter: Gutter): number {
  return rows.findIndex((row) => {
    const left = row.pieces.filter((piece) => endOf(piece) <= gutter.to);
    return ABSTRACT_NAME.test(joinPieces(left)) && !crosses(row, gutter);
  });
}

/** True where a row goes on over the gutter: by one piece, or by a gap narrower than it. */
function crosses(row: Row, gutter: Gutter): boolean {
  const middle = (gutter.from + gutter.to) / 2;
  let before = Number.NEGATIVE_INFINITY;
  let after = Number.POSITIVE_INFINITY;
  for (const piece of row.pieces) {
    if (piece.x < gutter.from && endOf(piece) > gutter.to) return true;
    if (piece.x + piece.width / 2 < middle) before = Math.max(before, endOf(piece));
    else after = Math.min(after, piece.x);
  }
  return after - before < 0.6 * (gutter.to - gutter.from);
}

function rowsToLines(rows: readonly Row[], page: number, column: number): Line[] {
  const lines = rows.flatMap((row) => toLine(row, page, column) ?? []);
  const letters = lines.reduce((sum, { text }) => sum + text.length, 0);
  // Not the outermost letters: a figure or a rule may stand out of the column.
  const left =
    shareOf(
      [...lines].sort((a, b) => a.x - b.x),
      0.1 * letters,
    )?.x ?? 0;
  const right =
    shareOf(
      [...lines].sort((a, b) => b.end - a.end),
      0.1 * letters,
    )?.end ?? 0;
  for (const line of lines) {
    line.left = left;
    line.right = Math.max(right, left);
  }
  return lines;
}

/** The line by which the lines before it have so many letters. */
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
  const lead = row.pieces.findIndex((piece) => piece.font !== first.font);
  const plain = row.pieces.findIndex((piece) => !piece.bold);
  const startOf = (count: number) =>
    count === -1 ? text.length : joinPieces(row.pieces.slice(0, count)).length;
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
    boldStart: startOf(plain),
    fontStart: startOf(lead),
    cells,
  };
}
