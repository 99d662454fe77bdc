import texFile from '../../../data/tex.json' with { type: 'json' };

const tableOf = (entries: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(entries));

/** TeX's accents as combining characters. */
const ACCENTS = tableOf(texFile.accents);
/** Commands for letters, which swallow the space that follows. */
const LETTERS = tableOf(texFile.letters);
/** Commands for symbols in text; any other command is dropped, and its argument stays. */
const SYMBOLS = tableOf(texFile.symbols);
/** Commands in formulas that become another word than their name. */
const MATH_WORDS = tableOf(texFile.mathematics);
/** Names of Greek letters, variants included, so that "σ" and "\sigma" are the same word. */
const GREEK_NAMES = tableOf(texFile.greek);
/** Commands in formulas that become words; others only typeset. */
const SPOKEN = new Set([...GREEK_NAMES.values(), ...texFile.functions]);
/** Longest formulas, in UTF-16 code units, so that a stray dollar cannot swallow a paragraph. */
const MAX_INLINE = 600;
const MAX_DISPLAY = 4_000;

/**
 * A tilde that says "about" or "distributed as", or stands in a URL; TeX's own, a space that breaks no
 * line, joins words.
 */
const LITERAL_TILDE = /(?<=^|[\s([])~(?=\s|[\d$€£.<]|\\\$)|(?<=:\/\/\S{1,200}\/)~(?=\w)/g;

/**
 * Text for display: accents, quotes, dashes and text commands become Unicode; formulas stay TeX
 * between dollar signs, and sums of money are left alone. Never throws; takes linear time.
 */
export function readableTex(text: string): string {
  if (!/[\\`'~{}$-]/.test(text)) return text;
  const kept = readPieces(text.replace(LITERAL_TILDE, '\ue002'), (tex, open) => {
    const mark = open === '$$' || open === '\\[' ? '$$' : '$';
    return `${mark}${tex.trim()}${mark}`;
  });
  return kept.replaceAll('\ue002', '~');
}

/** Text for search and vectors: the same, but formulas become words. */
export function plainTex(text: string): string {
  if (!/[\\`'~{}$\u0370-\u03ff-]/.test(text)) return text;
  return nameGreek(readPieces(text, speakMath));
}

/** Converts formulas separately: placeholders stand for them while the text is converted. */
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

/** The formulas of a text: the range including the delimiters, and the TeX between them. */
export function findFormulas(text: string) {
  const formulas = [];
  let from = 0;
  for (const { 0: open, index } of text.matchAll(/\\[\s\S]|\$\$?/g)) {
    if (open !== '$' && open !== '$$' && open !== '\\(' && open !== '\\[') continue;
    const start = index + open.length;
    const close = index < from ? -1 : findEnd(text, open, start);
    if (close < 0) continue;
    from = close + open.length;
    formulas.push({ index, end: from, open, tex: text.slice(start, close) });
  }
  return formulas;
}

/** Index of the delimiter that closes the formula whose TeX begins at `start`, or -1. */
function findEnd(text: string, open: '$' | '$$' | '\\(' | '\\[', start: number): number {
  const close = open === '\\(' ? '\\)' : open === '\\[' ? '\\]' : open;
  if (close !== '$') {
    const index = text.slice(start, start + MAX_DISPLAY).indexOf(close);
    return index > 0 ? start + index : -1;
  }
  const within = text.slice(start, start + MAX_INLINE);
  const [content = ''] = /^(?:[^\\$]|\\[\s\S])*(?=\$)/.exec(within) ?? [];
  return looksLikeMath(content, within[content.length + 1] ?? '') ? start + content.length : -1;
}

/**
 * Distinguishes a formula from text between two sums of money: Pandoc's rule (no space inside the
 * dollar signs, no digit after them), relaxed for mathematical symbols and tightened for prose.
 */
function looksLikeMath(content: string, next: string): boolean {
  const tex = content.trim();
  const hasSigns = /[\\^_]/.test(tex);
  const hasRelation = hasSigns || /[=<>]/.test(tex);
  const prose = tex.replace(/\\[A-Za-z]+(?:\{[^{}]*\})?|\{[^{}]*\}/g, ' ');
  const words = /\s/.test(prose.trim()) ? (prose.match(/[A-Za-z]{3,}/g)?.length ?? 0) : 0;
  if (tex === '' || words > 3 || (words > 1 && !hasRelation)) return false;
  if (/\d/.test(next) && !hasSigns && !/^[-+−<>=~≈±×]+$/.test(tex)) return false;
  if (/^\d/.test(tex)) {
    return content === content.trimEnd() && (hasRelation || /^[\d.,+\-/*(){}A-Z]+$/.test(tex));
  }
  return content === tex || hasSigns || tex.length <= 3;
}

const ACCENTED =
  /\\(["'`^~=.])\s*(?:\{\s*\\?(\p{L})\s*\}|\\?(\p{L}))|\\([uHvcdkbr])(?:\s*\{\s*\\?(\p{L})\s*\}|\s(\p{L}))/gu;
/** Commands dropped along with their argument, such as references to what is not in the text. */
const DROPPED =
  /[ ~]?\\(?:cite\w*|(?:page|eq|auto|name|[cC])?ref|label|footnote\w*|thanks|begin|end)\*?(?:\[[^\]]{0,200}\])*(?:\{[^{}]*\})?/g;
/** Commands whose first argument is not text, but a link target or a colour. */
const TARGET = /\\(?:href|textcolor)\s*\{[^{}]*\}/g;
/** Font switches, dashes and quotes: as in TeX, they swallow the space that follows. */
const SWITCH =
  /^(?:em|it|bf|sc|rm|tt|[a-z]+(?:shape|series|family)|text(?:en|em)dash|textquote\w+)$/;
/** A command; a backslash before a sign, perhaps escaped twice; a brace; a tie. */
const TOKEN = /\\([A-Za-z]+)\*?(\{\}|\s)?|\\(?:\\(?=[%$&_#]))?([\s\S])?|[{}~]/g;

/** Text mode, converted to Unicode. */
function readText(text: string): string {
  return text
    .replace(DROPPED, '')
    .replace(/\s*\(\s*\)/g, '')
    .replace(TARGET, '')
    .replace(ACCENTED, (_, sign, one, two, letter, three, four) => {
      return `${one ?? two ?? three ?? four}${ACCENTS.get(sign ?? letter) ?? ''}`;
    })
    .replace(TOKEN, (token, name?: string, space = '', sign = '') => {
      if (name === undefined) {
        if (/[,;:\s\\]/.test(sign) || token === '~') return ' ';
        return /[!@/-]/.test(sign) ? '' : sign;
      }
      const letter = LETTERS.get(name);
      const isTight = letter !== undefined || SWITCH.test(name) || space === '{}';
      return `${letter ?? SYMBOLS.get(name) ?? ''}${isTight ? '' : space}`;
    })
    .replace(/---/g, '—')
    .replace(/(?<=[\w)%\]”’\ue001])--(?=[\w(“‘\ue000])|(?<=\s)--(?=\s)/g, '–')
    .replace(/``/g, '“')
    .replace(/''/g, '”')
    .replace(/(?<![\w`])`([^`'\n]{1,60})'(?![\w'])/g, '‘$1’')
    .normalize('NFC');
}

const TYPESET =
  /^(?:math(?:bb|bf|cal|frak|it|rm|scr|sf|tt)|[dt]?frac|hat|bar|tilde|vec|cdot|circ|[lr]brace)$/;

/** Whether a command, without its backslash, only typesets mathematics. */
export function isMathCommand(command: string): boolean {
  return MATH_WORDS.has(command) || SPOKEN.has(letterOf(command)) || TYPESET.test(command);
}

/** The name of a Greek letter without its variant and capital. */
const letterOf = (command: string) => command.replace(/^var/, '').toLowerCase();

const FRACTION =
  /\\[dtc]?frac\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|(\w))\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|(\w))/g;

/** A formula as words: `\sigma_t^2` is "sigma t2", `L^2` is "L2", `\frac{a}{b}` is "a/b". */
function speakMath(tex: string): string {
  return tex
    .replace(/~|(?<!\\)\$/g, ' ')
    .replace(FRACTION, (_, above, one, below, two) => ` ${above ?? one}/${below ?? two} `)
    .replace(/\\(?:left|right)(?![A-Za-z])\s*\.?/g, '')
    .replace(/\\([A-Za-z]+)/g, (_, command: string) => {
      const name = letterOf(command);
      const word = MATH_WORDS.get(command) ?? (SPOKEN.has(name) ? name : '');
      return word === '' ? '' : ` ${word} `;
    })
    .replace(/\\([\s\S])?/g, (_, sign = '') => (/[%$#]/.test(sign) ? sign : ' '))
    .replace(/\{(\w)\}/g, '$1')
    .replace(/(?<![A-Za-z])([A-Za-z])\s?[_^]\s?(\d)(?!\d)/g, '$1$2')
    .replace(/(\d)\^\{?(-?\w+)\}?/g, '$1\ue003$2')
    .replace(/[{}]/g, '')
    .replace(/[_^&]/g, ' ')
    .replace(/\ue003/g, '^')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[%,.)\]])/g, '')
    .trim();
}

/** Spells out single Greek letters, as in "\alpha", so that both spellings match. */
function nameGreek(text: string): string {
  const alone = /(?<![\u0370-\u03ff])([\u0391-\u03f5])[\u0300-\u036f]*(?![\u0370-\u03ff])/g;
  return text.replace(alone, (whole, letter: string, at: number) => {
    const name = GREEK_NAMES.get(letter.toLowerCase());
    if (name === undefined) return whole;
    const before = /[A-Za-z\d]/.test(text[at - 1] ?? '') ? ' ' : '';
    const after = /[A-Za-z\d]/.test(text[at + whole.length] ?? '') ? ' ' : '';
    return `${before}${name}${after}`;
  });
}
