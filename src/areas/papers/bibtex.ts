import { toAscii } from '../../core/text.ts';
import { isStopWord } from '../../search/tokenise.ts';
import { arxivIdOf, isOwnId, monthOf } from './arxiv/ids.ts';
import { findFormulas, isMathCommand, plainTex } from './latex.ts';
import type { PaperRow } from './queries.ts';

/** The facts that go into a BibTeX entry. */
export type CitedPaper = Pick<
  PaperRow,
  'sourceId' | 'title' | 'authors' | 'categories' | 'published' | 'doi'
>;

const MAX_KEY_PART = 30;
/**
 * A name with a suffix such as "Jr.", after a comma or at least two words. "V" may be a surname, so
 * it is a suffix only after a comma.
 */
const SUFFIX =
  /^(.+?)(?:,\s*|(?<=\s\S+)\s+(?=(?:jr|sr|ii|iii|iv|2nd|3rd)\.?$))((?:jr|sr|[ivx]{1,4}|\d(?:nd|rd|th)|esq|ph\.?d|m\.?d)\.?)$/i;
/** Group names, which have no surname, and names that contain BibTeX's keyword "and". */
const GROUP =
  /^the\s|\b(?:and|of|for|association|collaboration|committee|consortium|group|institute|network|project|team|university)\b/i;
/** The last word, or everything from a particle such as "van" that is not the first word. */
const SURNAME = /(?<=\s)\p{Ll}\S*\s.*$|(?<!\S)\S+$/u;
/** A name that needs braces: it has a special TeX character, a quotation mark or two commas. */
const SPECIAL = /[&%$#_{}~^\\<>|"]|,.*,/;

/** Commands for characters that a backslash does not escape; in BibTeX these include braces. */
const COMMANDS: Readonly<Record<string, string>> = {
  '{': 'textbraceleft{}',
  '}': 'textbraceright{}',
  '~': 'textasciitilde{}',
  '^': 'textasciicircum{}',
  '\\': 'textbackslash{}',
  '<': 'textless{}',
  '>': 'textgreater{}',
  '|': 'textbar{}',
};

/** A UTF-8 entry for BibTeX and biblatex; title and authors are escaped, except for formulas. */
export function toBibtex(paper: CitedPaper): string {
  const authors = paper.authors.map(oneLine).filter((name) => name !== '');
  const eprint = isOwnId(paper.sourceId) ? undefined : arxivIdOf(paper.sourceId);
  const fields: readonly (readonly [string, string | undefined])[] = [
    // Double braces keep styles from changing capitals.
    ['title', `{${titleToBibtex(oneLine(paper.title))}}`],
    ['author', authors.map(nameToBibtex).join(' and ') || undefined],
    ['year', paper.published.slice(0, 4) || undefined],
    ['eprint', eprint],
    ['archivePrefix', eprint && 'arXiv'],
    ['primaryClass', paper.categories[0]],
    ['doi', plainDoi(paper.doi)],
  ];
  const lines = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name} = {${value}}`],
  );
  return `@misc{${keyOf(paper)},\n${lines.join(',\n')}\n}`;
}

/**
 * The citation key: surname, year and first significant word of the title, in lower-case ASCII. For
 * an arXiv paper, the year comes from the id, which never changes, unlike the publication date.
 */
function keyOf({ authors, sourceId, title, published }: CitedPaper): string {
  const [name = ''] = authors;
  const person = (SUFFIX.exec(name)?.[1] ?? name).replace(/,.*/, '');
  const surname = GROUP.test(name)
    ? name.replace(/^the\s/i, '')
    : (SURNAME.exec(person)?.[0] ?? '');
  const letters = asciiOf(surname).replace(/[^a-z0-9]/g, '');
  const words = asciiOf(plainTex(title)).match(/(?<![a-z0-9])\d*[a-z][a-z0-9]*/g) ?? [];
  const word = words.find((each) => !isStopWord(each)) ?? words[0] ?? '';
  // A name in a non-Latin script yields no ASCII letters.
  const author = letters.slice(0, MAX_KEY_PART) || (isOwnId(sourceId) ? 'own' : 'arxiv');
  const year = (isOwnId(sourceId) ? published : monthOf(sourceId)).slice(0, 4);
  return author + year + word.slice(0, MAX_KEY_PART);
}

const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

const asciiOf = (text: string) => toAscii(text.replace(/['’]/gu, ''));

/** The field's first DOI that needs no escaping: styles copy it verbatim into a link. */
function plainDoi(doi: string | null): string | undefined {
  return doi?.split(/\s+/).find((each) => /^10\.\d{4,9}\/[^\s{}\\%^]+$/.test(each));
}

/** Keeps harmless formulas as TeX and escapes everything else. */
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

/** A formula for BibTeX; null unless it is plain, balanced mathematics. */
function mathToBibtex(tex: string): string | null {
  const math = tex.replace(/\\\{/g, '\\lbrace ').replace(/\\\}/g, '\\rbrace ').trim();
  // "^^" with two hex digits is TeX notation for any character, including a backslash.
  const isPlain = /^(?:[^\\%#&$^]|\^(?!\^)|\\[A-Za-z]+(?![A-Za-z])|\\[,;:!| %#&])*$/.test(math);
  const areHarmless = (math.match(/(?<=\\)[A-Za-z]+/g) ?? []).every(isMathCommand);
  // Remove balanced groups from the inside out.
  let left = math;
  while (/\{[^{}]*\}/.test(left)) left = left.replace(/\{[^{}]*\}/g, '');
  return isPlain && areHarmless && !/[{}]/.test(left) ? `$${math}$` : null;
}

function nameToBibtex(name: string): string {
  // Braces keep BibTeX from splitting the name.
  if (GROUP.test(name) || SPECIAL.test(name) || /^,|,$/.test(name)) return `{${escapeTex(name)}}`;
  const [, person = '', suffix] = SUFFIX.exec(name) ?? [];
  if (suffix === undefined || person.includes(',')) return name;
  const [last = ''] = SURNAME.exec(person) ?? [];
  const first = person.slice(0, -last.length).trim();
  return [last, suffix, first].filter((part) => part !== '').join(', ');
}

function escapeTex(text: string): string {
  return text.replace(/[&%$#_{}~^\\<>|]/g, (sign) => `\\${COMMANDS[sign] ?? sign}`);
}
