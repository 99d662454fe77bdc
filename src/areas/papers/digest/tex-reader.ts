import texFile from '../../../../data/tex.json' with { type: 'json' };

function mapOf(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(table));
}

/** TeX's accents as combining characters. */
const ACCENTS = mapOf(texFile.accents);

/** Commands for letters. */
const LETTERS = mapOf(texFile.letters);

/** Text commands without an argument, and what they print; all others are dropped. */
const SYMBOLS = mapOf({ ...texFile.signs, ...texFile.symbols });

/** Commands dropped along with their argument, such as references to what is not in the text. */
const DROPPED =
  /^(?:cite\w*|[a-zA-Z]*ref|label|footnote\w*|thanks|input|include\w*|bibliography\w*|vspace|hspace|color)$/;

/** Math commands and the words that replace them; all others are dropped. */
const COMMAND_WORDS = mapOf({
  ...Object.fromEntries(
    texFile.greek.flatMap((name) => [
      [name, name],
      [`var${name}`, name],
      [`${name[0]?.toUpperCase()}${name.slice(1)}`, name],
    ]),
  ),
  ...Object.fromEntries(texFile.functions.map((name) => [name, name])),
  ...texFile.signs,
  ...texFile.words,
});

/** Maximum nesting of groups; deeper braces are ignored, so that no input exhausts the stack. */
const MAX_DEPTH = 24;

/** Commands whose first argument is not text, but a link target or a colour. */
const SKIPS_ARGUMENT = /^(?:href|textcolor|colorbox|hyperref)$/;
/** Font switches, dashes and quotes: as in TeX, they swallow the space that follows. */
const SWALLOWS_SPACE =
  /^(?:em|it|bf|sc|rm|tt|sl|sf|[a-z]+(?:shape|series|family|font)|text(?:en|em)dash|textquote\w+)$/;

/**
 * Converts TeX to plain text in one pass, in text mode or (`math`) as words. An unmatched brace is
 * literal.
 */
export class TexReader {
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
    const text = this.#readCommand('');
    const argument = text.trim() === '' && this.#tex[this.#at] === '{' ? this.#readGroup() : text;
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

  /** Returns `out` with the text of the command appended. */
  #readCommand(out: string): string {
    const name = this.#skip(/\\[A-Za-z]+/y).slice(1);
    if (name === '') return out + this.#readSign();
    this.#skip(/\*/y);
    if (DROPPED.test(name) || /^(?:begin|end)$/.test(name)) return this.#dropArguments(out);
    if (this.#math) return out + this.#readMathCommand(name);
    const accent = name.length === 1 ? this.#readAccent(name) : null;
    if (accent !== null) return out + accent;
    const letter = LETTERS.get(name);
    if (letter !== undefined || SWALLOWS_SPACE.test(name)) this.#skip(/\{\}|\s/y);
    this.#skipOption();
    if (SKIPS_ARGUMENT.test(name)) this.#skipGroup();
    return out + (letter ?? SYMBOLS.get(name) ?? '');
  }

  #readMathCommand(name: string): string {
    if (/^[dtc]?frac$/.test(name)) {
      const above = this.#readArgument().trim();
      return ` ${above}/${this.#readArgument().trim()} `;
    }
    if (name === 'left' || name === 'right') this.#skip(/\s*\./y);
    const word = COMMAND_WORDS.get(name) ?? '';
    // A dropped command with an argument, such as `\mathbf{x}`, adds no space.
    return word === '' && this.#tex[this.#at] === '{' ? '' : ` ${word} `;
  }

  /** A command of one symbol: an accent, an escaped character or a space. */
  #readSign(): string {
    const sign = this.#tex[this.#at + 1] ?? '';
    this.#at += 1;
    const accent = this.#math ? null : this.#readAccent(sign);
    if (accent !== null) return accent;
    this.#at += 1;
    if (this.#math) return /[%$#]/.test(sign) ? sign : ' ';
    // A backslash escaped twice, by software that escapes what is already TeX.
    if (sign === '\\') return /[%$&_#]/.test(this.#tex[this.#at] ?? '') ? '' : ' ';
    if (/[,;:\s]/.test(sign)) return ' ';
    return /[!@/-]/.test(sign) ? '' : sign;
  }

  /** A letter with the accent, or null if no letter follows. */
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

  /** Also drops parentheses that become empty, and the space before punctuation. */
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

/** Maps the index of each opening brace to that of its closing brace, if it has one. */
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
