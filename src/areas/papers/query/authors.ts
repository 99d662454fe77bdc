import type { Database } from 'better-sqlite3';
import { foldCase } from '../../../core/clean.ts';
import { plainStems } from '../../../store/search/lexical/tokenise.ts';
import { isNegated } from './dates.ts';
import { listAuthored } from './restriction-queries.ts';
import { DOCUMENT_NOUNS } from './words.ts';

/** Authors that a text names, and where. */
export interface AuthoredPart {
  /** As written in the text, without "et al."; each once, and no more than `MAX_NAMES`. */
  names: string[];
  /** One of them is enough: "by Cont or Tankov". */
  isAny: boolean;
  start: number;
  end: number;
}

/** Authors of one question. */
const MAX_NAMES = 8;

const PARTICLE =
  '(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|al|el|bin|ben|ter|ten|st\\.?|san)';
const INITIAL = '\\p{Lu}\\.?(?:-?\\p{Lu}\\.?)?';
const SURNAME = "(?:\\p{Lu}['’])?\\p{Lu}\\p{Ll}[\\p{L}\\p{M}'’]*(?:-\\p{L}[\\p{L}\\p{M}]+)*";
const NAME = `(?:(?:${SURNAME}|${INITIAL}|${PARTICLE}) ){0,4}${SURNAME}(?<![’']s)`;
/** Bounded: time would grow with the square of the text; so it would if a name began within a word. */
const NAMES = `(?<names>${NAME}(?:, ${NAME}){0,20}(?:,? (?:and|&|or) ${NAME})?(?:,? (?:et al\\b\\.?|and (?:co-?authors|colleagues|others)))?)`;
const TITLES = '(?:(?:the )?(?:authors?|professors?|prof\\.?|dr\\.?|economists?|researchers?) )?';
const AFTER =
  '(?=\\s*(?:$|[,.;:?!()\\]"“\\uE000-\\uE0FF])|\\s+(?:on|about|in|from|since|after|before|until|between|published|written|regarding|concerning|that|which|using|with|for|only|please|thanks|and|dealing|covering|discussing|of|to|where|\\p{N})\\b)';
const DOCUMENT = `(?:${DOCUMENT_NOUNS}|study|writings?)`;
const START = "(?<!\\p{L}['’]?)";

/** "by Cont and Tankov" */
const BY = new RegExp(`\\b[Bb]y ${TITLES}${NAMES}${AFTER}`, 'gu');
/** Some words in lower case, of which the first may be names. */
const BY_LOWER = new RegExp(
  `\\bby ${TITLES}(?<names>\\p{Ll}[\\p{L}\\p{M}'’.-]*(?: (?:&|\\p{Ll}[\\p{L}\\p{M}'’.-]*)){1,7})`,
  'gu',
);
/** "author: Cont" */
const LABELLED = new RegExp(`\\b[Aa]u(?:thors?)?\\s?[:=]\\s?${NAMES}${AFTER}`, 'gu');
/** "Cont's recent work" */
const OWNED = new RegExp(
  `${START}${NAMES}(?:['’]s|(?<=s)['’])(?= (?:[a-z-]+ )?${DOCUMENT}\\b)`,
  'gu',
);
/** "papers from Rama Cont" */
const FROM = new RegExp(`(?<=\\b${DOCUMENT} )(?:from|of) ${TITLES}(?<names>${NAME})${AFTER}`, 'gu');
const ET_AL = new RegExp(`${START}${NAMES}(?<=\\bet al\\b\\.?)`, 'gu');
/** What stands before "by" where authors follow, known or not: "hedging by" may name a method. */
const WRITTEN = new RegExp(
  `\\b(?:(?:${DOCUMENT}|anything|something|everything)(?: (?:published|posted|submitted))?|(?:co-?)?(?:written|authored))[ ,\\uE000-\\uE0FF]+$`,
  'iu',
);
const IS_MARKED = new RegExp(
  `\\b(?:${DOCUMENT}|(?:co-?)?(?:written|authored)|anything|something|everything|published)\\b`,
  'iu',
);
/** Nothing follows but what was read before. */
const LAST = /^(?: only)?[.?!,\s\uE000-\uE0FF]*$/u;

/** The authors that a text asks for; null where it names none. `isHeld` tells of a name on the shelf. */
export function readAuthors(text: string, isHeld: (name: string) => boolean): AuthoredPart | null {
  return (
    readForm(text, LABELLED, isHeld) ??
    readForm(text, BY, isHeld) ??
    readForm(text, OWNED, isHeld) ??
    readForm(text, FROM, isHeld) ??
    readForm(text, ET_AL, isHeld) ??
    readLowerCase(text, isHeld)
  );
}

function readForm(
  text: string,
  pattern: RegExp,
  isHeld: (name: string) => boolean,
): AuthoredPart | null {
  for (const { 0: whole, index, groups } of text.matchAll(pattern)) {
    const before = text.slice(0, index);
    if (isNegated(before)) continue;
    const listed = groups?.names ?? '';
    const every = listed
      .replace(/,? (?:et al\b\.?|and (?:co-?authors|colleagues|others))$/u, '')
      .split(/,? (?:and|&|or) |, /u);
    const names = [...new Set(every)].slice(0, MAX_NAMES);
    const isBare = names.some((name) => !name.includes(' '));
    // "Papers from China"
    if (pattern === FROM && isBare) continue;
    // "measured by Sharpe: ..." speaks of a measure.
    const isMeasure = pattern === BY && isBare && !IS_MARKED.test(text);
    if (isMeasure && !LAST.test(text.slice(index + whole.length))) continue;
    const isSure = pattern === LABELLED || (pattern === BY && WRITTEN.test(before));
    if (!isSure && !names.some(isHeld)) continue;
    const isAny = / or /u.test(listed);
    return { names, isAny, start: index, end: index + whole.length };
  }
  return null;
}

/** Names in lower case are those of the shelf, with given name and surname. */
function readLowerCase(text: string, isHeld: (name: string) => boolean): AuthoredPart | null {
  if (!IS_MARKED.test(text)) return null;
  for (const { index, 0: whole, groups } of text.matchAll(BY_LOWER)) {
    if (isNegated(text.slice(0, index))) continue;
    const words = (groups?.names ?? '').split(' ');
    const names: string[] = [];
    let [at, end] = [0, 0];
    while (at < words.length) {
      const length = [4, 3, 2].find((count) => {
        const name = words.slice(at, at + count);
        return name.length === count && isHeld(name.join(' '));
      });
      if (length === undefined) break;
      names.push(words.slice(at, at + length).join(' '));
      at += length;
      end = at;
      if (!/^(?:and|or|&)$/u.test(words[at] ?? '')) break;
      at += 1;
    }
    if (names.length === 0) continue;
    const isAny = words.slice(0, end).includes('or');
    const rest = words
      .slice(end)
      .map((word) => ` ${word}`)
      .join('').length;
    return { names, isAny, start: index, end: index + whole.length - rest };
  }
  return null;
}

/** The ids of the papers by an author, and the author's name as the shelf spells it. */
export interface Author {
  name: string;
  ids: number[];
}

/** The papers by the authors whose name fits; empty for an unknown one. */
export function findAuthor(db: Database, name: string): Author {
  const wanted = wordsOf(name);
  const surname = plainStems(name).at(-1);
  if (surname === undefined) return { name, ids: [] };
  const spellings = new Set<string>();
  const ids = listAuthored(db, surname).flatMap(({ id, authors }) => {
    const found = authors.find((author) => isSameAuthor(wanted, wordsOf(author)));
    if (found === undefined) return [];
    spellings.add(found);
    return [id];
  });
  const [only = name] = spellings;
  // A surname alone may be that of several authors.
  return { name: spellings.size > 1 ? name : only, ids };
}

/** Whether a name that was asked for, as words, is that of an author. */
function isSameAuthor(wanted: readonly string[], author: readonly string[]): boolean {
  const [first = '', last = ''] = [wanted[0], wanted.at(-1)];
  if (wanted.length === 1) return author.at(-1) === last;
  const isReversed = author.length === 2 && wanted.length === 2;
  if (isReversed && author[0] === last && author[1] === first) return true;
  if (author.at(-1) !== last) return false;
  let from = 0;
  return wanted.slice(0, -1).every((word) => {
    const next = author.slice(from, -1).findIndex((part) => part === word || isInitial(word, part));
    from += next + 1;
    return next >= 0;
  });
}

/** Whether one is the initial of the other. */
function isInitial(word: string, part: string): boolean {
  return word.charAt(0) === part.charAt(0) && Math.min(word.length, part.length) === 1;
}

/** Words without accents and in lower case; initials written together are taken apart. */
function wordsOf(name: string): string[] {
  const spelled = name
    .replace(/(\p{Lu})\.(?=\p{Lu})/gu, '$1. ')
    .replace(/[łŁ]/gu, 'l')
    .replace(/[øØ]/gu, 'o');
  return foldCase(spelled)
    .split(/[^\p{L}]+/u)
    .filter(Boolean);
}
