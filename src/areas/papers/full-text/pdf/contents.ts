import { NUMBER } from './headings.ts';
import type { Line } from './lines.ts';

const LEADER = /(?:\.\s?){5,}\s*(?:\d{1,4}|[ivxl]{1,7})$/;
/** Fewest entries of a table of contents, and most lines between two entries, one of which is broken. */
const MIN_ENTRIES = 3;
const MAX_BETWEEN = 1;
/** A heading is identified by this many of its first letters. */
const KEY_LENGTH = 12;

/** Removes a table of contents, whose entries look like headings. */
export function dropContents(lines: readonly Line[]): Line[] {
  return dropUntitled(dropTitled(lines));
}

function dropTitled(lines: readonly Line[]): Line[] {
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

/** Removes runs of numbered lines that end in rising page numbers, where most headings come later. */
function dropUntitled(lines: readonly Line[]): Line[] {
  const last = new Map(lines.map(({ text }, at) => [keyOf(text), at]));
  const kept: Line[] = [];
  for (let start = 0; start < lines.length; ) {
    const { entries, end } = readRun(lines, start);
    const comeLater = entries.filter((entry) => (last.get(keyOf(entry)) ?? 0) >= end).length;
    const numbered = entries.filter((entry) => NUMBER.test(entry)).length;
    const isContents =
      entries.length >= MIN_ENTRIES && 2 * Math.min(comeLater, numbered) >= entries.length;
    if (!isContents) kept.push(...lines.slice(start, end));
    start = end;
  }
  return kept;
}

/** The entries from this line on whose pages rise, and the line after them; at least one line is read. */
function readRun(lines: readonly Line[], start: number): { entries: string[]; end: number } {
  const entries: string[] = [];
  let [page, end] = [0, start];
  for (let at = start; at <= end + MAX_BETWEEN && at < lines.length; at += 1) {
    const text = lines[at]?.text ?? '';
    const [number] = /\s\d{1,4}$/.exec(text) ?? [];
    if (number !== undefined && Number(number) >= page) {
      entries.push(text.slice(0, -number.length));
      page = Number(number);
      end = at + 1;
    } else if (at === start) break;
  }
  return { entries, end: Math.max(end, start + 1) };
}

const keyOf = (text: string) =>
  text
    .slice(0, 3 * KEY_LENGTH)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .slice(0, KEY_LENGTH);
