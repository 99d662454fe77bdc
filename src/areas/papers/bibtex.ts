import { toAscii } from '../../core/text.ts';
import { arxivIdOf, monthOf } from './arxiv/ids.ts';
import { findFormulas, isMathCommand, plainTex } from './latex.ts';

/** The facts of a bibliography entry. */
export interface CitedPaper {
  sourceId: string;
  title: string;
  /** Forenames first. */
  authors: readonly string[];
  categories: readonly string[];
  /** YYYY-MM-DD or YYYY-MM. */
  published: string;
  /** May hold several, separated by spaces. */
  doi: string | null;
}

/** Further authors become "and others". */
const MAX_AUTHORS = 100;
const MAX_KEY_PART = 30;
const STOP_WORDS = new Set(
  `a an and are as at be beyond by can do does for from how if in into is it its not of on or our the
  their these this to toward towards under using via we what whats when where which who why with
  without your`.split(/\s+/),
);

const SUFFIX = /^(?:jr|sr|ii|iii|iv|2nd|3rd)\.?$/i;
/** Suffixes after a comma. Without a comma, "V" may be a surname. */
const SUFFIX_AFTER_COMMA = /^(?:jr|sr|[ivx]{1,4}|\d(?:nd|rd|th)|esq|ph\.?d|m\.?d)\.?$/i;
/** Group names, which have no surname. "and" and "others" are keywords of BibTeX. */
const GROUP =
  /^the\s|\b(?:and|of|for)\b|^others$|\b(?:association|collaboration|committee|consortium|foundation|group|initiative|institute|network|project|team|university)\b/i;

interface PersonName {
  /** Including particles such as "van der". */
  last: string;
  first: string;
  suffix: string;
}

/**
 * TeX's special characters as text. Braces are spelled as commands: BibTeX counts even escaped ones,
 * so an unbalanced brace would end the field.
 */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...['&', '%', '$', '#', '_'].map((sign): [string, string] => [sign, `\\${sign}`]),
  ['{', '\\textbraceleft{}'],
  ['}', '\\textbraceright{}'],
  ['~', '\\textasciitilde{}'],
  ['^', '\\textasciicircum{}'],
  ['\\', '\\textbackslash{}'],
  ['<', '\\textless{}'],
  ['>', '\\textgreater{}'],
  ['|', '\\textbar{}'],
]);

/** A UTF-8 entry for BibTeX and biblatex; its fields typeset as the arXiv record reads. */
export function toBibtex(paper: CitedPaper): string {
  const names = paper.authors.map(oneLine).filter((name) => name !== '');
  const authors = names.slice(0, MAX_AUTHORS).map(nameToBibtex);
  if (names.length > MAX_AUTHORS) authors.push('others');
  const fields: readonly (readonly [string, string | undefined])[] = [
    // Twice in braces, so that no style changes its capitals.
    ['title', `{${titleToBibtex(oneLine(paper.title))}}`],
    ['author', authors.length === 0 ? undefined : authors.join(' and ')],
    ['year', paper.published.slice(0, 4)],
    ['eprint', arxivIdOf(paper.sourceId)],
    ['archivePrefix', 'arXiv'],
    ['primaryClass', paper.categories[0]],
    ['doi', plainDoi(paper.doi)],
  ];
  const lines = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name} = {${value}}`],
  );
  return `@misc{${keyOf(paper)},\n${lines.join(',\n')}\n}`;
}

/**
 * Surname, year and first significant word of the title, in lower-case ASCII. The year is the id's,
 * so that the key is stable when the publication date becomes known.
 */
function keyOf({ authors, sourceId, title }: CitedPaper): string {
  const surname = asciiOf(surnameOf(authors[0] ?? '')).replace(/[^a-z0-9]/g, '');
  const words = asciiOf(plainTex(title)).match(/[a-z0-9]*[a-z][a-z0-9]*/g) ?? [];
  const word = words.find((each) => !STOP_WORDS.has(each)) ?? words[0] ?? '';
  // A name in a non-Latin script leaves no ASCII letters.
  const name = surname.slice(0, MAX_KEY_PART) || 'arxiv';
  return name + monthOf(sourceId).slice(0, 4) + word.slice(0, MAX_KEY_PART);
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

function asciiOf(text: string): string {
  return toAscii(text.replace(/['’]/gu, ''));
}

/** The first DOI that needs no escaping, since styles use the field verbatim for a link. */
function plainDoi(doi: string | null): string | undefined {
  return doi?.split(/\s+/).find((each) => /^10\.\d{4,9}\/[^\s{}\\%^]+$/.test(each));
}

/** The title: formulas stay TeX where they are harmless, the rest is escaped. */
function titleToBibtex(title: string): string {
  let out = '';
  let from = 0;
  for (const { index, end, tex } of findFormulas(title)) {
    const math = mathToBibtex(tex);
    if (math === null) continue;
    out += escapeTex(title.slice(from, index)) + math;
    from = end;
  }
  return out + escapeTex(title.slice(from));
}

/** Null unless it is plain, balanced mathematics. */
function mathToBibtex(tex: string): string | null {
  const math = tex
    .replace(/\\\{/g, '\\lbrace ')
    .replace(/\\\}/g, '\\rbrace ')
    .replace(/(?<!\\)[%#]/g, '\\$&')
    .trim();
  const commands = math.match(/\\[A-Za-z]+|\\[\s\S]?/g) ?? [];
  const isHarmless = commands.every((command) => {
    return isMathCommand(command.slice(1)) || /^\\[,;:!| %#$&_-]$/.test(command);
  });
  // "^^" with two hex digits is TeX notation for any character, including a backslash.
  if (!isHarmless || /(?<!\\)[&$]|\^\^/.test(math) || !isBalanced(math)) return null;
  return `$${math}$`;
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const sign of text) {
    if (sign === '{') depth += 1;
    if (sign === '}') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** The name of a person or group in BibTeX syntax. `name` has the forenames first. */
function nameToBibtex(name: string): string {
  const person = splitName(name);
  // Braces keep BibTeX from splitting it.
  if (person === null || /[&%$#_{}~^\\<>|"]/.test(name)) return `{${escapeTex(name).trim()}}`;
  const { last, first, suffix } = person;
  if (suffix !== '') return [last, suffix, first].filter((part) => part !== '').join(', ');
  return name.includes(',') ? `${last}, ${first}` : [first, last].join(' ').trim();
}

/** The surname, or the whole name of a group. */
function surnameOf(name: string): string {
  return splitName(name)?.last ?? name.replace(/^the\s/i, '');
}

/** Null for a group, and for a name with more than one comma. */
function splitName(name: string): PersonName | null {
  const parts = name
    .split(',')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .filter((part) => part !== '');
  const [whole = '', afterComma = ''] = parts;
  if (whole === '' || parts.length > 2 || GROUP.test(name.trim())) return null;
  if (afterComma !== '' && !SUFFIX_AFTER_COMMA.test(afterComma)) {
    return { last: whole, first: afterComma, suffix: '' };
  }
  const words = whole.split(' ');
  const hasSuffix = afterComma === '' && words.length > 2 && SUFFIX.test(words.at(-1) ?? '');
  const suffix = hasSuffix ? (words.pop() ?? '') : afterComma;
  // A lower-case word after the first, such as "van", starts the surname; else it is the last word.
  const particle = words.findIndex((word, at) => at > 0 && /^\p{Ll}/u.test(word));
  const start = particle > 0 && particle < words.length - 1 ? particle : words.length - 1;
  return { last: words.slice(start).join(' '), first: words.slice(0, start).join(' '), suffix };
}

/** Escapes TeX's special characters; non-ASCII letters stay UTF-8. */
function escapeTex(text: string): string {
  return text.replace(/[&%$#_{}~^\\<>|]/g, (sign) => ESCAPES.get(sign) ?? sign);
}
