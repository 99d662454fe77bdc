import { isCalendarDay } from '../../../core/fields.ts';
import { cleanLine, cleanText, cut } from '../../../core/text.ts';

/**
 * Limits per record, far above any real one; the rest is cut off, because readers pay for every
 * character. Lengths are in UTF-16 units.
 */
export const LIMITS = {
  title: 1_000,
  abstract: 20_000,
  comment: 4_000,
  line: 1_000,
  name: 200,
  authors: 3_000,
  categories: 50,
} as const;
/** Raw text may be this much longer: cleaning removes line breaks and indents. */
const RAW_FACTOR = 4;

/** The end of a sentence or clause, with closing quotes and brackets. */
const CLAUSE_END = /[.?!:;]["'”’»)\]}$]*$/;
/** Characters of a line's end that are searched for it. */
const TAIL = 64;
const CATEGORY = /^[a-z-]{1,20}(\.[A-Za-z-]{1,20})?$/;
const DAY = /^\d{4}-\d{2}-\d{2}(?=$|T)/;

/** The text as one clean line of at most `max` units; '' when nothing is left. */
export function lineOf(text: string, max: number): string {
  return cut(cleanLine(text.slice(0, max * RAW_FACTOR)), max);
}

/** The same, or null when nothing is left. */
export function lineOrNull(text: string, max: number = LIMITS.line): string | null {
  return lineOf(text, max) || null;
}

/**
 * Unwraps an abstract into paragraphs separated by a blank line. arXiv breaks lines anywhere and
 * indents the first line of a paragraph; because some authors indent every line, an indented line
 * begins a paragraph only if the previous line ends a clause.
 */
export function joinParagraphs(text: string): string {
  let joined = '';
  let tail = '';
  let afterGap = false;
  for (const line of cleanText(text.slice(0, LIMITS.abstract * RAW_FACTOR)).split('\n')) {
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
  return cut(joined, LIMITS.abstract);
}

/** arXiv's own categories, in order and without duplicates; ACM and MSC classes are dropped. */
export function keepCategories(terms: readonly string[]): string[] {
  return [...new Set(terms.filter((term) => CATEGORY.test(term)))].slice(0, LIMITS.categories);
}

/** YYYY-MM-DD of a date or a UTC time; null unless it is a calendar day. */
export function dayOf(text: string): string | null {
  const day = DAY.exec(text.trim())?.[0] ?? '';
  return isCalendarDay(day) ? day : null;
}

/** The http or https URL as written, or null. */
export function webUrlOf(text: string): string | null {
  const address = cleanLine(text.slice(0, LIMITS.line + 1));
  if (address.length > LIMITS.line) return null;
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? address : null;
}
