import * as z from 'zod';
import titleFile from '../../../../../data/section-titles.json' with { type: 'json' };
import { cleanLine, cut, toAscii } from '../../../../core/clean.ts';
import { type SectionType, sectionType, type TextSection } from './sections.ts';

/** A section before it gets its key; `type` is set when the document itself states it. */
export interface Part {
  title: string;
  /** Shown before the title; key and type derive from the title alone. */
  number?: string | undefined;
  content: string;
  type?: SectionType | undefined;
}

const MAX_SLUG = 40;
/** In UTF-16 code units; keeps search cards small, which list all section titles. */
const MAX_TITLE = 300;

/** "3", "3.", "2.1", "IV.", "A.", "Appendix B:", "Section 4"; not a year or a count. */
const NUMBER =
  /^(?:(?:[Ss]ection|SECTION|[Ss]ec\.|[Cc]hapter|CHAPTER|[Pp]art|PART|§)\s*)?(?:\d{1,2}(?:\.\d{1,2}){0,3}[.):]?|[IVX]{2,5}[.):]?|I(?=\s+\p{Lu}{2})|[A-Z](?:\.\d{1,2})*[.):])(?:\s+|\s*[–—-]\s+)(?=\S)/u;
const ROMAN = /^(?:I[IVX]|V?I{2,3}|[VX]I|X[IVX])[A-Z]{0,3}[.:)]?\s/;
const LETTER = /^[A-Z](?:\.|:|\)|\s)/;
const DIGIT = /^\d{1,2}[.:)]?\s/;

const titleRows = z.array(
  z.object({
    type: sectionType,
    at: z.enum(['whole', 'start', 'any']),
    words: z.array(z.string()),
  }),
);
const AROUND = { whole: ['^', '$'], start: ['^', '\\b'], any: ['\\b', '\\b'] } as const;
/** Patterns of titles and the types that they suggest, in order of precedence. */
const TITLES = titleRows.parse(titleFile.rows).map(({ type, at, words }) => {
  const [before, after] = AROUND[at];
  return { type, pattern: new RegExp(`${before}(?:${words.join('|')})${after}`) };
});

/** Normalises a title for matching: no number, no TeX, lower case, plain letters. */
function foldTitle(title: string): string {
  const words = cleanLine(title)
    .replace(/\$[^$]*\$/g, ' ')
    .replace(/\\[a-zA-Z]+/g, ' ')
    .replace(NUMBER, '')
    .replace(/['’`]/g, '');
  return toAscii(words)
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

/** The section type that a title suggests; its number is ignored. */
export function typeOfTitle(title: string): SectionType {
  const words = foldTitle(title);
  return TITLES.find(({ pattern }) => pattern.test(words))?.type ?? 'other';
}

/** The slug of a title: a-z, 0-9 and '-', at most 40 characters. */
export function slugOf(title: string): string {
  const slug = foldTitle(title).replace(/ /g, '-').slice(0, MAX_SLUG).replace(/-+$/, '');
  return slug === '' ? 'section' : slug;
}

/**
 * Assigns types and keys to the parts of a document, in order; empty parts are left out and not
 * counted. Without a `type` the title decides. Lettered titles ("A. Proofs") are appendices when
 * they follow sections numbered 1, 2, 3, the conclusion or the references, but never in a document
 * with Roman numerals.
 */
export function toSections(parts: readonly Part[]): TextSection[] {
  const hasRoman = parts.some((part) => ROMAN.test(part.title));
  const fixed = new Set<string>();
  const sections: TextSection[] = [];
  let isAfterBody = false;
  for (const part of parts) {
    const title = cut(cleanLine(part.title), MAX_TITLE);
    const content = part.content.trim();
    if (content === '') continue;
    const isLettered = !hasRoman && isAfterBody && LETTER.test(title) && NUMBER.test(title);
    const type = part.type ?? (isLettered ? 'appendix' : typeOfTitle(title));
    if (DIGIT.test(title) || type === 'references' || type === 'conclusion') isAfterBody = true;
    const order = String(sections.length).padStart(2, '0');
    let key = `s${order}-${slugOf(title)}`;
    if ((type === 'abstract' || type === 'references') && !fixed.has(type)) {
      key = type;
      fixed.add(type);
    }
    const shown = part.number === undefined ? title : cut(`${part.number} ${title}`, MAX_TITLE);
    sections.push({ key, type, title: shown, content });
  }
  return sections;
}
