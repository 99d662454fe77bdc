import { ACCENTS, COMMAND_WORDS, DROPPED, LETTERS, SYMBOLS } from './latex-tables.ts';

/** A stretch of text, or of TeX between its delimiters. */
interface Piece {
  math: boolean;
  display: boolean;
  text: string;
}

/** No formula of a title or an abstract is longer; a stray dollar must not swallow a paragraph. */
const MAX_MATH = 600;
/** Commands within commands within commands. */
const MAX_DEPTH = 8;

/**
 * Text as people read it: accents, quotes, dashes and text commands become Unicode; formulas stay
 * TeX between `$`, and sums of money stay what they are.
 */
export function readableTex(text: string): string {
  if (!/[\\`'~{}-]/.test(text)) return text;
  return splitMath(text)
    .map(({ math, display, text: piece }) => {
      if (!math) return readText(piece);
      return display ? `$$${piece}$$` : `$${piece}$`;
    })
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .trim();
}

/** The same for words and vectors: formulas become the words they would be read as. */
export function plainTex(text: string): string {
  if (!/[\\`'~{}$-]/.test(text)) return text;
  return splitMath(text)
    .map(({ math, text: piece }) => (math ? speakMath(piece) : readText(piece)))
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .trim();
}

/**
 * Parts text and formulas. By Pandoc's rule a dollar opens a formula when something follows it at
 * once, and closes one when something stands right before it and no digit after it: so "$5 to $10"
 * is money.
 */
function splitMath(text: string): Piece[] {
  const pieces: Piece[] = [];
  const delimiter = /\\\$|\$\$?|\\\(|\\\[/g;
  let from = 0;
  for (let found = delimiter.exec(text); found !== null; found = delimiter.exec(text)) {
    const [open] = found;
    const start = found.index + open.length;
    const end = open === '\\$' ? -1 : findEnd(text, open, start);
    if (end < 0) continue;
    if (found.index > from) {
      pieces.push({ math: false, display: false, text: text.slice(from, found.index) });
    }
    pieces.push({
      math: true,
      display: open === '$$' || open === '\\[',
      text: text.slice(start, end).trim(),
    });
    from = end + open.length;
    delimiter.lastIndex = from;
  }
  if (from < text.length) pieces.push({ math: false, display: false, text: text.slice(from) });
  return pieces;
}

const CLOSING: Readonly<Record<string, string>> = { '\\(': '\\)', '\\[': '\\]' };

function findEnd(text: string, open: string, start: number): number {
  const close = CLOSING[open] ?? open;
  const within = text.slice(start, start + MAX_MATH);
  if (close !== '$') return indexIn(within, close, start);
  if (within === '' || /^[\s$]/.test(within)) return -1;
  const found = /(?<![\s\\])\$(?!\d)/.exec(within);
  const first = /(?<!\\)\$/.exec(within);
  // Only the very next dollar may close it.
  return found === null || first?.index !== found.index ? -1 : start + found.index;
}

function indexIn(within: string, close: string, start: number): number {
  const index = within.indexOf(close);
  return index <= 0 ? -1 : start + index;
}

/** Text mode as Unicode. */
function readText(text: string): string {
  if (!/[\\`'~{}-]/.test(text)) return text;
  const accented = text
    .replace(/\\([`'^"~=.])\s*(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))/g, readAccent)
    .replace(/\\([uvHckrbd])(?:\s*\{\\?([A-Za-z])\}|\s+([A-Za-z])(?![A-Za-z]))/g, readAccent)
    .replace(
      /\\(ss|oe|OE|ae|AE|aa|AA|o|O|l|L|i|j)(?![A-Za-z])(?:\{\}|\s)?/g,
      (_, name: string) => LETTERS[name] ?? '',
    );
  return unwrapCommands(accented)
    .replace(/\\([%$&_#{}])/g, '$1')
    .replace(/\\[,;:! ]|(?<!\\)~/g, ' ')
    .replace(/---/g, '—')
    .replace(/(?<=[\s\w)])--(?=[\s\w(])/g, '–')
    .replace(/``/g, '“')
    .replace(/''/g, '”')
    .normalize('NFC');
}

function readAccent(whole: string, accent: string, braced?: string, bare?: string): string {
  const mark = ACCENTS[accent];
  const letter = braced ?? bare;
  return mark === undefined || letter === undefined ? whole : `${letter}${mark}`;
}

/** Commands from the inside out: some go with their argument, the rest leave it behind. */
function unwrapCommands(text: string): string {
  let open = text.replace(/\\href\s*\{[^{}]*\}\s*\{([^{}]*)\}/g, '$1');
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const next = open
      .replace(/\\([A-Za-z]+)\*?\s*(?:\[[^\][]*\])?\{([^{}\\]*)\}/g, (_, name: string, argument) =>
        DROPPED.test(name) ? '' : String(argument),
      )
      .replace(/(?<!\\|\\[A-Za-z]{1,20}\*?\s?)\{([^{}]*)(?<!\\)\}/g, '$1');
    if (next === open) break;
    open = next;
  }
  return open.replace(/\\([A-Za-z]+)(?![A-Za-z])\s?/g, (whole, name: string) => {
    const symbol = SYMBOLS[name];
    if (symbol === undefined) return /\s$/.test(whole) ? ' ' : '';
    return /\s$/.test(whole) && !/\w$/.test(symbol) ? `${symbol} ` : symbol;
  });
}

/** A formula as words: `\sigma_t^2` is "sigma t2", `L^2` is "L2", `\frac{a}{b}` is "a/b". */
function speakMath(tex: string): string {
  let open = tex.replace(/\\[,;:!> ]|\\q?quad|~/g, ' ').replace(/\\([%$&#{}])/g, '$1');
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const next = open
      .replace(/\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, '$1/$2')
      .replace(/\\(?:text\w*|math\w+|operatorname|bold\w*|mbox|rm)\*?\s*\{([^{}]*)\}/g, '$1')
      .replace(/[_^]\s*\{([^{}]*)\}/g, ' $1 ');
    if (next === open) break;
    open = next;
  }
  return open
    .replace(/(?<=[A-Za-z])\^\s*(\d)/g, '$1')
    .replace(/[_^]/g, ' ')
    .replace(/\\([A-Za-z]+)/g, (_, name: string) => {
      const word = COMMAND_WORDS[name] ?? '';
      return word === '' ? ' ' : ` ${word} `;
    })
    .replace(/[{}\\&]/g, ' ')
    .replace(/\s+([%,.)])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}
