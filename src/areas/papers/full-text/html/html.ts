import { codePoints } from '../../../../core/fields.ts';
import { type ParseResult, type TextSection, toSections } from '../sections/sections.ts';
import { readParts } from './outline.ts';
import { findPaper, isCutShort, prepare, type Survey } from './prepare.ts';
import { keepTexOnly } from './tex.ts';
import { parsePage } from './tree.ts';

/** Minimum length in code points; a shorter page lost its content in the conversion. */
const MIN_TEXT = 1_500;
/**
 * Most different unknown commands per word; with more the conversion lacked whole packages. A single
 * one may be an icon that stands in every cell of a table.
 */
const MAX_UNKNOWN = 0.01;

/** How ar5iv reports an aborted conversion. */
const FATAL = /\bar5iv-severity-fatal\b|Conversion to HTML had a Fatal error/i;

/** The content of a page, before its quality is checked. */
export interface Page extends Survey {
  sections: TextSection[];
}

/** Converts a paper's page at arXiv or ar5iv to sections of Markdown. */
export function readHtml(html: string): ParseResult {
  if (FATAL.test(html)) return { ok: false, reason: 'failed conversion' };
  const page = readPage(html);
  if (typeof page === 'string') return { ok: false, reason: page };
  if (page.unknown.size > MAX_UNKNOWN * page.words)
    return { ok: false, reason: 'failed conversion' };
  const length = page.sections.reduce((sum, { content }) => sum + codePoints(content), 0);
  if (length < MIN_TEXT) return { ok: false, reason: 'too little text' };
  return { ok: true, sections: page.sections };
}

/** Reads a page without checking its quality; a string says why that failed. */
export function readPage(html: string): Page | 'not a paper' | 'failed conversion' {
  if (!html.includes('ltx_document')) return 'not a paper';
  const root = parsePage(keepTexOnly(html));
  if (root === null) return 'failed conversion';
  const paper = findPaper(root);
  if (paper === null) return 'not a paper';
  if (isCutShort(root, paper)) return 'failed conversion';
  const survey = prepare(paper);
  return { ...survey, sections: toSections(readParts(paper)) };
}
