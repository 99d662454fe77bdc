import { FRONT_PAGES, type Line } from './lines.ts';

export interface Heading {
  /** 1 for a section, more for nested ones. */
  depth: number;
  /** As printed, with any punctuation after it: "2.1", "IV.", "A)". */
  number?: string | undefined;
  title: string;
  /** Number of printed lines. */
  count: number;
  isAppendix: boolean;
}

/** Typography of the body text. */
export interface Setting {
  size: number;
  font: string;
  /** Distance between baselines. */
  leading: number;
}

/** Chapter titles from the outline and their line counts, keyed by the first line of each title. */
export type ChapterTitles = ReadonlyMap<Line, { title: string; count: number }>;

export const NUMBER =
  /^(?<number>(?:\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}|[A-Z](?:\.?\d{1,2}){0,3}))(?<stop>[.:)]?)\s+(?<words>\S.*)$/u;
/** A chapter heading; the title may be on the line below. */
const CHAPTER = /^chapter\s+(?<chapter>\d{1,2})[.:]?(?:\s+(?<title>\S.*))?$/i;
const ROMAN = 'I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX'.split(' ');
const APPENDIX = /^(?:appendix|supplement)\b/i;
const NAMED =
  /^(?:(?:extended |executive )?abstract|summary|keywords|introduction|background|related works?|literature review|preliminaries|data|methods?|methodology|(?:materials?|data) and methods?|methods? and (?:materials?|data)|results|results and discussions?|discussion|conclusions?|conclusions? and .{3,40}|concluding remarks|references|bibliography|literature cited|works cited|acknowledge?ments?|funding|declarations?|disclosures?|data availability(?: statement)?|code availability|conflicts? of interest|competing interests|author contributions?|supplementary materials?|supporting information|limitations?|ethical considerations|ethics statement|broader impacts?|notes|endnotes)\s*[.:]?$/i;
/** Titles that count as headings even in the body font, if they are set apart on a line of their own. */
const PLAIN = /^(?:introduction|conclusions?|references|acknowledge?ments?)$/i;
/** Maximum number of lines, and of characters, in a heading. */
const MAX_LINES = 4;
const MAX_TITLE = 250;
/** Minimum number of characters between two section headings. */
const MIN_BELOW = 20;

/** Finds the numbered and the named headings of a document, line by line in reading order. */
export class HeadingFinder {
  readonly #lines: readonly Line[];
  readonly #setting: Setting;
  readonly #chapters: ChapterTitles;
  readonly #hasRoman: boolean;
  /** Number of the last section found. */
  #section = 0;

  constructor(lines: readonly Line[], setting: Setting, chapters: ChapterTitles) {
    this.#chapters = chapters;
    this.#lines = lines;
    this.#setting = setting;
    this.#hasRoman = lines.some(
      (line) => this.#isDistinct(line) && /^II[.:)]?\s+\p{Lu}/u.test(line.text),
    );
  }

  /** The heading that starts at this line, or null. Call this for lines in reading order. */
  find(at: number): Heading | null {
    const line = this.#lines[at];
    const chapter = line && this.#chapters.get(line);
    const heading = this.#findPrinted(at);
    if (chapter !== undefined) {
      return { isAppendix: APPENDIX.test(chapter.title), ...chapter, ...heading, depth: 1 };
    }
    // A numbered section of a book is inside a chapter.
    const isSection = this.#chapters.size > 0 && heading?.number !== undefined;
    return isSection ? { ...heading, depth: Math.max(2, heading.depth) } : heading;
  }

  #findPrinted(at: number): Heading | null {
    const line = this.#lines[at];
    if (line === undefined || line.cells.length > 2) return null;
    const { text } = line;
    // Forget lines above the abstract that looked like sections, such as "1 University of Nowhere".
    if (line.page < FRONT_PAGES && text === 'Abstract') this.#section = 0;
    if (!this.#isDistinct(line)) {
      return PLAIN.test(text) && this.#isApart(at) ? this.#close(at, 1, undefined, text) : null;
    }
    const { number, stop = '', words = '' } = NUMBER.exec(text)?.groups ?? {};
    const isLarge = this.#isLarge(line);
    const { chapter, title } = CHAPTER.exec(text)?.groups ?? {};
    if (chapter !== undefined && isLarge) return this.#openChapter(at, chapter, title);
    const isMarked = stop !== '' || isLarge || number !== number?.charAt(0);
    const isNumbered = number !== undefined && isTitle(words);
    const isListed = isNumbered && this.#isListed(at, number);
    const depth = isNumbered && !isListed ? this.#depthOf(number, isMarked) : null;
    if (depth !== null) return this.#close(at, depth, `${number}${stop}`, words);
    const isNamed = NAMED.test(text) || (APPENDIX.test(text) && isTitle(text));
    return isNamed ? this.#close(at, 1, undefined, text) : null;
  }

  /** The heading of a chapter; null for an entry in a table of contents or a running head. */
  #openChapter(at: number, number: string, words: string | undefined): Heading | null {
    const [line, below] = [this.#lines[at], this.#lines[at + 1]];
    if (line === undefined || below === undefined || CHAPTER.test(below.text)) return null;
    if (this.#depthOf(number, true) === null) return null;
    const isBelow = words === undefined && isSameColumn(line, below) && this.#isLarge(below);
    if (!isBelow) return this.#close(at, 1, undefined, line.text);
    const heading = this.#close(at + 1, 1, undefined, `${line.text}: ${below.text}`);
    return { ...heading, count: heading.count + 1 };
  }

  /** Whether another section begins within `MIN_BELOW` characters, as in a table of contents. */
  #isListed(at: number, number: string): boolean {
    const isSection = (text: string) => /^(?:\d{1,2}|[IVX]+)$/.test(text);
    let between = 0;
    for (let next = at + 1; isSection(number) && between < MIN_BELOW; next += 1) {
      const line = this.#lines[next];
      if (line === undefined) return false;
      const groups = NUMBER.exec(line.text)?.groups;
      const { number: following = '', words = '' } = groups ?? {};
      if (isSection(following) && isTitle(words) && this.#isDistinct(line)) {
        return /\d/.test(following) === /\d/.test(number);
      }
      between += line.text.length;
    }
    return false;
  }

  /** The depth of a heading with this number; null if the number does not follow the last heading's. */
  #depthOf(number: string, isMarked: boolean): number | null {
    const [first = '', ...rest] = number.split('.');
    const isRoman = this.#hasRoman && /^[IVX]+$/.test(first);
    const value = isRoman ? ROMAN.indexOf(first) + 1 : Number(first);
    if (Number.isNaN(value)) {
      if (!isMarked || this.#section === 0) return null;
      if (this.#hasRoman) return 2;
      return first.length === 1 && rest.length === 0 ? 1 : 2;
    }
    if (this.#hasRoman && !isRoman) return null;
    if (rest.length > 0) return value === this.#section ? rest.length + 1 : null;
    const isNext = value > this.#section && value <= this.#section + 2;
    if (!isNext) return null;
    this.#section = value;
    return 1;
  }

  /** A heading, which may continue on adjacent lines of the same style. */
  #close(at: number, depth: number, number: string | undefined, words: string): Heading {
    const title = [words];
    for (let next = at + 1; next < at + MAX_LINES; next += 1) {
      const [above, line] = [this.#lines[next - 1], this.#lines[next]];
      if (above === undefined || line === undefined || !isSameColumn(above, line)) break;
      const isSame = styleOf(line) === styleOf(above) && line.bold === above.bold;
      const isFull = above.end > above.left + 0.5 * (above.right - above.left);
      const isStart = NUMBER.test(line.text) || NAMED.test(line.text);
      if (!isSame || !isFull || isStart || above.y - line.y > 1.45 * line.size) break;
      // Capitals may be all that distinguishes a heading from the text below it.
      if (isCapitals(above.text) && !isCapitals(line.text)) break;
      if ([...title, line.text].join(' ').length > MAX_TITLE) break;
      title.push(line.text);
    }
    const isLettered = !this.#hasRoman && /^[A-Z][.:)]?$/.test(number ?? '');
    const isAppendix = isLettered || APPENDIX.test(words);
    const shown = title.join(' ').replace(/(?<![\s:])[\s:]+$/u, '');
    return { depth, number, title: shown, count: title.length, isAppendix };
  }

  /** Whether a line is first in its column or has extra space above, and has text below. */
  #isApart(at: number): boolean {
    const [above, line, below] = [this.#lines[at - 1], this.#lines[at], this.#lines[at + 1]];
    if (line === undefined || below === undefined || !isSameColumn(line, below)) return false;
    const isFirst = above === undefined || !isSameColumn(above, line);
    return isFirst || above.y - line.y > 1.3 * this.#setting.leading;
  }

  #isLarge({ bold, size }: Line): boolean {
    return bold || size > this.#setting.size * 1.07;
  }

  /** Whether a line stands out from the body by its size, weight, font or capitals; small print does not. */
  #isDistinct(line: Line): boolean {
    const { size, font } = this.#setting;
    if (line.size < size * 0.88) return false;
    if (this.#isLarge(line)) return true;
    if (line.font !== font && line.isUniform) return true;
    return line.text.length > 4 && isCapitals(line.text);
  }
}

const isCapitals = (text: string) => text === text.toUpperCase() && /\p{Lu}{4}/u.test(text);

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

const ABSTRACT =
  /^(?:Abstract|ABSTRACT)(?<stop>\s*(?:[.:–—]\s*|-+(?:\s+|(?=\p{Lu})))|\s*(?=\p{Lu}|$))/u;

/** Puts an abstract's label on a line of its own, as a heading; leaves other lines unchanged. */
export function splitAbstract(line: Line): Line[] {
  const label = line.page < FRONT_PAGES ? ABSTRACT.exec(line.text) : null;
  if (label === null) return [line];
  const text = line.text.slice(label[0].length);
  // Without punctuation after it, the label must be bold: "Abstract Markets" may be a title.
  const isBold = line.boldStart > 0 && line.boldStart <= label[0].length;
  if (text !== '' && label.groups?.stop?.trim() === '' && !isBold) return [line];
  const heading = { ...line, text: 'Abstract', cells: ['Abstract'], bold: true };
  return text === ''
    ? [heading]
    : [heading, { ...line, text, cells: [text], bold: false, boldStart: 0 }];
}
