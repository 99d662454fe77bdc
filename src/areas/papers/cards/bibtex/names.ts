import { escapeTex } from './escape.ts';

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

/** The name of a person or group in BibTeX syntax. `name` has the forenames first. */
export function nameToBibtex(name: string): string {
  const person = splitName(name);
  // Braces keep BibTeX from splitting it.
  if (person === null || /[&%$#_{}~^\\<>|"]/.test(name)) return `{${escapeTex(name).trim()}}`;
  const { last, first, suffix } = person;
  if (suffix !== '') return [last, suffix, first].filter((part) => part !== '').join(', ');
  return name.includes(',') ? `${last}, ${first}` : [first, last].join(' ').trim();
}

/** The surname, or the whole name of a group. */
export function surnameOf(name: string): string {
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
