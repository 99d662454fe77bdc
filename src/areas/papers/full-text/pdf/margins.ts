import { NOTE, NOTE_MARK } from './blocks.ts';
import type { Line } from './lines.ts';

/** Share of the page height, at the top and at the bottom, for running heads and footers. */
const MARGIN = 0.13;
/** The same for a lone page number, which may be further in. */
const NUMBER_MARGIN = 0.15;
const OUTER_LINES = 3;
/** Minimum number of running heads at one height that makes it the place for heads. */
const MIN_HEADS = 4;
const PAGE_NUMBER =
  /^(?:page\s*)?[-–—[(\s]*(?:\d{1,4}|[ivxl]{1,7})[-–—\])\s]*(?:(?:of|\/)\s*\d{1,4})?$/i;

/** Removes running heads, footers and page numbers from each page. */
export function dropMargins(pages: readonly Line[][], heights: readonly number[]): Line[][] {
  const outer = pages.map((lines, at) => outerLines(lines, heights[at] ?? 0));
  const places = new Map<string, number[]>();
  for (const line of outer.flat()) {
    for (const key of keysOf(line)) places.set(key, [...(places.get(key) ?? []), line.y]);
  }
  const least = pages.length > 8 ? 3 : 2;
  const kept = pages.map((lines, at) => {
    const drop = new Set(outer[at]?.filter((line) => isRepeated(line, places, least)));
    for (const line of belowNumber(drop, outer[at] ?? [], heights[at] ?? 0)) drop.add(line);
    for (const line of numbersAtEdge(lines, heights[at] ?? 0)) drop.add(line);
    return lines.filter((line) => !drop.has(line));
  });
  return dropRareHeads(pages, kept);
}

/** What repeats in a running head: its words without numbers, and page number minus page index. */
function keysOf({ text, page }: Line): string[] {
  const words = text.replace(/\d+/g, '#').toLowerCase();
  const numbers = [/^(\d{1,4})\s/, /\s(\d{1,4})$/].flatMap((edge) => edge.exec(text)?.[1] ?? []);
  return [words, ...numbers.map((number) => `page ${Number(number) - page}`)];
}

/** Removes heads that do not repeat, as of a short chapter, but are at the height of most others. */
function dropRareHeads(pages: readonly Line[][], kept: readonly Line[][]): Line[][] {
  const counts = new Map<number, number>();
  pages.forEach((lines, at) => {
    const top = findTop(lines);
    if (top === undefined || kept[at]?.includes(top)) return;
    const place = Math.round(top.y);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  });
  return kept.map((lines) => {
    const top = findTop(lines);
    if (top === undefined) return lines;
    const place = Math.round(top.y);
    const count = [place - 1, place, place + 1].reduce((sum, y) => sum + (counts.get(y) ?? 0), 0);
    const isHead = count >= MIN_HEADS && count >= pages.length / 2;
    return isHead ? lines.filter((line) => line.y < top.y - 1) : lines;
  });
}

function findTop(lines: readonly Line[]): Line | undefined {
  return lines.toSorted((a, b) => b.y - a.y)[0];
}

function outerLines(lines: readonly Line[], height: number): Line[] {
  const sorted = [...lines].sort((a, b) => b.y - a.y);
  const top = sorted.slice(0, OUTER_LINES).filter(({ y }) => y > height * (1 - MARGIN));
  const bottom = sorted.slice(-OUTER_LINES).filter(({ y }) => y < height * MARGIN);
  return [...new Set([...top, ...bottom])];
}

/** Whether enough pages have the same key within three points of this height. */
function isRepeated(line: Line, places: Map<string, number[]>, least: number): boolean {
  // Several numbers and no word are a row of a table.
  if (line.cells.length > 1 && !/\p{L}/u.test(line.text)) return false;
  return keysOf(line).some((key) => {
    const near = (places.get(key) ?? []).filter((y) => Math.abs(y - line.y) <= 3);
    // A single page number may match by chance.
    return near.length >= (key.startsWith('page ') ? Math.max(least, 3) : least);
  });
}

function numbersAtEdge(lines: readonly Line[], height: number): Line[] {
  const sorted = lines.toSorted((a, b) => b.y - a.y);
  const isNumber = (line: Line, beside: Line | undefined) =>
    PAGE_NUMBER.test(line.text) &&
    (beside === undefined || Math.abs(beside.y - line.y) > 1.4 * line.size);
  const top = sorted
    .slice(0, 1)
    .filter((line) => line.y > height * (1 - NUMBER_MARGIN) && isNumber(line, sorted[1]));
  const bottom = sorted
    .slice(-1)
    .filter((line) => line.y < height * NUMBER_MARGIN && isNumber(line, sorted.at(-2)));
  return [...top, ...bottom];
}

/** Outer lines below the page number, where there is never body text. */
function belowNumber(dropped: ReadonlySet<Line>, outer: readonly Line[], height: number): Line[] {
  const number = [...dropped].find(({ y, text }) => y < height * MARGIN && PAGE_NUMBER.test(text));
  return number === undefined ? [] : outer.filter(({ y }) => y < number.y - 0.5 * number.size);
}

/** How publishers' notices at the foot of the first page start. */
const NOTICES: readonly RegExp[] = [
  /^Proceedings of\b/,
  /^(?:The )?\d{1,2}(?:st|nd|rd|th) .{3,80}\b(?:Conference|Workshop|Symposium)\b/,
  /^(?:Copyright\b|©|\([cC]\) ?\d{4})/,
  /^Permission to (?:make|copy)\b/,
  /^This (?:work|article|paper) is (?:licensed|distributed|published)\b/,
  /^(?:Preprint|Draft|Manuscript)(?:\.|$| (?:for|submitted|received|under|version)\b)/,
  /^(?:Under review|Submitted to|To appear in|Accepted (?:for publication|at|by))\b/,
  /^Published (?:in|by|as)\b/,
  /^.{0,80}\bAll rights reserved\b/i,
  /^(?:e-?)?(?:ISSN|ISBN)\b/,
  /^(?:\S\s)?(?:Corresponding author|E-?mail(?: address(?:es)?)?:)/,
  /^(?:doi:|https?:\/\/(?:dx\.)?doi\.org\/)/i,
];
/** Share of the page height, from the bottom, that a notice may take. */
const NOTICE_SHARE = 0.35;

/** Removes publishers' notices at the end of the first page's columns. */
export function dropNotices(lines: readonly Line[], height: number, size: number): Line[] {
  let notice: Line | null = null;
  let above: Line | undefined;
  return lines.filter((line) => {
    const isFirst = above?.page !== line.page || above.column !== line.column;
    const room = isFirst || above === undefined ? height : above.y - line.y;
    above = line;
    if (line.page > 0 || line.y > NOTICE_SHARE * height) return true;
    const isSmall = line.size < 0.94 * size;
    const isMarked = NOTE.test(line.text);
    if (isFirst || isMarked || line.size > (notice?.size ?? 0) * 1.05) notice = null;
    const isApart = line.y < MARGIN * height && room > 1.6 * line.size;
    const isStart = isMarked || room > 1.35 * line.size;
    const words = line.text.replace(NOTE_MARK, '');
    if ((isSmall || isApart) && isStart && NOTICES.some((one) => one.test(words))) notice = line;
    return notice === null;
  });
}

const LEADER = /(?:\.\s?){5,}\s*(?:\d{1,4}|[ivxl]{1,7})$/;

/** Removes a table of contents, whose entries look like headings. */
export function dropContents(lines: readonly Line[]): Line[] {
  let isInside = false;
  return lines.filter((line) => {
    // Only the end is tested: the pattern is slow on a line full of dots.
    if (LEADER.test(line.text.slice(-80))) return false;
    if (/^(?:table of )?contents$/i.test(line.text)) {
      isInside = true;
      return false;
    }
    isInside &&= line.cells.length > 1 && /^\d{1,3}$/.test(line.cells.at(-1) ?? '');
    return !isInside;
  });
}
