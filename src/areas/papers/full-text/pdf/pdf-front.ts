import { cleanLine } from '../../../../core/text.ts';
import { type Front, lettersOf, NO_NAME, namesIn, onlyDoi, STAMP } from '../sections/front.ts';
import { type Line, toLines } from './lines.ts';
import { type PdfDocument, readPage } from './pieces.ts';

const MAX_LETTERS = 20_000;
const MAX_TITLE_LINES = 5;
/** Maximum number of characters read from the first page. */
const MAX_TEXT = 20_000;
const END = /^\W*(?:abstract|summary|introduction|contents|keywords?|(?:1|i)\.?\s+introduction)\b/i;
/** Lines that are never titles, however large their type. */
const SERIES =
  /^\W*(?:[\p{L} ]{0,40}(?:working|discussion|staff|research) papers?\b|.{0,60}\bpaper series\b|proceedings\b|journal of\b|preprint\b|technical report\b|arxiv\b|contents\b|abstract\b)/iu;
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?';
const DATE = new RegExp(
  `\\b${MONTH}(?:\\s+\\d{1,2}(?:st|nd|rd|th)?(?:\\s*[-–]\\s*\\d{1,2})?)?,?\\s+((?:19|20)\\d\\d)\\b`,
  'gi',
);
const COPYRIGHT = /(?:©|\(c\)|copyright)\s*((?:19|20)\d\d)\b/gi;
/** Height of the top or bottom margin, as a share of the page. */
const MARGIN = 0.1;
/** Maximum difference in size between two lines of one style, in points. */
const SAME_SIZE = 0.6;

/** Reads bibliographic facts from a PDF's first page and metadata. */
export async function readFront(document: PdfDocument): Promise<Front> {
  const metadata = await document.getMetadata().catch(() => null);
  const info = new Map<string, unknown>(Object.entries(metadata?.info ?? {}));
  const factOf = (name: string) => {
    const value = info.get(name);
    return typeof value === 'string' ? cleanLine(value).slice(0, 1_000) : '';
  };
  const page = await document.getPage(1);
  const { items } = await page.getTextContent();
  const raw = items
    .map((item) => ('str' in item ? item.str : ''))
    .join(' ')
    .slice(0, MAX_TEXT);
  const first = await readPage(document, 1, new Map());
  const [lines = []] = toLines([first]);
  const text = lines
    .map((line) => line.text)
    .join('\n')
    .slice(0, MAX_TEXT);
  const letters = lettersOf(text).slice(0, MAX_LETTERS);
  const stop = lines.findIndex((line) => END.test(line.text));
  const title = findTitle(lines, stop);
  const stamp = STAMP.exec(raw);
  // Templates and converters leave wrong metadata: trust a title or name only if it is printed.
  const isPrinted = (words: string, least: number) =>
    lettersOf(words).length >= least && letters.includes(lettersOf(words));
  const names = factOf('Author')
    .split(/\s*(?:;|,(?! *(?:jr|sr))|\band\b|&)\s*/i)
    .filter(Boolean);
  const areNames =
    names.length > 0 && names.every((name) => isPrinted(name, 5) && namesIn(name).length === 1);
  const year = yearIn(text);
  return {
    title: isPrinted(factOf('Title'), 15) ? factOf('Title') : (title?.text ?? null),
    authors: areNames ? names : title === null ? [] : findAuthors(lines.slice(title.end)),
    year,
    arxivId: stamp?.[1] ?? null,
    category: stamp?.[2] ?? null,
    doi:
      onlyDoi(`${factOf('doi')} ${factOf('WPS-ARTICLEDOI')} ${factOf('Subject')}`) ??
      onlyDoi(imprintIn(lines, stop, first.height)),
    letters,
  };
}

/** The median font size of long lines; 0 if there are none. */
function bodySize(lines: readonly Line[]): number {
  const sizes = lines.filter(({ text }) => text.length > 40).map(({ size }) => size);
  return sizes.sort((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 0;
}

/** Text above the abstract, in the margins or in small print; DOIs elsewhere may be citations. */
function imprintIn(lines: readonly Line[], stop: number, height: number): string {
  const body = bodySize(lines);
  return lines
    .filter(({ y, size }, at) => {
      const isMargin = y < MARGIN * height || y > (1 - MARGIN) * height;
      return at < (stop === -1 ? 8 : stop) || isMargin || size < body - SAME_SIZE;
    })
    .map(({ text }) => text)
    .join('\n');
}

/** The title: the largest lines above the abstract, else the first bold ones. `end` is the next line's index. */
function findTitle(lines: readonly Line[], stop: number): { text: string; end: number } | null {
  const above = lines.slice(0, Math.min(stop === -1 ? 40 : stop, 40));
  const isTitle = ({ text }: Line) =>
    (text.match(/\p{L}/gu) ?? []).length >= 4 && !SERIES.test(text);
  const largest = Math.max(...above.filter(isTitle).map(({ size }) => size));
  const isLarge = largest > bodySize(lines) + SAME_SIZE;
  const start = above.findIndex(
    (line) => isTitle(line) && (isLarge ? largest - line.size <= SAME_SIZE : line.bold),
  );
  const rows = above.slice(start, start + MAX_TITLE_LINES);
  const [first] = rows;
  if (start === -1 || first === undefined) return null;
  const length = rows.findIndex((line, at) => {
    const last = rows[at - 1];
    if (last === undefined) return false;
    const isSame = Math.abs(line.size - first.size) <= SAME_SIZE && line.bold === first.bold;
    const isNear = last.y - line.y < 2.2 * first.size;
    // If only bold type marks the title, the authors may also be bold.
    return !isTitle(line) || !isSame || !isNear || (!isLarge && namesIn(line.text).length > 0);
  });
  const title = length === -1 ? rows : rows.slice(0, length);
  const text = cleanLine(
    title
      .map((line) => line.text)
      .join(' ')
      .slice(0, 1_000)
      .replace(/(?<=\p{L})- (?=\p{Ll})/gu, ''),
  );
  const words = text.split(' ').length;
  if (words < 2 || words > 40) return null;
  return { text: text.replace(/\s*[*†‡∗⋆]+$/u, ''), end: start + title.length };
}

/** Names above the abstract, from lines of one style. */
function findAuthors(lines: readonly Line[]): string[] {
  const stop = lines.findIndex(({ text }) => END.test(text));
  const authors: string[] = [];
  let style: Line | undefined;
  let hasGap = false;
  for (const line of lines.slice(0, stop === -1 ? 20 : Math.min(stop, 60))) {
    const isOther =
      style !== undefined &&
      (Math.abs(line.size - style.size) > SAME_SIZE || line.boldStart > 0 !== style.boldStart > 0);
    if (isOther) continue;
    const names = line.cells.length > 1 ? line.cells.flatMap(namesIn) : namesIn(line.text);
    if (names.length === 0) {
      hasGap ||= style !== undefined && !NO_NAME.test(line.text) && !/[@\d]/.test(line.text);
      continue;
    }
    // An unreadable line between authors may name others: no list is better than an incomplete one.
    if (hasGap) return [];
    style ??= line;
    authors.push(...names);
  }
  return [...new Set(authors)];
}

/** The only year in a first page's dates, else in its copyright notices; null if neither has just one. */
function yearIn(text: string): string | null {
  for (const pattern of [DATE, COPYRIGHT]) {
    const [year, ...others] = new Set([...text.matchAll(pattern)].map(([, year]) => year));
    if (year !== undefined && others.length === 0) return year;
  }
  return null;
}
