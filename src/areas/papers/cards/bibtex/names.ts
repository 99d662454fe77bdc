import { escapeTex } from './escape.ts';

const SUFFIX = /^(?:jr|sr|ii|iii|iv|2nd|3rd)\.?$/i;
/** Behind a comma these are suffixes too; without one, "V" may be a surname. */
const SUFFIX_BEHIND_COMMA = /^(?:jr|sr|[ivx]{1,4}|\d(?:nd|rd|th)|esq|ph\.?d|m\.?d)\.?$/i;
/** Names of groups, which have no surname. BibTeX takes "and" and "others" for its own words. */
const GROUP =
  /^the\s|\b(?:and|of|for)\b|^others$|\b(?:association|collaboration|committee|consortium|foundation|group|initiative|institute|network|project|team|university)\b/i;

interface PersonName {
  /** With what stands between the names, such as "van der". */
  last: string;
  first: string;
  suffix: string;
}

/** A name as BibTeX reads it, whoever or whatever bears it. `name` has the forenames first. */
export function nameToBibtex(name: string): string {
  const person = splitName(name);
  // In braces it is one word, which no program takes apart.
  if (person === null || /[&%$#_{}~^\\<>|"]/.test(name)) return `{${escapeTex(name).trim()}}`;
  const { last, first, suffix } = person;
  if (suffix !== '') return [last, suffix, first].filter((part) => part !== '').join(', ');
  return name.includes(',') ? `${last}, ${first}` : [first, last].join(' ').trim();
}

/** The surname, or the whole name of a group. */
export function surnameOf(name: string): string {
  return splitName(name)?.last ?? name.replace(/^the\s/i, '');
}

/** Null for a group, and for more commas than a name has. */
function splitName(name: string): PersonName | null {
  const parts = name
    .split(',')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .filter((part) => part !== '');
  const [whole = '', behind = ''] = parts;
  if (whole === '' || parts.length > 2 || GROUP.test(name.trim())) return null;
  if (behind !== '' && !SUFFIX_BEHIND_COMMA.test(behind)) {
    return { last: whole, first: behind, suffix: '' };
  }
  const words = whole.split(' ');
  const hasSuffix = behind === '' && words.length > 2 && SUFFIX.test(words.at(-1) ?? '');
  const suffix = hasSuffix ? (words.pop() ?? '') : behind;
  // A lower-case word behind the first begins the surname, as "van" does; else it is the last word.
  const particle = words.findIndex((word, at) => at > 0 && /^\p{Ll}/u.test(word));
  const start = particle > 0 && particle < words.length - 1 ? particle : words.length - 1;
  return { last: words.slice(start).join(' '), first: words.slice(0, start).join(' '), suffix };
}
