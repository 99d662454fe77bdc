import { NUMBER } from './headings.ts';
import type { Line } from './lines.ts';

const TITLE = /^(?:table of )?contents$/i;
const LEADER = /(?:\.\s?){5,}\s*(?:\d{1,4}|[ivxl]{1,7})$/;
/** Minimum number of entries, and maximum number of further lines in a wrapped entry. */
const MIN_ENTRIES = 3;
const MAX_BETWEEN = 1;
/** Number of leading letters that identify a heading. */
const KEY_LENGTH = 12;

/**
 * Removes tables of contents, whose entries look like headings. An entry has a dot leader, or is in a
 * list with rising page numbers. The list follows the title "Contents", or at least half of its
 * entries are numbered and at least half reappear later.
 */
export function dropContents(all: readonly Line[]): Line[] {
  // Test only the end: the pattern is slow on a line full of dots.
  const lines = all.filter(({ text }) => !LEADER.test(text.slice(-80)));
  const last = new Map(lines.map(({ text }, at) => [keyOf(text), at]));
  const kept: Line[] = [];
  for (let start = 0; start < lines.length; ) {
    const isTitled = TITLE.test(lines[start]?.text ?? '');
    const table = readEntries(lines, isTitled ? start + 1 : start);
    const { entries } = table;
    const end = Math.max(table.end, start + 1);
    const comeLater = entries.filter((entry) => (last.get(keyOf(entry)) ?? 0) >= end).length;
    const numbered = entries.filter((entry) => NUMBER.test(entry)).length;
    const isContents =
      entries.length >= MIN_ENTRIES && 2 * Math.min(comeLater, numbered) >= entries.length;
    if (!isTitled && !isContents) kept.push(...lines.slice(start, end));
    start = end;
  }
  return kept;
}

/** The entries from this line on whose page numbers rise, and the index of the line after them. */
function readEntries(lines: readonly Line[], start: number): { entries: string[]; end: number } {
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
  return { entries, end };
}

const keyOf = (text: string) =>
  text
    .slice(0, 3 * KEY_LENGTH)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .slice(0, KEY_LENGTH);
