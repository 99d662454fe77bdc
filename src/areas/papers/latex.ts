import texFile from '../../../data/tex.json' with { type: 'json' };

const tableOf = (entries: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(entries));

/** TeX's accents as combining characters. */
const ACCENTS = tableOf(texFile.accents);
/** Commands for letters; TeX drops the space after them. */
const LETTERS = tableOf(texFile.letters);
/** Commands for symbols in text. Unknown commands are dropped, but their arguments stay. */
const SYMBOLS = tableOf(texFile.symbols);
/** Commands in formulas that become a word other than their name. */
const MATH_WORDS = tableOf(texFile.mathematics);
/** Commands in formulas that become their own name. */
const SPOKEN = new Set([...Object.values(texFile.greek), ...texFile.functions]);
/**
 * Maximum lengths of formulas, in UTF-16 code units, so that a stray dollar sign cannot swallow a
 * paragraph.
 */
const MAX_INLINE = 600;
const MAX_DISPLAY = 4_000;

/**
 * Text for display: accents, quotes, dashes and text commands become Unicode; formulas stay TeX
 * between dollar signs, and sums of money are left alone. Never throws; takes linear time.
 */
export function readableTex(text: string): string {
  if (!/[\\`'~{}$-]/.test(text)) return text;
  return readPieces(text, (tex, open) => {
    const mark = open === '$$' || open === '\\[' ? '$$' : '$';
    return `${mark}${tex.trim()}${mark}`;
  });
}

/** Text for search and vectors: like `readableTex`, but with formulas as words. */
export function plainTex(text: string): string {
  return /[\\`'~{}$-]/.test(text) ? readPieces(text, speakMath) : text;
}

/** Converts formulas with `readMath`, and the text around them with `readText`. */
function readPieces(text: string, readMath: (tex: string, open: string) => string): string {
  const formulas = findFormulas(text);
  const converted = formulas.map(({ tex, open }) => readMath(tex, open));
  let marked = '';
  let from = 0;
  for (const [place, { index, end }] of formulas.entries()) {
    marked += `${text.slice(from, index)}\ue000${place}\ue001`;
    from = end;
  }
  return readText(marked + text.slice(from))
    .replace(/\ue000(\d+)\ue001/g, (_, place: string) => converted[Number(place)] ?? '')
    .replace(/[^\S\n]+/g, ' ')
    .trim();
}

/** The formulas in a text: their ranges, delimiters included, and the TeX between delimiters. */
export function findFormulas(text: string) {
  const formulas: { index: number; end: number; open: string; tex: string }[] = [];
  // The next position of each closing delimiter, so that a missing one is searched for only once.
  const closes = new Map<string, number>();
  let from = 0;
  for (const { 0: open, index } of text.matchAll(/\\[\s\S]|\$\$?/g)) {
    if (open !== '$' && open !== '$$' && open !== '\\(' && open !== '\\[') continue;
    const start = index + open.length;
    const close = index < from ? -1 : findEnd(text, open, start, closes);
    if (close < 0) continue;
    from = close + open.length;
    formulas.push({ index, end: from, open, tex: text.slice(start, close) });
  }
  return formulas;
}

/** Index of the closing delimiter of the formula whose TeX begins at `start`, or -1. */
function findEnd(
  text: string,
  open: '$' | '$$' | '\\(' | '\\[',
  start: number,
  closes: Map<string, number>,
): number {
  const close = open === '\\(' ? '\\)' : open === '\\[' ? '\\]' : open;
  if (close !== '$') {
    let index = closes.get(close) ?? start - 1;
    if (index < start) {
      const next = text.indexOf(close, start);
      index = next < 0 ? Number.POSITIVE_INFINITY : next;
      closes.set(close, index);
    }
    return index > start && index + close.length <= start + MAX_DISPLAY ? index : -1;
  }
  const within = text.slice(start, start + MAX_INLINE);
  const [content = ''] = /^(?:[^\\$]|\\[\s\S])*(?=\$)/.exec(within) ?? [];
  return isMath(content, within[content.length + 1] ?? '') ? start + content.length : -1;
}

/**
 * Whether the content between dollar signs is a formula, not text between two sums of money. A
 * formula has hardly any words and, unless it has mathematical signs, obeys Pandoc's rule: no space
 * just inside the dollar signs, and no digit after them.
 */
function isMath(content: string, next: string): boolean {
  const tex = content.trim();
  const hasSigns = /[\\^_=<>]|^[-+−±×]+$/.test(tex);
  const words = tex.replace(/\\[A-Za-z]+(?:\{[^{}]*\})?/g, ' ').match(/[A-Za-z]{3,}/g) ?? [];
  // Text between two sums, as in "$1.2 million, 15\% more than $1.0 million".
  if (/^\d.*\s$/s.test(content)) return false;
  if (tex === '' || words.length > (hasSigns ? 3 : 1)) return false;
  if (hasSigns) return true;
  const isTight = content === tex || tex.length === 1;
  return isTight && !/\d/.test(next) && !/^\d.*\s/.test(tex);
}

const ACCENTED =
  /\\(["'`^~=.])\s*(?:\{\s*\\?(\p{L})\s*\}|\\([ij])(?![A-Za-z])\s?|\\?(\p{L}))|\\([uHvcdkbr])(?:\s*\{\s*\\?(\p{L})\s*\}|\s(\p{L}))/gu;
/** Commands dropped along with their argument, such as citations. */
const DROPPED =
  /[ ~]?\\(?:cite\w*|(?:page|eq|auto|name|[cC])?ref|label|footnote\w*|thanks|begin|end)\*?(?:\[[^\]]{0,200}\])*(?:\{[^{}]*\})?/g;
/** Commands whose first argument is not text, but a link target or a colour. */
const TARGET = /\\(?:href|textcolor)\s*\{[^{}]*\}/g;
/** A command, a backslash before a symbol (perhaps escaped twice), or a brace. */
const TOKEN = /\\([A-Za-z]+)\*?(\{\}|\s)?|\\(?:\\(?=[%$&_#]))?([\s\S])?|[{}]/g;

/** Converts TeX's text mode to Unicode. */
function readText(text: string): string {
  return (
    text
      .replace(DROPPED, '')
      .replace(/(?<!\s)\s*\(\s*\)/g, '')
      .replace(TARGET, '')
      .replace(ACCENTED, (_, sign, one, dotless, two, letter, three, four) => {
        return `${one ?? dotless ?? two ?? three ?? four}${ACCENTS.get(sign ?? letter) ?? ''}`;
      })
      // A tilde between two words is a space; elsewhere, as in "~5%" or a URL, it is literal.
      .replace(/(?<=[^\s/([])~(?=\S)/g, ' ')
      .replace(TOKEN, (_, name?: string, space = '', sign = '') => {
        if (name === undefined)
          return /[,;:\s\\]/.test(sign) ? ' ' : /[!@/-]/.test(sign) ? '' : sign;
        const letter = LETTERS.get(name);
        return letter ?? `${SYMBOLS.get(name) ?? ''}${space === '{}' ? '' : space}`;
      })
      .replace(/---/g, '—')
      .replace(/(?<=[\w)%\]”’\ue001])--(?=[\w(“‘\ue000])|(?<=\s)--(?=\s)/g, '–')
      .replace(/``/g, '“')
      .replace(/''/g, '”')
      .replace(/(?<![\w`])`([^`'\n]{1,60})'(?![\w'])/g, '‘$1’')
      .normalize('NFC')
  );
}

const TYPESET =
  /^(?:math(?:bb|bf|cal|frak|it|rm|scr|sf|tt)|[dt]?frac|hat|bar|tilde|vec|cdot|circ|[lr]brace)$/;

/** Whether a command, given without its backslash, is a known mathematical one. */
export function isMathCommand(command: string): boolean {
  return MATH_WORDS.has(command) || SPOKEN.has(letterOf(command)) || TYPESET.test(command);
}

/** The name of a Greek letter, without "var" and in lower case. */
const letterOf = (command: string) => command.replace(/^var/, '').toLowerCase();

/** A formula as words: `\sigma_t` is "sigma t", `L^2` is "L2", `\frac{a}{b}` is "a b". */
function speakMath(tex: string): string {
  return tex
    .replace(/~|(?<!\\)\$/g, ' ')
    .replace(/\\([A-Za-z]+)/g, (_, command: string) => {
      const name = letterOf(command);
      const word = MATH_WORDS.get(command) ?? (SPOKEN.has(name) ? name : '');
      return word === '' ? '' : ` ${word} `;
    })
    .replace(/\\([\s\S])?/g, (_, sign = '') => (/[%$#]/.test(sign) ? sign : ' '))
    .replace(/(?<![A-Za-z])([A-Za-z])[_^]\{?(\d)\}?(?!\d)/g, '$1$2')
    .replace(/\}\s*\{|[_^&]/g, ' ')
    .replace(/[{}]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
