import { ACCENTS, COMMAND_WORDS, DROPPED, LETTERS, SYMBOLS } from './latex-tables.ts';

/** No formula is longer; a stray dollar must not swallow a paragraph. */
const MAX_INLINE = 600;
const MAX_DISPLAY = 4_000;
/** Groups within groups; deeper braces are silent, so that no input exhausts the stack. */
const MAX_DEPTH = 24;

/** Commands whose first argument says how, not what. */
const HOW_FIRST = /^(?:href|textcolor|colorbox|hyperref)$/;
/** Switches of the font, and dashes: like TeX, they take the blank behind them along. */
const TAKES_BLANK =
  /^(?:em|it|bf|sc|rm|tt|sl|sf|[a-z]+(?:shape|series|family|font)|text(?:en|em)dash|textquote\w+)$/;
/** Signs of a formula that read better than silence, besides those of the tables. */
const SIGNS = pairUp(
  'in in equiv = simeq ≈ lesssim ≤ gtrsim ≥ mapsto → mid | dots … ldots … cdots … top T setminus without',
);
/** Greek letters of Unicode by name, so that both ways to write one are one word. */
const GREEK = pairUp(
  'α alpha β beta γ gamma δ delta ε epsilon ϵ epsilon ζ zeta η eta θ theta ϑ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau υ upsilon φ phi ϕ phi χ chi ψ psi ω omega',
);

/**
 * Text as people read it: accents, quotes, dashes and text commands become Unicode; formulas stay
 * TeX between `$`, and sums of money stay what they are. Never throws; time is linear.
 */
export function readableTex(text: string): string {
  if (!/[\\`'~{}$-]/.test(text)) return text;
  return readPieces(text, (tex, open) => {
    const mark = open === '$$' || open === '\\[' ? '$$' : '$';
    return `${mark}${tex.trim()}${mark}`;
  });
}

/** The same for words and vectors: formulas become the words they would be read as. */
export function plainTex(text: string): string {
  if (!/[\\`'~{}$\u0370-\u03ff-]/.test(text)) return text;
  return nameGreek(readPieces(text, speakMath));
}

function pairUp(list: string): ReadonlyMap<string, string> {
  const words = list.split(' ');
  return new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? '']] : [])));
}

/** Formulas are read apart; marks stand for them while the text around them is read as one. */
function readPieces(text: string, readMath: (tex: string, open: string) => string): string {
  const formulas = findFormulas(text);
  const said = formulas.map(({ tex, open }) => readMath(tex, open));
  let marked = '';
  let from = 0;
  for (const [place, { index, end }] of formulas.entries()) {
    marked += `${text.slice(from, index)}\ue000${place}\ue001`;
    from = end;
  }
  return readText(marked + text.slice(from))
    .replace(/\ue000(\d+)\ue001/g, (_, place: string) => said[Number(place)] ?? '')
    .replace(/[^\S\n]+/g, ' ')
    .trim();
}

/** The formulas of a text: their place with the dollars or brackets, and the TeX between these. */
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

/** Where the formula ends that opens before `start`, or -1 where none does. */
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
 * Tells a formula from the words between two sums of money. Beyond Pandoc's rule (no blank inside
 * the dollars, no digit behind them) it hears signs of mathematics, and is deaf to prose.
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

/** Text mode as Unicode. */
function readText(text: string): string {
  return new Reader(text, false)
    .read()
    .replace(/---/g, '—')
    .replace(/(?<=[\w)%\]”’\ue001])--(?=[\w(“‘\ue000])|(?<=\s)--(?=\s)/g, '–')
    .replace(/``/g, '“')
    .replace(/''/g, '”')
    .replace(/(?<![\w`])`([^`'\n]{1,60})'(?![\w'])/g, '‘$1’')
    .normalize('NFC');
}

/** A formula as words: `\sigma_t^2` is "sigma t2", `L^2` is "L2", `\frac{a}{b}` is "a/b". */
function speakMath(tex: string): string {
  const said = new Reader(tex, true).read().replace(/\s+/g, ' ');
  return said.replace(/ (?=[%,.)\]])/g, '').trim();
}

function nameGreek(text: string): string {
  const alone = /(?<![\u0370-\u03ff])([\u0391-\u03f5])[\u0300-\u036f]*(?![\u0370-\u03ff])/g;
  return text.replace(alone, (whole, letter: string, at: number) => {
    const name = GREEK.get(letter.toLowerCase());
    if (name === undefined) return whole;
    const before = /[A-Za-z\d]/.test(text[at - 1] ?? '') ? ' ' : '';
    const after = /[A-Za-z\d]/.test(text[at + whole.length] ?? '') ? ' ' : '';
    return `${before}${name}${after}`;
  });
}

/** Reads TeX once, from left to right. A brace without its partner stands for itself. */
class Reader {
  readonly #tex: string;
  readonly #math: boolean;
  readonly #closing: ReadonlyMap<number, number>;
  #at = 0;
  #depth = 0;

  constructor(tex: string, math: boolean) {
    this.#tex = tex;
    this.#math = math;
    this.#closing = pairBraces(tex);
  }

  read(end = this.#tex.length): string {
    let out = '';
    while (this.#at < end) {
      const char = this.#tex[this.#at] ?? '';
      if (char === '\\') out = this.#readCommand(out);
      else if (char === '{') out += this.#readGroup();
      else if (this.#math && (char === '^' || char === '_')) out = this.#readScript(out, char);
      else {
        this.#at += 1;
        out += char === '~' || (this.#math && /[}&$]/.test(char)) ? ' ' : char;
      }
    }
    return out;
  }

  #readGroup(): string {
    const end = this.#closing.get(this.#at);
    this.#at += 1;
    if (end === undefined) return this.#math ? ' ' : '{';
    const isDeep = this.#depth >= MAX_DEPTH;
    this.#depth += 1;
    const inner = isDeep ? this.#tex.slice(this.#at, end).replace(/[\\{}]/g, ' ') : this.read(end);
    this.#depth -= 1;
    this.#at = end + 1;
    return inner;
  }

  /** One group, command or character. */
  #readArgument(): string {
    this.#skip(/ +/y);
    const char = this.#tex[this.#at];
    if (char === '{') return this.#readGroup();
    if (char !== '\\' || this.#depth >= MAX_DEPTH) {
      this.#at += 1;
      return char ?? '';
    }
    this.#depth += 1;
    const said = this.#readCommand('');
    const argument = said.trim() === '' && this.#tex[this.#at] === '{' ? this.#readGroup() : said;
    this.#depth -= 1;
    return argument;
  }

  #readScript(out: string, sign: string): string {
    this.#at += 1;
    const script = this.#readArgument().trim();
    const base = out.trimEnd();
    if (/^\d$/.test(script) && /(?:^|[^A-Za-z])[A-Za-z]$/.test(base)) return base + script;
    return sign === '^' && /\d$/.test(out) ? `${out}^${script}` : `${out} ${script} `;
  }

  /** Returns what was read so far with what the command adds to it. */
  #readCommand(out: string): string {
    const name = this.#skip(/\\[A-Za-z]+/y).slice(1);
    if (name === '') return out + this.#readSign();
    this.#skip(/\*/y);
    if (DROPPED.test(name) || /^(?:begin|end)$/.test(name)) return this.#dropArguments(out);
    if (this.#math) return out + this.#readMathCommand(name);
    const accent = name.length === 1 ? this.#readAccent(name) : null;
    if (accent !== null) return out + accent;
    const letter = LETTERS.get(name);
    if (letter !== undefined || TAKES_BLANK.test(name)) this.#skip(/\{\}|\s/y);
    this.#skipOption();
    if (HOW_FIRST.test(name)) this.#skipGroup();
    return out + (letter ?? SYMBOLS.get(name) ?? '');
  }

  #readMathCommand(name: string): string {
    if (/^[dtc]?frac$/.test(name)) {
      const above = this.#readArgument().trim();
      return ` ${above}/${this.#readArgument().trim()} `;
    }
    if (name === 'left' || name === 'right') this.#skip(/\s*\./y);
    const said = SIGNS.get(name) ?? COMMAND_WORDS.get(name) ?? '';
    // A silent one with an argument, as `\mathbf{x}`, joins what stands around it.
    return said === '' && this.#tex[this.#at] === '{' ? '' : ` ${said} `;
  }

  /** A command of one sign: an accent, an escaped character, a blank. */
  #readSign(): string {
    const sign = this.#tex[this.#at + 1] ?? '';
    this.#at += 1;
    const accent = this.#math ? null : this.#readAccent(sign);
    if (accent !== null) return accent;
    this.#at += 1;
    if (this.#math) return /[%$#]/.test(sign) ? sign : ' ';
    // Escaped twice, as by a program that escapes what is TeX already: the second one is next.
    if (sign === '\\') return /[%$&_#]/.test(this.#tex[this.#at] ?? '') ? '' : ' ';
    if (/[,;:\s]/.test(sign)) return ' ';
    return /[!@/-]/.test(sign) ? '' : sign;
  }

  /** A letter with the accent, or null where no letter follows. */
  #readAccent(name: string): string | null {
    const mark = ACCENTS.get(name);
    if (mark === undefined) return null;
    const isWord = /[A-Za-z]/.test(name);
    const pattern = isWord
      ? /\s*\{\s*\\?(\p{L})\s*\}|\s+(\p{L})/uy
      : /\s*\{\s*\\?(\p{L})\s*\}|\s*\\?(\p{L})/uy;
    pattern.lastIndex = this.#at + (isWord ? 0 : 1);
    const found = pattern.exec(this.#tex);
    if (found === null) return null;
    this.#at = pattern.lastIndex;
    return `${found[1] ?? found[2] ?? ''}${mark}`;
  }

  /** What is not here leaves no brackets and no blank before the full stop. */
  #dropArguments(out: string): string {
    while (this.#skipOption());
    this.#skipGroup();
    const next = this.#tex[this.#at] ?? '';
    if (next === ')' && out.endsWith('(')) {
      this.#at += 1;
      return out.slice(0, -1).trimEnd();
    }
    return /[.,;:)]/.test(next) ? out.trimEnd() : out;
  }

  #skipOption(): boolean {
    if (this.#tex[this.#at] !== '[') return false;
    const length = this.#tex.slice(this.#at, this.#at + 200).indexOf(']');
    if (length > 0) this.#at += length + 1;
    return length > 0;
  }

  #skipGroup(): void {
    this.#at = (this.#closing.get(this.#at) ?? this.#at - 1) + 1;
  }

  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#tex) ?? [''];
    this.#at += found.length;
    return found;
  }
}

/** The place of the closing brace for that of every opening one that has one. */
function pairBraces(tex: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: sign, index } of tex.matchAll(/\\[\s\S]|[{}]/g)) {
    if (sign === '{') open.push(index);
    const start = sign === '}' ? open.pop() : undefined;
    if (start !== undefined) pairs.set(start, index);
  }
  return pairs;
}
