import { FRONT_PAGES, type Line } from './lines.ts';

export interface Heading {
  /** 1 for a section, more for those nested in it. */
  depth: number;
  /** As printed, including the number. */
  title: string;
  /** Number of lines. */
  count: number;
  isAppendix: boolean;
  /** Recognised by typography alone, without a number or a common title. */
  isGuess: boolean;
}

/** Typography of the body text. */
export interface Setting {
  size: number;
  font: string;
  /** Distance between baselines. */
  leading: number;
}

const NUMBER =
  /^(?<number>(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-Z](?:\.?\d{1,2}){0,3}))(?<stop>[.:)]?)\s+(?<words>\S.*)$/u;
const APPENDIX = /^(?:appendix|supplement)\b(?!.*\b(?:we|is|are|for details)\b)/i;
const NAMED =
  /^(?:(?:extended |executive )?abstract|summary|keywords|introduction|background|related works?|literature review|preliminaries|data|methods?|methodology|(?:materials?|data) and methods?|methods? and (?:materials?|data)|results|results and discussions?|discussion|conclusions?|conclusions? and .{3,40}|concluding remarks|references|bibliography|literature cited|works cited|acknowledge?ments?|acknowledge?ment|funding|declarations?|disclosures?|data availability(?: statement)?|code availability|conflicts? of interest|competing interests|author contributions?|supplementary materials?|supporting information|notes|endnotes)\s*[.:]?$/i;
/** An abstract that starts on the line of its label. */
export const ABSTRACT =
  /^(?:Abstract|ABSTRACT)(?<stop>\s*(?:[.:–—]\s*|-+(?:\s+|(?=\p{Lu})))|\s*(?=\p{Lu}))(?=\S)/u;
const MAX_LINES = 4;
const MAX_LETTERS = 160;

/** Finds the headings of a document, line by line in reading order. */
export class HeadingFinder {
  readonly #lines: readonly Line[];
  readonly #setting: Setting;
  readonly #hasRoman: boolean;
  readonly #depths = new Map<string, number>();
  #section = 0;
  #isNumbered = false;
  #isAfterWorks = false;
  #isAppendix = false;

  constructor(lines: readonly Line[], setting: Setting) {
    this.#lines = lines;
    this.#setting = setting;
    this.#hasRoman = lines.some(
      (line) => this.#isDistinct(line) && /^II[.:)]?\s+\p{Lu}/u.test(line.text),
    );
  }

  /** The heading that starts at this line, or null. To be called in reading order. */
  find(at: number): Heading | null {
    const line = this.#lines[at];
    if (line === undefined || line.cells.length > 2) return null;
    if (beginsAbstract(line)) this.#restart();
    const numbered = NUMBER.exec(line.text)?.groups;
    const found = numbered === undefined ? null : this.#findNumbered(at, line, numbered);
    return found ?? this.#findNamed(at, line) ?? this.#findStyled(at, line);
  }

  #findNumbered(
    at: number,
    line: Line,
    groups: Record<string, string | undefined>,
  ): Heading | null {
    const { number = '', stop = '', words = '' } = groups;
    if (!isTitle(words)) return null;
    const isDistinct = this.#isDistinct(line);
    if (!isDistinct && !this.#isAlone(at)) return null;
    const isNext = (value: number) => value > this.#section && value <= this.#section + 2;
    const dots = number.split('.').length;
    let depth = dots;
    if (/^\d/.test(number)) {
      const first = Number(number.split('.')[0]);
      if (dots === 1) {
        if (this.#hasRoman && this.#section > 0) depth = 3;
        else if (!isNext(first) || this.#isAppendix) return null;
        else if (!isDistinct && first !== this.#section + 1) return null;
        else this.#section = first;
      } else if (first !== this.#section) return null;
    } else if (this.#hasRoman && /^[IVX]+$/.test(number) && isNext(romanOf(number))) {
      this.#section = romanOf(number);
    } else if (/^[A-Z]/.test(number) && (this.#section > 0 || this.#isAfterWorks)) {
      if (
        !isDistinct ||
        (number.length === 1 && stop === '' && !line.bold && line.size <= this.#setting.size * 1.07)
      ) {
        return null;
      }
      if (this.#hasRoman && !this.#isAppendix) depth += 1;
      else this.#isAppendix = true;
      if (/^[A-Z]\d/.test(number)) depth = 2;
    } else return null;
    this.#isNumbered = true;
    return this.#close(at, line, depth);
  }

  /** Forgets what looked like sections above the abstract: "1 University of Nowhere". */
  #restart(): void {
    this.#section = 0;
    this.#isNumbered = false;
    this.#isAppendix = false;
    this.#depths.clear();
  }

  #findNamed(at: number, line: Line): Heading | null {
    const text = line.text.replace(/^(?:\p{L} ){3,}\p{L}$/u, (spaced) => spaced.replace(/ /g, ''));
    const isAppendix = APPENDIX.test(text) && isTitle(text) && line.text.length < 90;
    if (!isAppendix && !NAMED.test(text)) return null;
    if (!this.#isDistinct(line) && !this.#isAlone(at)) return null;
    if (isAppendix) this.#isAppendix = true;
    if (line.page < FRONT_PAGES && /^abstract/i.test(text)) this.#restart();
    if (/^(?:references|bibliography)/i.test(text)) this.#isAfterWorks = true;
    const heading = this.#close(at, line, 1);
    return text === line.text || heading.count > 1 ? heading : { ...heading, title: text };
  }

  #findStyled(at: number, line: Line): Heading | null {
    const { size, leading } = this.#setting;
    const isLarge = line.size > size * 1.07;
    if (!(isLarge || line.bold) || line.size < size * 0.95) return null;
    if (!isTitle(line.text) || line.cells.length > 1 || !/^[\p{Lu}\p{N}]/u.test(line.text))
      return null;
    if (
      /^(?:table|figure|fig\.|algorithm|theorem|lemma|proof|definition|proposition)\b/i.test(
        line.text,
      )
    ) {
      return null;
    }
    const before = this.#lines[at - 1];
    const isTop = before === undefined || !isSameColumn(before, line);
    if (!isTop && before.y - line.y < leading * 1.15) return null;
    const count = this.#countLines(at, line);
    const after = this.#lines[at + count];
    if (after === undefined || after.bold || after.cells.length > 1) return null;
    if (after.font === line.font && Math.abs(after.size - line.size) < 0.3) return null;
    const known = this.#depths.get(styleOf(line));
    const depth = this.#isNumbered ? 3 : isLarge || this.#depths.size === 0 ? 1 : 2;
    return { ...this.#close(at, line, known ?? depth), isGuess: true };
  }

  #close(at: number, line: Line, depth: number): Heading {
    const count = this.#countLines(at, line);
    const title = this.#lines
      .slice(at, at + count)
      .map(({ text }) => text)
      .join(' ');
    if (!this.#depths.has(styleOf(line))) this.#depths.set(styleOf(line), depth);
    return { depth, title, count, isAppendix: this.#isAppendix, isGuess: false };
  }

  /** A heading continues over adjacent lines of the same style. */
  #countLines(at: number, line: Line): number {
    let count = 1;
    let length = line.text.length;
    if (!this.#isDistinct(line)) return count;
    for (; count < MAX_LINES; count += 1) {
      const [above, next] = [this.#lines[at + count - 1], this.#lines[at + count]];
      if (above === undefined || next === undefined || !isSameColumn(above, next)) break;
      const isSame = styleOf(next) === styleOf(line) && next.bold === line.bold;
      const isFull = above.end > above.left + 0.5 * (above.right - above.left);
      length += next.text.length;
      if (!isSame || !isFull || length > MAX_LETTERS) break;
      if (above.y - next.y > 1.45 * line.size || NUMBER.test(next.text) || NAMED.test(next.text))
        break;
    }
    return count;
  }

  /** Whether a line differs from the body in size, weight, font or capitals. */
  #isDistinct(line: Line): boolean {
    const { size, font } = this.#setting;
    if (line.size < size * 0.88) return false;
    if (line.bold || line.size > size * 1.07) return true;
    if (line.font !== font && line.fontStart >= line.text.length) return true;
    return (
      line.text.length > 4 && line.text === line.text.toUpperCase() && /\p{Lu}{4}/u.test(line.text)
    );
  }

  /** Whether a line is short, with space above and below. */
  #isAlone(at: number): boolean {
    const [before, line, after] = [this.#lines[at - 1], this.#lines[at], this.#lines[at + 1]];
    if (line === undefined || after === undefined) return false;
    const { leading, size } = this.#setting;
    if (line.size < size * 0.95 || line.end > line.right - 0.1 * (line.right - line.left))
      return false;
    const above =
      before === undefined || !isSameColumn(before, line) || before.y - line.y > leading * 1.25;
    const below = isSameColumn(line, after) && line.y - after.y > leading * 1.05;
    return above && below;
  }
}

export function isSameColumn(a: Line, b: Line): boolean {
  return a.page === b.page && a.column === b.column && a.y >= b.y;
}

export const styleOf = (line: Line) => `${line.font} ${Math.round(line.size * 2)}`;

function isTitle(words: string): boolean {
  if (words.length > 130 || !/^["'“‘(]?[\p{Lu}\p{N}\p{Lo}]|^[a-z]-?\p{Lu}/u.test(words))
    return false;
  if (/[.,;=]$/.test(words) && !/\b(?:etc|U\.S|vs)\.$/.test(words)) return false;
  const letters = words.match(/\p{L}/gu)?.length ?? 0;
  return (
    letters >= 3 && letters > 0.55 * words.replace(/\s/g, '').length && !/[=<>≤≥∑∫]/.test(words)
  );
}

function romanOf(text: string): number {
  const values: Record<string, number> = { I: 1, V: 5, X: 10 };
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) {
    const value = values[text.charAt(at)] ?? 0;
    sum += value < (values[text.charAt(at + 1)] ?? 0) ? -value : value;
  }
  return sum;
}

/** Whether a line holds both the label and the start of the abstract. */
export function beginsAbstract(line: Line): boolean {
  if (line.page >= FRONT_PAGES) return false;
  const found = ABSTRACT.exec(line.text);
  if (found === null) return false;
  if (found.groups?.stop?.trim() !== '') return true;
  // Without a stop the label must be set apart by its type: "Abstract Markets" may be a title.
  const change = Math.min(line.fontStart, line.boldStart || line.fontStart);
  return change <= found[0].length || /^ABSTRACT\s+(?:\p{Lu}\p{Ll}|[AI]\s\p{Ll})/u.test(line.text);
}
