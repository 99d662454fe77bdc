import { isCalendarDay } from '../../../core/fields.ts';
import { cleanLine, cleanText, cut } from '../../../core/text.ts';

/** A paper's metadata in an OAI-PMH record. Texts are cleaned; formulas stay TeX. */
export interface ArxivMetadata {
  title: string;
  /** Forenames first, in the paper's order. */
  authors: string[];
  /** Paragraphs separated by a blank line; '' when arXiv has no abstract. */
  abstract: string;
  /** arXiv's own categories, the primary one first. */
  categories: string[];
  /** YYYY-MM-DD; of the current version, according to arXiv's OAI server code. */
  created: string | null;
  /** YYYY-MM-DD. */
  updated: string | null;
  comment: string | null;
  journalRef: string | null;
  /** May hold several, separated by spaces. */
  doi: string | null;
  licenseUrl: string | null;
}

export interface ArxivRecord {
  /** '2401.00001' or 'q-fin/0601001', never with a version. */
  id: string;
  /** Day of the record's last change, YYYY-MM-DD; not a submission date. */
  datestamp: string;
  /** Null when arXiv has deleted the record. */
  metadata: ArxivMetadata | null;
}

/** An unusable record. */
export interface SkippedRecord {
  /** Null when unreadable. */
  id: string | null;
  /** In our words, such as 'malformed XML'. */
  reason: string;
}

export interface RecordPage {
  /** May repeat records of the previous page. */
  records: ArxivRecord[];
  /** The page's unusable records. */
  skipped: SkippedRecord[];
  /** Resumption token of the next page; null on the last. */
  token: string | null;
  /** Day of the response by arXiv's clock, YYYY-MM-DD. */
  responseDate: string;
}

/** A paper's current version in the query API. */
export interface ArxivVersion extends Omit<ArxivMetadata, 'created' | 'updated' | 'licenseUrl'> {
  id: string;
  version: number;
  /** First submission, YYYY-MM-DD. */
  published: string;
  /** Submission of this version, YYYY-MM-DD. */
  updated: string;
}

/** Limits per record in UTF-16 units, far above any real one: readers pay for every character. */
const LIMITS = { title: 1_000, abstract: 20_000, line: 4_000, name: 200, categories: 50 } as const;
/** Authors of a record; the last entry of a longer list is "others". */
const MAX_AUTHORS = 100;

/** The text as one clean line; '' when nothing is left. */
export function lineOf(text: string, max: number = LIMITS.line): string {
  return cut(cleanLine(text), max);
}

export function titleOf(text: string): string {
  return lineOf(text, LIMITS.title);
}

/** Names of authors without empty ones; BibTeX, too, says "others" for those that are left out. */
export function authorsOf(names: readonly string[]): string[] {
  const authors = names.map((name) => lineOf(name, LIMITS.name)).filter((name) => name !== '');
  return authors.length > MAX_AUTHORS ? [...authors.slice(0, MAX_AUTHORS), 'others'] : authors;
}

/** The end of a sentence or clause, with closing quotes and brackets. */
const CLAUSE_END = /[.?!:;]["'”’»)\]}$]*$/;
/** Characters of a line's end that are searched for it. */
const TAIL = 64;

/**
 * Unwraps an abstract into paragraphs separated by a blank line. arXiv breaks lines anywhere and
 * indents the first line of a paragraph; because some authors indent every line, an indented line
 * begins a paragraph only if the previous line ends a clause.
 */
export function joinParagraphs(text: string): string {
  let joined = '';
  let last = '';
  let afterGap = false;
  for (const line of cleanText(text).split('\n')) {
    const words = line.trim().replace(/\s+/gu, ' ');
    const begins = afterGap || (/^\s/u.test(line) && CLAUSE_END.test(last.slice(-TAIL)));
    afterGap = words === '';
    if (afterGap) continue;
    joined += joined === '' ? words : `${begins ? '\n\n' : ' '}${words}`;
    last = words;
  }
  return cut(joined, LIMITS.abstract);
}

/** arXiv's own categories, in order and without duplicates; ACM and MSC classes are dropped. */
export function keepCategories(terms: readonly string[]): string[] {
  const own = terms.filter((term) => /^[a-z-]{1,20}(\.[A-Za-z-]{1,20})?$/.test(term));
  return [...new Set(own)].slice(0, LIMITS.categories);
}

/** YYYY-MM-DD of a date or a UTC time; null unless it is a calendar day. */
export function dayOf(text: string): string | null {
  const day = /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(text.trim())?.[0] ?? '';
  return isCalendarDay(day) ? day : null;
}

/** The http or https URL as written, or null. */
export function webUrlOf(text: string): string | null {
  const address = cleanLine(text);
  const isUrl = address.length <= 1_000 && /^https?:\/\//i.test(address) && URL.canParse(address);
  return isUrl ? address : null;
}
