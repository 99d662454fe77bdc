import texFile from '../../../../../data/tex.json' with { type: 'json' };
import { findFormulas } from '../../digest/latex.ts';
import { escapeTex } from './escape.ts';

/** Commands that only typeset mathematics; a formula with any other is escaped as text. */
const MATH_COMMANDS: ReadonlySet<string> = new Set(texFile.mathematics);

/**
 * The title of a bibliography entry, from one line: formulas stay TeX, the rest is escaped, and words
 * whose capitals matter are in braces, since many styles lower-case titles.
 */
export function titleToBibtex(title: string): string {
  const isProper = properNouns(title);
  const isAllCapitals = /\s/.test(title) && !/\p{Ll}/u.test(title);
  let out = '';
  let from = 0;
  const addText = (text: string) => {
    for (const word of text.split(/(\s+)/)) {
      const isFirst = out === '' || out.endsWith(': ');
      out += isAllCapitals ? escapeTex(word) : protectWord(word, isFirst ? () => false : isProper);
    }
  };
  for (const { index, end, tex } of findFormulas(title)) {
    const math = mathToBibtex(tex);
    if (math === null) continue;
    addText(title.slice(from, index));
    out += math;
    from = end;
  }
  addText(title.slice(from));
  return out;
}

/** In braces, so that no style changes its case; null unless it is plain, balanced mathematics. */
function mathToBibtex(tex: string): string | null {
  const math = tex
    .replace(/\\\{/g, '\\lbrace ')
    .replace(/\\\}/g, '\\rbrace ')
    .replace(/(?<!\\)[%#]/g, '\\$&')
    .trim();
  const commands = math.match(/\\[A-Za-z]+|\\[\s\S]?/g) ?? [];
  const isHarmless = commands.every((command) => {
    return MATH_COMMANDS.has(command.slice(1)) || /^\\[,;:!| %#$&_-]$/.test(command);
  });
  // "^^" with two hex digits is TeX notation for any character, including a backslash.
  if (!isHarmless || /(?<!\\)[&$]|\^\^/.test(math) || !isBalanced(math)) return null;
  return `{$${math}$}`;
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

/**
 * A test for proper nouns: in a title in sentence case, every capitalised word is one; in title case
 * they cannot be told apart, so none is.
 */
function properNouns(title: string): (part: string) => boolean {
  const words = title.split(/[\s–—/-]+/).slice(1);
  const long = words.filter((word) => /^\p{L}{4}/u.test(word));
  const capitalised = long.filter((word) => /^\p{Lu}/u.test(word)).length;
  const isSentence = capitalised < long.length / 2;
  return (part) => isSentence && /^\p{Lu}\p{Ll}/u.test(part);
}

/** Braces a word, without its punctuation, when its capitals matter: "SPX", "McKean", "U.S.", "Q". */
function protectWord(word: string, isProper: (part: string) => boolean): string {
  const [, before = '', core = '', after = ''] =
    /^([^\p{L}\p{N}]*)(.*?(?:(?<=\.\p{Lu})\.)?)([^\p{L}\p{N}]*)$/su.exec(word) ?? [];
  const needsCapital = core.split(/[-–—/]/).some((part) => {
    return /.\p{Lu}/su.test(part) || /^(?![AI]$)\p{Lu}$/u.test(part) || isProper(part);
  });
  const escaped = escapeTex(core);
  return escapeTex(before) + (needsCapital ? `{${escaped}}` : escaped) + escapeTex(after);
}
