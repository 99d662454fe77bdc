import { cleanLine, cleanText, cut } from '../../../core/clean.ts';

/**
 * What a record may hold of each; the rest is cut off, for readers pay for every character and the
 * longest text of a real record is far below. In UTF-16 units.
 */
export const MOST = {
  title: 1_000,
  abstract: 20_000,
  comment: 4_000,
  line: 1_000,
  name: 200,
  authors: 3_000,
  categories: 50,
} as const;
/** Line breaks and indents may double a text that is cleaned only later. */
const RAW_FACTOR = 4;

/** The end of a sentence or clause, with whatever closes behind it. */
const CLAUSE_END = /[.?!:;]["'”’»)\]}$]*$/;
/** Where that is looked for. */
const TAIL = 64;
const CATEGORY = /^[a-z-]{1,20}(\.[A-Za-z-]{1,20})?$/;
const DAY = /^\d{4}-\d{2}-\d{2}(?=$|T)/;

/** One line of at most so much, '' when nothing is left of it. */
export function lineOf(text: string, most: number): string {
  return cut(cleanLine(text.slice(0, most * RAW_FACTOR)), most);
}

/** The same, or null when nothing is left of it. */
export function lineOrNull(text: string, most: number = MOST.line): string | null {
  return lineOf(text, most) || null;
}

/**
 * An abstract as paragraphs, each on one line, with a blank line between them. arXiv breaks lines
 * anywhere and indents the first line of a new paragraph; some authors indent every line, hence an
 * indented line begins a paragraph only where the line before it ends a clause.
 */
export function joinParagraphs(text: string): string {
  let joined = '';
  let tail = '';
  let afterGap = false;
  for (const line of cleanText(text.slice(0, MOST.abstract * RAW_FACTOR)).split('\n')) {
    const words = line.trim().replace(/\s+/gu, ' ');
    if (words === '') {
      afterGap = true;
      continue;
    }
    const begins = afterGap || (/^\s/u.test(line) && CLAUSE_END.test(tail));
    joined += joined === '' ? words : `${begins ? '\n\n' : ' '}${words}`;
    tail = `${tail} ${words}`.slice(-TAIL);
    afterGap = false;
  }
  return cut(joined, MOST.abstract);
}

/** arXiv's own categories in their order, each once; classes of the ACM and MSC are dropped. */
export function keepCategories(terms: readonly string[]): string[] {
  return [...new Set(terms.filter((term) => CATEGORY.test(term)))].slice(0, MOST.categories);
}

/** YYYY-MM-DD of a date or a time in UTC; null when it is no day of the calendar. */
export function dayOf(text: string): string | null {
  const day = DAY.exec(text.trim())?.[0] ?? '';
  // Date.parse alone takes the 30th of February for a day of March.
  const time = Date.parse(day);
  if (Number.isNaN(time)) return null;
  return new Date(time).toISOString().startsWith(day) ? day : null;
}

/** An address of the web as it was written, or null. */
export function webAddressOf(text: string): string | null {
  const address = cleanLine(text.slice(0, MOST.line + 1));
  if (address.length > MOST.line) return null;
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? address : null;
}
