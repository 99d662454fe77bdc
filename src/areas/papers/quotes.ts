import type { HeldShelf } from '../../core/context.ts';
import {
  getPaperById,
  listSections,
  listSectionsWithPhrase,
  type ManifestRow,
  type PaperRow,
  type SectionPlace,
  type SectionRow,
} from './queries.ts';
import { servedBy } from './reading.ts';

/** A section that holds a quotation word for word. */
export interface Quotation {
  paper: PaperRow;
  section: ManifestRow;
  /** The quotation with what surrounds it, on one line; null where only the index can place it. */
  passage: string | null;
}

/** Fewer words stand in many texts by chance. */
const MIN_WORDS = 3;
const MAX_QUOTATIONS = 5;
/** Sections read, since some may not be served. */
const MAX_SECTIONS = 50;
/** Characters shown before and after the quotation. */
const MARGIN = 160;

/**
 * The sections that hold a quotation, in one paper if one is given, without regard to case, accents
 * and punctuation. Only what callers may read is returned; null for a quotation of fewer than three words.
 */
export function findQuotations(
  shelf: HeldShelf,
  quotation: string,
  within: PaperRow | undefined,
): Quotation[] | null {
  const words = quotation.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  if (words.length < MIN_WORDS) return null;
  const places = listSectionsWithPhrase(shelf.db, words, within?.id, MAX_SECTIONS);
  return places.flatMap((place) => readSection(shelf, place, words)).slice(0, MAX_QUOTATIONS);
}

function readSection(
  shelf: HeldShelf,
  { paperId, order }: SectionPlace,
  words: readonly string[],
): Quotation[] {
  const paper = getPaperById(shelf.db, paperId);
  if (paper === undefined || paper.withdrawn === 1) return [];
  const [section] = listSections(shelf.db, paperId, order);
  if (section === undefined || !servedBy(paper, shelf)(section)) return [];
  return [{ paper, section, passage: findPassage(section, words) }];
}

/** Letters are compared with their accents here, so a passage that the index matched may be missed. */
function findPassage({ content }: SectionRow, words: readonly string[]): string | null {
  const match = new RegExp(words.join('[^\\p{L}\\p{N}\\p{M}]+'), 'iu').exec(content);
  if (match === null) return null;
  const start = Math.max(0, match.index - MARGIN);
  const end = match.index + match[0].length + MARGIN;
  return [start > 0 ? '…' : '', content.slice(start, end), end < content.length ? '…' : '']
    .join('')
    .replace(/\s+/gu, ' ')
    .trim();
}
