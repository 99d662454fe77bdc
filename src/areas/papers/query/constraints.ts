import { tidy } from '../../../store/search/query/tidy.ts';
import { subjectWords } from '../../../store/search/query/words.ts';
import { type AuthoredPart, readAuthors } from './authors.ts';
import { type Calendar, type DatedPart, isNegated, readDates } from './dates.ts';
import { DOCUMENT_NOUNS } from './words.ts';

/** What a question asks of its papers beside their subject. */
export interface Constraints {
  categories: Constraint<string[]> | null;
  dates: Constraint<DatedPart> | null;
  authors: Constraint<AuthoredPart> | null;
  /** The question without these words; '' if it says nothing else. */
  rest: string;
}

export interface Constraint<T> {
  value: T;
  /** The question says "only": what does not fit is left out. */
  isOnly: boolean;
}

/** Those of two letters are written in capitals, the others not; some archives have none. */
const CODE =
  '(?:astro-ph|cs|econ|eess|math|nlin|q-bio|q-fin|stat)\\.[a-z]{2}|(?:cond-mat|physics)\\.(?:[a-z]{2,5}-[a-z]{2,4}|optics|soft)|hep-th|math-ph|quant-ph';
const CATEGORY = new RegExp(
  `(?:\\b(?:in|from|of|under|within) )?(?:\\bthe )?(?:\\barxiv )?(?:\\b(?:primary )?(?:categor(?:y|ies)|subjects?|sections?|class|listings?|archive|cat):? )?[[(]?(?<![\\w./-])(?<code>${CODE})(?![\\w.-]*\\w)[\\])]?(?: (?:categor(?:y|ies)|section|listings?|archive)\\b)?`,
  'giu',
);
/** Stands for a constraint while the words around it are read. */
const MARK = { categories: '\uE000', dates: '\uE001', authors: '\uE002' } as const;
const ANY_MARK = '[\uE000-\uE002]';
const CHAIN = `${ANY_MARK}(?:(?: |, ?)?(?:and |published |written |in |by )*${ANY_MARK})*`;
const NOUN = `(?:${DOCUMENT_NOUNS}|ones|those|results)`;
const ONLY_BEFORE = new RegExp(
  `(?<!\\b(?:not|the|an) )\\b(?:only|exclusively|solely|strictly|nothing but|(?:limited|restricted|limit(?:ed)? (?:it|this|them)|restrict(?:ed)? (?:it|this|them)) to)(?: (?:show|list|give|me|return|find|include|want|interested|the|any|recent|in|from|by|are|is|be|that|which|were|was|have|been|published|written|released|submitted|posted|${NOUN}))*[ :]*(?<chain>${CHAIN})`,
  'giu',
);
const LAST = '(?:only|exclusively|alone|and nothing else)';
const ONLY_AFTER = new RegExp(
  `(?<chain>${CHAIN}),? (?:\\(${LAST}\\)|${LAST}\\b(?! (?:if|when|for|on|in)\\b))`,
  'giu',
);
/**
 * Reads categories, dates of publication and authors from a question; null where there are none.
 * `isHeld` tells whether the shelf has papers by an author.
 */
export function readConstraints(
  question: string,
  isHeld: (name: string) => boolean,
  calendar: Calendar,
): Constraints | null {
  const codes: string[] = [];
  let text = question.replace(CATEGORY, (whole, code: string, at: number) => {
    if (isNegated(question.slice(0, at))) return whole;
    codes.push(code.toLowerCase().replace(/\.[a-z]{2}$/, (group) => group.toUpperCase()));
    return MARK.categories;
  });
  let dates = readDates(text, calendar);
  if (dates !== null) text = markPart(text, dates, MARK.dates);
  const authors = readAuthors(text, isHeld);
  if (authors !== null) text = markPart(text, authors, MARK.authors);
  // A year beside nothing but authors and categories has no other subject.
  const [, year] = /^\W*((?:19|20)\d\d)\W*$/u.exec(text) ?? [];
  if (year !== undefined && (codes.length > 0 || authors !== null)) {
    dates = readDates(`published in ${year}`, calendar);
    text = text.replace(year, MARK.dates);
  }
  if (codes.length === 0 && dates === null && authors === null) return null;
  const only = new Set<string>();
  const plain = [ONLY_BEFORE, ONLY_AFTER]
    .reduce(
      (read, pattern) =>
        read.replace(pattern, (...found) => {
          const { chain }: { chain: string } = found.at(-1);
          for (const mark of chain.match(new RegExp(ANY_MARK, 'gu')) ?? []) only.add(mark);
          return ' ';
        }),
      text,
    )
    .replace(new RegExp(`(?:\\b(?:and|or|published|written|but) )?${ANY_MARK}`, 'gu'), ' ');
  return {
    categories:
      codes.length === 0 ? null : { value: [...new Set(codes)], isOnly: only.has(MARK.categories) },
    dates: dates && { value: dates, isOnly: only.has(MARK.dates) },
    authors: authors && { value: authors, isOnly: only.has(MARK.authors) },
    rest: subjectWords(plain) > 0 ? tidy(plain) : '',
  };
}

function markPart(text: string, { start, end }: { start: number; end: number }, mark: string) {
  return `${text.slice(0, start)}${mark}${text.slice(end)}`;
}
