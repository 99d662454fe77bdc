import { codePoints } from '../../../../core/fields.ts';
import { cleanLine, cleanText, cut, toAscii } from '../../../../core/text.ts';
import type { Front } from './front.ts';

/** Increment whenever the same document would yield different sections. */
export const PARSER_VERSION = 10;

/** Maximum number of sections, and of code points, in a document. */
const MAX_SECTIONS = 500;
const MAX_TEXT = 8_000_000;

export type SectionType =
  | 'abstract'
  | 'introduction'
  | 'related_work'
  | 'background'
  | 'data'
  | 'methods'
  | 'results'
  | 'discussion'
  | 'conclusion'
  | 'acknowledgements'
  | 'appendix'
  | 'references'
  | 'note'
  | 'other';

/** One section of a paper, as stored. */
export interface TextSection {
  /** `abstract`, `references`, or `s<index>-<slug of the title>`, such as `s02-data`. */
  key: string;
  type: SectionType;
  title: string;
  /** Markdown. */
  content: string;
  /** Plain text to be embedded; set by `addPassages`. */
  passages?: string[] | undefined;
}

/** The sections of a document in order, or why it has none. */
export type ParseResult =
  | {
      ok: true;
      sections: TextSection[];
      /** For a partially read PDF: the last page read, and the number of pages. */
      cut?: { lastPage: number; pages: number } | undefined;
      /** Only for the user's own files. */
      front?: Front | undefined;
    }
  | { ok: false; reason: keyof typeof FAULTS };

/** Why one of the user's own files was not read, worded for the user. */
export const FAULTS = {
  encrypted: 'it is encrypted: save a copy without a password',
  'too little text': 'it has too little text: a scan needs OCR first',
  'too many pages': 'it has more than 1,500 pages: split it',
  'not a paper': 'it is damaged, or neither a PDF nor a page from arXiv or ar5iv',
  'failed conversion':
    'its conversion failed, or reading it took too long or too much memory: try another format, or split it',
} as const;

/** A section before it gets its key; `type` is set if the title does not determine it. */
export interface Part {
  title: string;
  /** Shown before the title; key and type derive from the title alone. */
  number?: string | undefined;
  content: string;
  type?: SectionType | undefined;
}

/** Title for text before the first section. */
export const FRONT = 'Front matter';
/** Minimum length of a document in code points; a shorter one is a failed conversion or a scan. */
export const MIN_TEXT = 1_500;

/** The sections, or a failure if they are too many, too long, or shorter than `least` code points. */
export function toResult(sections: TextSection[], least = MIN_TEXT): ParseResult {
  const length = sections.reduce((sum, { content }) => sum + codePoints(content), 0);
  if (length > MAX_TEXT || sections.length > MAX_SECTIONS) {
    return { ok: false, reason: 'failed conversion' };
  }
  return length < least ? { ok: false, reason: 'too little text' } : { ok: true, sections };
}

/** Text without invisible characters, in NFC; keeps leading and trailing space. */
export function cleanPiece(text: string): string {
  return cleanText(`|${text}|`).slice(1, -1).normalize('NFC');
}

const MAX_SLUG = 40;
/** Maximum length of a title in UTF-16 code units: a card lists the titles of all sections. */
const MAX_TITLE = 300;

/** A title's number: "3", "2.1", "IV.", "A.", "Section 4"; not a year or a count. */
const NUMBER =
  /^(?:(?:[Ss]ection|SECTION|[Ss]ec\.|[Cc]hapter|CHAPTER|[Pp]art|PART|§)\s*)?(?:\d{1,2}(?:\.\d{1,2}){0,3}[.):]?|[IVX]{2,5}[.):]?|I(?=\s+\p{Lu}{2})|[A-Z](?:\.\d{1,2})*[.):])(?:\s+|\s*[–—-]\s+)(?=\S)/u;

/** Section types by folded title; the first match counts. */
const TITLES: readonly (readonly [SectionType, RegExp])[] = [
  ['abstract', /^(?:extended |executive )?abstract$/],
  ['references', /^(?:list of )?(?:references|bibliography|works cited|literature cited)\b/],
  ['references', /^(?:reference(?: list)?|(?:[a-z]+ ){1,3}(?:references|bibliography))$/],
  ['acknowledgements', /\backnowledge?ments?\b/],
  [
    'acknowledgements',
    /^(?:thanks|(?:sources of )?funding(?: statement| information| and .*interests?)?|financial support)$/,
  ],
  ['other', /^(?:(?:data|code)(?: and \w+)? availability|availability of (?:data|code))\b/],
  ['appendix', /^(?:(?:online|internet|technical) )*(?:appendix|appendices|supplement)/],
  ['note', /^(?:notes?|end ?notes|note added.*|footnotes)$/],
  ['introduction', /^(?:an? )?(?:introduction|introductory|overview|motivation)\b/],
  ['conclusion', /\b(?:concluding|conclusions?|(?:closing|final) remarks|summary and outlook)\b/],
  ['conclusion', /^(?:summary|outlook|future (?:work|directions))$/],
  [
    'related_work',
    /\b(?:(?:related|prior|previous) (?:works?|literature|research|studies)|literature review|literature survey|review of (?:the )?literature|state of the art)\b/,
  ],
  ['related_work', /^(?:the )?literature$/],
  ['background', /\b(?:background|institutional (?:setting|details|context))\b/],
  ['discussion', /^(?:general )?discussions?\b/],
  ['results', /\b(?:results?|findings|evaluation)\b/],
  ['discussion', /\bdiscussions?\b/],
  [
    'methods',
    /\b(?:methods?|methodolog(?:y|ies|ical)|estimators?|framework|approach|approaches|strategy|identification|preliminar(?:y|ies)|theory|theoretical|algorithms?|set ?up|specification|research design)\b/,
  ],
  ['data', /\b(?:data|data ?sets?|sample|(?:summary|descriptive) statistics|styli[sz]ed facts)\b/],
  [
    'results',
    /\b(?:empirical|experiments?|experimental|numerical|numerics|simulations?|monte carlo|applications?|case stud(?:y|ies)|backtest(?:s|ing)?|illustrations?|examples?|robustness|performance|analysis of|analyses)\b/,
  ],
  [
    'methods',
    /\b(?:models?|modell?ing|formulation|problem statement|notations?|definitions?|estimation|architecture|training|calibration|inference)\b/,
  ],
  ['introduction', /\b(?:introduction|motivation)\b/],
];

/** A title in lower-case ASCII letters and digits, without its number or TeX. */
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

export function typeOfTitle(title: string): SectionType {
  const words = foldTitle(title);
  return TITLES.find(([, pattern]) => pattern.test(words))?.[0] ?? 'other';
}

/** A title as a slug: at most 40 characters of a-z, 0-9 and '-'. */
export function slugOf(title: string): string {
  const slug = foldTitle(title)
    .replace(/ /g, '-')
    .slice(0, MAX_SLUG)
    .replace(/(?<!-)-+$/, '');
  return slug === '' ? 'section' : slug;
}

/** Gives each non-empty part a key and, unless it has one, a type that depends on the title. */
export function toSections(parts: readonly Part[]): TextSection[] {
  const fixed = new Set<string>();
  const sections: TextSection[] = [];
  for (const part of parts) {
    const title = cut(cleanLine(part.title), MAX_TITLE);
    const content = part.content.trim();
    if (content === '') continue;
    const type = part.type ?? typeOfTitle(title);
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
