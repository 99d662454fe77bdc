import { codePoints } from '../../../../core/fields.ts';
import { toSections } from '../section-keys.ts';
import type { Reading, TextSection } from '../sections.ts';
import { findPaper, readLicense } from './frame.ts';
import { prepare, type Survey } from './prepare.ts';
import { readParts } from './sections.ts';
import { repairSource } from './source.ts';
import { parsePage } from './tree.ts';

/** A paper with less text than this is a shell whose content got lost. */
const LEAST_TEXT = 1_500;
/** More unknown commands than this share of its words, and a text has holes. */
const MOST_ERRORS = 0.02;

/** How ar5iv says that a conversion broke off. */
const FATAL = /\bar5iv-severity-fatal\b|Conversion to HTML had a Fatal error/i;

/** Everything that a page holds of a paper, be it much or little. */
export interface Page extends Survey {
  sections: TextSection[];
  license: string | null;
}

/** Turns an arXiv or ar5iv page of a paper into sections of Markdown. */
export function readHtml(html: string): Reading {
  if (FATAL.test(html)) return { ok: false, reason: 'failed conversion' };
  const page = readPage(html);
  if (typeof page === 'string') return { ok: false, reason: page };
  if (page.errors > MOST_ERRORS * page.words) return { ok: false, reason: 'failed conversion' };
  const length = page.sections.reduce((sum, { content }) => sum + codePoints(content), 0);
  if (length < LEAST_TEXT) return { ok: false, reason: 'too little text' };
  return { ok: true, sections: page.sections, license: page.license };
}

/** The page before it is judged; in a word why there is none. */
export function readPage(html: string): Page | 'not a paper' | 'failed conversion' {
  if (!html.includes('ltx_document')) return 'not a paper';
  const root = parsePage(repairSource(html));
  if (root === null) return 'failed conversion';
  const paper = findPaper(root);
  if (paper === null) return 'not a paper';
  const license = readLicense(root);
  const survey = prepare(paper);
  return { ...survey, sections: toSections(readParts(paper)), license };
}
