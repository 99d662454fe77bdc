import { cleanLine, cleanText } from '../../../core/clean.ts';

/** The end of a sentence or clause, with whatever closes behind it. */
const CLAUSE_END = /[.?!:;]["'”’»)\]}$]*$/;
const CATEGORY = /^[a-z-]+(\.[A-Za-z-]+)?$/;
const DAY = /^\d{4}-\d{2}-\d{2}(?=$|T)/;

/** One line, or null when nothing is left of it. */
export function lineOrNull(text: string): string | null {
  return cleanLine(text) || null;
}

/**
 * An abstract as paragraphs, each on one line, with a blank line between them. arXiv breaks lines
 * anywhere and indents the first line of a new paragraph; some authors indent every line, hence an
 * indented line begins a paragraph only where the line before it ends a clause.
 */
export function joinParagraphs(text: string): string {
  let joined = '';
  let afterGap = false;
  for (const line of cleanText(text).split('\n')) {
    const words = line.trim().replace(/\s+/gu, ' ');
    if (words === '') {
      afterGap = true;
      continue;
    }
    const begins = afterGap || (/^\s/u.test(line) && CLAUSE_END.test(joined));
    joined += joined === '' ? words : `${begins ? '\n\n' : ' '}${words}`;
    afterGap = false;
  }
  return joined;
}

/** arXiv's own categories in their order, each once; classes of the ACM and MSC are dropped. */
export function keepCategories(terms: readonly string[]): string[] {
  return [...new Set(terms.filter((term) => CATEGORY.test(term)))];
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
  const address = cleanLine(text);
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? address : null;
}
