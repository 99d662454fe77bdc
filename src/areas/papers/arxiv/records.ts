import { isCalendarDay } from '../../../core/fields.ts';
import { cleanLine, cleanText, cut } from '../../../core/text.ts';

/** A paper's metadata in an OAI-PMH record. Texts are cleaned; formulas stay TeX. Days are YYYY-MM-DD. */
export interface ArxivMetadata {
  title: string;
  /** Forenames first, in the paper's order; none in `arXivRaw`. */
  authors: string[];
  /** Paragraphs separated by a blank line; '' when arXiv has no abstract. */
  abstract: string;
  /** arXiv's own categories, the primary one first. */
  categories: string[];
  /** Of the current version, according to arXiv's OAI server code. */
  created: string | null;
  updated: string | null;
  comment: string | null;
  journalRef: string | null;
  /** May hold several, separated by spaces. */
  doi: string | null;
  licenseUrl: string | null;
  /** In order; none outside `arXivRaw`. */
  versions: { version: number; day: string }[];
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

/** Limits per record in UTF-16 units, far above any real one: readers pay for every character. */
const LIMITS = { title: 1_000, abstract: 20_000, line: 4_000, name: 200, categories: 50 } as const;
/** Authors of a record; the last entry of a longer list is "others", as BibTeX says, too. */
const MAX_AUTHORS = 100;

/** The text as one clean line; '' when nothing is left. */
export function lineOf(text: string): string {
  return cut(cleanLine(text), LIMITS.line);
}

export function titleOf(text: string): string {
  return cut(cleanLine(text), LIMITS.title);
}

/** Names of authors without empty ones. */
export function authorsOf(names: readonly string[]): string[] {
  const authors = names
    .map((name) => cut(cleanLine(name), LIMITS.name))
    .filter((name) => name !== '');
  return authors.length > MAX_AUTHORS ? [...authors.slice(0, MAX_AUTHORS), 'others'] : authors;
}

/**
 * Unwraps an abstract into paragraphs separated by a blank line. arXiv breaks lines anywhere and
 * indents the first line of a paragraph; because some authors indent every line, an indented line
 * begins a paragraph only if the previous one ends a sentence.
 */
export function joinParagraphs(text: string): string {
  const paragraphs = cleanText(text)
    .replace(/([.?!:;]["'”’)\]$]?)[^\S\n]*\n[^\S\n]+(?=\S)/g, '$1\n\n')
    .split(/\n[^\S\n]*\n/)
    .map(cleanLine)
    .filter((paragraph) => paragraph !== '');
  return cut(paragraphs.join('\n\n'), LIMITS.abstract);
}

/** arXiv's own categories, in order and without duplicates; ACM and MSC classes are dropped. */
export function keepCategories(terms: readonly string[]): string[] {
  const own = terms.filter((term) => /^[a-z-]{1,20}(\.[A-Za-z-]{1,20})?$/.test(term));
  return [...new Set(own)].slice(0, LIMITS.categories);
}

/** YYYY-MM-DD of an ISO date or time; null unless it is a calendar day. */
export function dayOf(text: string): string | null {
  const day = /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(text.trim())?.[0] ?? '';
  return isCalendarDay(day) ? day : null;
}

/** The http or https URL as written, or null. */
export function webUrlOf(text: string): string | null {
  return /^https?:\/\/\S{1,1000}$/i.exec(cleanLine(text))?.[0] ?? null;
}

// How comments and abstracts tell of a withdrawal: the phrases of authors and of arXiv's staff.
// "Withdrawn from the conference" is no withdrawal from arXiv.

const WORK =
  '(?:paper|article|submission|manuscript|e-?print|preprint|work|note|draft|document|thesis|report)';
const HAS_BEEN =
  '(?:(?:has|is|was|to|be|been|being|now|hereby|temporarily|permanently|voluntarily|superseded|and) )*';
const PARTY =
  '(?:the )?(?:(?:first|main|corresponding|submitting) )?(?:authors?|submitters?|arxiv)\\b';
const WITHDRAWN = 'withdrawn\\b(?! from (?!(?:the )?arxiv))';
const SAYS =
  `(?:(?:this|the|our) )?${WORK} ${HAS_BEEN}(?:${WITHDRAWN}|removed by ${PARTY})` +
  `|withdrawn by ${PARTY}` +
  `|(?:${PARTY}|we|i) (?:ha(?:s|ve) )?(?:withdrawn|withdrew|withdraws?) (?:this|the|our) ${WORK}`;
/** Only a comment may open with the bare word: in an abstract it could be withdrawn money. */
const IN_COMMENT = new RegExp(`^\\W*${HAS_BEEN}${WITHDRAWN}|\\b(?:${SAYS})`, 'i');
const IN_ABSTRACT = new RegExp(`^\\W*(?:${SAYS}|withdrawn\\W*$)`, 'i');
/** Tells of another version or another paper. */
const ANOTHER =
  /\b(?:earlier|previous(?:ly)?|prior|older|former|(?:first|original) version|replac(?:es|ing)|supersed(?:es|ing)|v\d+|version \d+)\b/i;

/** True when the paper itself was withdrawn; a paper about withdrawn deposits stays. */
export function isWithdrawn({ comment, abstract }: Pick<ArxivMetadata, 'comment' | 'abstract'>) {
  const isSaid = (comment ?? '').split(/(?<=[.;!?])\s+/).some((sentence) => {
    const index = sentence.search(IN_COMMENT);
    return index >= 0 && !ANOTHER.test(sentence.slice(0, index));
  });
  return isSaid || IN_ABSTRACT.test(abstract);
}
