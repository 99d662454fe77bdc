import type { Piece } from './pieces.ts';
import { endOf, joinPieces, type Row, type Span, splitRow } from './rows.ts';

/** A horizontal interval, in points. */
interface Strip {
  from: number;
  to: number;
}

/** The empty strip between two columns, with their outer edges. */
export interface Gutter extends Strip {
  left: number;
  right: number;
}

/** How captions start. */
export const CAPTION =
  /^(?:table|figure|fig\.?|exhibit|algorithm|listing|chart|panel)\s+(?:[A-Z]?\.?\d+(?:\.\d+)?[a-z]?|[IVX]+)\s*(?:[.:|–—-]|$)/i;

/** Minimum number of full lines in a column. */
const MIN_LINES = 6;
/**
 * Spans narrower than this share of the text width are ignored when looking for columns: page
 * numbers, table cells and labels of a drawing may lie in the gutter.
 */
const MIN_WIDTH = 0.2;
/** Minimum width of a gutter, in points. */
const MIN_GUTTER = 5;

/** The gutter of a page with two columns; null for one column. */
function findGutter(rows: readonly Row[]): Gutter | null {
  const spans = rows.flatMap((row) => splitRow(row, 0.7));
  const left = spans.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY);
  const right = spans.reduce((most, { end }) => Math.max(most, end), Number.NEGATIVE_INFINITY);
  const width = Math.round(right - left);
  if (!(width > 100 && width < 5_000)) return null;
  const lines = spans.filter((span) => span.end - span.x >= MIN_WIDTH * width);
  const cover = coverOf(lines, left, width);
  const offset = Math.round(width * 0.4);
  const middle = cover.slice(offset, Math.round(width * 0.6));
  const least = Math.min(...middle);
  const best = longestRun(middle, least);
  if (best === null) return null;
  const from = left + offset + best.from;
  const to = left + offset + best.to;
  const isWide = (span: Span, room: number) => span.end - span.x > 0.75 * room;
  const before = lines.filter((s) => s.end <= from + 1 && isWide(s, from - left)).length;
  const after = lines.filter((s) => s.x >= to - 1 && isWide(s, right - to)).length;
  const isGutter = before >= MIN_LINES && after >= MIN_LINES && to - from >= MIN_GUTTER;
  return isGutter && before + after > 2 * least ? { from, to, left, right } : null;
}

/**
 * The gutter of each page. A page that shows none, being full of drawings or full-width lines, takes
 * the usual one if enough of its lines are aligned with it.
 */
export function findGutters(pages: readonly (readonly Row[])[]): (Gutter | null)[] {
  const own = pages.map(findGutter);
  const byWidth = own.filter((one) => one !== null).sort((a, b) => a.to - a.from - b.to + b.from);
  const usual = byWidth[byWidth.length >> 1];
  return pages.map((rows, at) => {
    const isUsual = usual !== undefined && isAligned(rows, usual);
    return own[at] ?? (isUsual ? usual : null);
  });
}

/** Whether enough lines of a page end or start at a gutter. */
function isAligned(rows: readonly Row[], { from, to, left, right }: Gutter): boolean {
  const lines = rows.filter((row) =>
    splitRow(row, 0.7).some(
      ({ x, end }) =>
        (Math.abs(end - from) < 3 && end - x > 0.75 * (from - left)) ||
        (Math.abs(x - to) < 3 && end - x > 0.75 * (right - to)),
    ),
  );
  return lines.length >= 2 * MIN_LINES;
}

/** Consecutive rows of a page, `first` to `last`, that form two columns; the right one starts at `to`. */
export interface Band {
  first: number;
  last: number;
  to: number;
}

/** The band of a float with text beside it, on a page of one column; null if there is none. */
export function findWrapped(rows: readonly Row[]): Band | null {
  const spans = rows.map((row) => splitRow(row, 0.7));
  const all = spans.flat();
  const width = all.reduce((most, { end }) => Math.max(most, end), 0) - leftOf(all);
  const isWide = ({ x, end }: Span) => end - x > MIN_WIDTH * width;
  for (const [at, row] of spans.entries()) {
    const caption = row.find(({ pieces }) => CAPTION.test(joinPieces(pieces)));
    if (caption === undefined) continue;
    const near = spans.slice(Math.max(0, at - 2), at + 3).flatMap((one) => one.filter(isWide));
    const right = near.filter(({ x }) => x > caption.end + MIN_GUTTER);
    const hasLeft = near.some(({ end }) => end < caption.x - MIN_GUTTER);
    if (right.length === 0 && !hasLeft) continue;
    const to = (right.length > 0 ? leftOf(right) : caption.x) - 1;
    const isOpen = (one: readonly Span[]) => one.every(({ x, end }) => x > to || end < to);
    const isBeside = (one: readonly Span[]) => isOpen(one) && one.some(({ x }) => x > to);
    const start = spans.findLastIndex((one, place) => place < at && !isOpen(one)) + 1;
    const end = spans.findIndex((one, place) => place > at && !isOpen(one));
    const open = spans.slice(start, end === -1 ? undefined : end);
    const first = start + open.findIndex(isBeside);
    const last = start + open.findLastIndex(isBeside);
    const text = open.flat().filter((one) => isWide(one) && one.x > to === right.length > 0);
    if (text.length >= MIN_LINES) return { first, last, to };
  }
  return null;
}

const leftOf = (spans: readonly Span[]) =>
  spans.reduce((least, { x }) => Math.min(least, x), Number.POSITIVE_INFINITY);

/** How many spans cover each point, counted from `left`. */
function coverOf(spans: readonly Span[], left: number, width: number): number[] {
  const cover = new Array<number>(width).fill(0);
  for (const { x, end } of spans) {
    for (let at = Math.round(x - left); at < Math.round(end - left); at += 1) {
      cover[at] = (cover[at] ?? 0) + 1;
    }
  }
  return cover;
}

function longestRun(values: readonly number[], value: number): Strip | null {
  let best: Strip | null = null;
  for (let at = 0; at < values.length; at += 1) {
    if (values[at] !== value) continue;
    const from = at;
    while (values[at + 1] === value) at += 1;
    if (best === null || at - from > best.to - best.from) best = { from, to: at + 1 };
  }
  return best;
}

/** Whether a row runs across the gutter: a piece spans it, or the gap there is much narrower. */
export function crosses(row: Row, { from, to }: Gutter): boolean {
  const isLeft = ({ x }: Piece) => x < from;
  const before = Math.max(...row.pieces.filter(isLeft).map(endOf));
  const after = Math.min(...row.pieces.filter((piece) => !isLeft(piece)).map(({ x }) => x));
  return after - before < MIN_GUTTER || row.pieces.some((one) => one.x < from && endOf(one) > to);
}
