import { max, min } from 'd3-array';
import type { Piece } from './pieces.ts';
import { endOf, joinPieces, type Row, type Span, splitRow, toRows } from './rows.ts';

/** Rows that are read together; column 0 is full width, 1 the left column, 2 the right one. */
interface Region {
  column: number;
  rows: Row[];
}

/** The empty strip between two columns, and the columns' outer edges, in points. */
interface Gutter {
  from: number;
  to: number;
  left: number;
  right: number;
}

export const CAPTION =
  /^(?:table|figure|fig\.?|exhibit|algorithm|listing|chart|panel)\s+(?:[A-Z]?\.?\d+(?:\.\d+)?[a-z]?|[IVX]+)\s*(?:[.:|–—-]|$)/i;

/** Minimum number of full lines in a column. */
const MIN_LINES = 6;
/** Minimum width of a span, as a share of the text width; narrower ones may be labels in a gutter. */
const MIN_WIDTH = 0.2;
/** Minimum width of a gutter, in points. */
const MIN_GUTTER = 5;
/** A line that fills more than this share of a column is full. */
const FULL = 0.75;

/** The rows of each page in reading order. */
export function orderPages(pages: readonly (readonly Row[])[]): Region[][] {
  const own = pages.map(findGutter);
  const byWidth = own.filter((one) => one !== null).sort((a, b) => a.to - a.from - b.to + b.from);
  const usual = byWidth[byWidth.length >> 1];
  return pages.map((rows, at) => {
    // Drawings may hide a page's gutter: try the usual one.
    const isUsual = usual !== undefined && fullIn(rows, usual).flat().length >= 2 * MIN_LINES;
    const gutter = own[at] ?? (isUsual ? usual : null);
    return gutter === null ? orderWrapped(rows) : orderColumns(rows, gutter);
  });
}

/** The gutter of a page with two columns; null for one column. */
function findGutter(rows: readonly Row[]): Gutter | null {
  const spans = rows.flatMap((row) => splitRow(row, 0.7));
  const left = min(spans, ({ x }) => x) ?? 0;
  const right = max(spans, ({ end }) => end) ?? 0;
  const width = right - left;
  if (!(width > 100 && width < 5_000)) return null;
  const lines = spans.filter((span) => span.end - span.x >= MIN_WIDTH * width);
  // Number of lines that cover each point of the middle fifth.
  const start = Math.round(left + 0.4 * width);
  const cover = Array.from(
    { length: Math.round(0.2 * width) },
    (_, at) => lines.filter(({ x, end }) => x < start + at + 0.5 && end > start + at + 0.5).length,
  );
  const least = Math.min(...cover);
  const { at, length } = longestStreak(cover, least);
  const gutter = { from: start + at, to: start + at + length, left, right };
  const [before = [], after = []] = fullIn(rows, gutter);
  const isFull = before.length >= MIN_LINES && after.length >= MIN_LINES;
  const isClear = length >= MIN_GUTTER && before.length + after.length > 2 * least;
  return isFull && isClear ? gutter : null;
}

/** The full lines of the left column, and those of the right one. */
function fullIn(rows: readonly Row[], { from, to, left, right }: Gutter): Span[][] {
  const spans = rows.flatMap((row) => splitRow(row, 0.7));
  return [
    spans.filter(({ x, end }) => end <= from + 3 && end - x > FULL * (from - left)),
    spans.filter(({ x, end }) => x >= to - 3 && end - x > FULL * (right - to)),
  ];
}

function longestStreak(values: readonly number[], value: number) {
  let best = { at: 0, length: 0 };
  let length = 0;
  values.forEach((one, at) => {
    length = one === value ? length + 1 : 0;
    if (length > best.length) best = { at: at - length + 1, length };
  });
  return best;
}

/** The left column before the right one; full-width rows interrupt both. */
function orderColumns(rows: readonly Row[], gutter: Gutter): Region[] {
  const isAcross = settle(
    rows,
    rows.map((row) => {
      if (crosses(row, gutter)) return true;
      return fullIn([row], gutter).flat().length > 0 ? false : null;
    }),
  );
  const regions: { isAcross: boolean; rows: Row[] }[] = [];
  rows.forEach((row, at) => {
    const last = regions.at(-1);
    if (last?.isAcross === isAcross[at]) last?.rows.push(row);
    else regions.push({ isAcross: isAcross[at] ?? false, rows: [row] });
  });
  return regions.flatMap((region) =>
    region.isAcross ? [{ column: 0, rows: region.rows }] : splitAt(region.rows, gutter.from),
  );
}

/** Whether a row runs across the gutter: a piece spans it, or the gap there is narrower than any gutter. */
function crosses({ pieces }: Row, { from, to }: Gutter): boolean {
  const isLeft = ({ x }: Piece) => x < from;
  const before = Math.max(...pieces.filter(isLeft).map(endOf));
  const after = Math.min(...pieces.filter((piece) => !isLeft(piece)).map(({ x }) => x));
  return before > to || after - before < MIN_GUTTER;
}

/**
 * Replaces null, which marks rows of short pieces, such as a table's: above their widest gap with
 * the value of the row before them, below it with the value of the row after them.
 */
function settle(rows: readonly Row[], isAcross: readonly (boolean | null)[]): boolean[] {
  const settled: boolean[] = [];
  for (let at = 0; at <= rows.length; at += 1) {
    const own = isAcross[at];
    if (own === null) continue;
    const from = settled.length;
    const before = settled.at(-1) ?? own ?? false;
    const gaps = rows.slice(from, at + 1).map(({ y }, k) => (rows[from + k - 1]?.y ?? y) - y);
    const widest = from + gaps.indexOf(Math.max(...gaps));
    for (let open = from; open < at; open += 1)
      settled.push(open < widest ? before : (own ?? before));
    if (own !== undefined) settled.push(own);
  }
  return settled;
}

/** The rows left of `edge`, then those right of it. */
function splitAt(rows: readonly Row[], edge: number): Region[] {
  const pieces = rows.flatMap((row) => row.pieces);
  const isLeft = ({ x }: Piece) => x < edge;
  return [
    { column: 1, rows: toRows(pieces.filter(isLeft)) },
    { column: 2, rows: toRows(pieces.filter((piece) => !isLeft(piece))) },
  ];
}

/** The rows of one column; where text is beside a float, whichever is on the left is read first. */
function orderWrapped(rows: readonly Row[]): Region[] {
  const band = findWrapped(rows);
  if (band === null) return [{ column: 0, rows: [...rows] }];
  return [
    { column: 0, rows: rows.slice(0, band.first) },
    ...splitAt(rows.slice(band.first, band.last + 1), band.to),
    ...orderWrapped(rows.slice(band.last + 1)),
  ];
}

/** The first float with text beside it: rows `first` to `last`, split at the position `to`; or null. */
function findWrapped(rows: readonly Row[]): { first: number; last: number; to: number } | null {
  const spans = rows.map((row) => splitRow(row, 0.7));
  const all = spans.flat();
  const width = (max(all, ({ end }) => end) ?? 0) - (min(all, ({ x }) => x) ?? 0);
  const isWide = ({ x, end }: Span) => end - x > MIN_WIDTH * width;
  for (const [at, row] of spans.entries()) {
    const caption = row.find(({ pieces }) => CAPTION.test(joinPieces(pieces)));
    if (caption === undefined) continue;
    const near = spans.slice(Math.max(0, at - 2), at + 3).flatMap((one) => one.filter(isWide));
    const right = near.filter(({ x }) => x > caption.end + MIN_GUTTER);
    const hasLeft = near.some(({ end }) => end < caption.x - MIN_GUTTER);
    if (right.length === 0 && !hasLeft) continue;
    const to = (min(right, ({ x }) => x) ?? caption.x) - 1;
    const isOpen = (one: readonly Span[]) => one.every(({ x, end }) => x > to || end < to);
    const isBeside = (one: readonly Span[]) => isOpen(one) && one.some(({ x }) => x > to);
    const start = spans.findLastIndex((one, place) => place < at && !isOpen(one)) + 1;
    const end = spans.findIndex((one, place) => place > at && !isOpen(one));
    const open = spans.slice(start, end === -1 ? undefined : end);
    const text = open.flat().filter((one) => isWide(one) && one.x > to === right.length > 0);
    if (text.length < MIN_LINES) continue;
    return {
      first: start + open.findIndex(isBeside),
      last: start + open.findLastIndex(isBeside),
      to,
    };
  }
  return null;
}
