import { readHtml } from '../../src/areas/papers/full-text/html/html.ts';
import { addPassages } from '../../src/areas/papers/passages.ts';

/** Lengths of the texts in characters, each twice the one before. */
const LENGTHS = [4_000, 8_000, 16_000, 32_000];
/** Growth is not measured if reading the longest text takes less than this, in milliseconds. */
const NOTICEABLE_MS = 40;
/** Doubling the text may multiply the time by at most this. */
const MAX_GROWTH = 3;

/** Repeated in the text of a page, in the TeX of a formula, and in its MathML. */
const PLAIN = [
  ...[' ', '\n\n', '\u00a0', 'a.', '[1] ', '( ', ' )', '$', '\\frac{', '\\left(', '^{', '`', '|'],
  ...['<', '&', '<b>', '</p>', '<p>a', '<a href="#a">', '<!--', '<pre>', '<sup>1', '<li>a', '<br>'],
  ...['<table><tr><td>a', '<h2 class="ltx_title">a</h2>', '<span class="ltx_note">a', '<cite>a'],
];
const FORMULA = [' ', '(', '\\', '{', '\\frac{', '\\left(', '\\begin{a}', '_{', '\\text{', '&'];
const MATHML = [
  'a',
  ' ',
  '<mi>a</mi>',
  '<mrow>',
  '<mo>(</mo>',
  '<msup><mi>a</mi><mn>2</mn></msup>',
];

/** The parts of a hostile page: the text before, the repeated part, the text after. */
const PAGES: readonly (readonly [string, string, string])[] = [
  ...PLAIN.map((unit) => ['', unit, ''] as const),
  ...FORMULA.map((unit) => ['<math alttext="', unit, '"></math>'] as const),
  ...MATHML.map((unit) => ['<math><mtext>', unit, '</mtext></math>'] as const),
];

/**
 * Reads pages that repeat a hostile part, each page twice as long as the one before. Returns the number of
 * kinds of pages, and those that took more than linear time. A unit test proves the same of regular
 * expressions.
 */
export function findGrowth(): { pages: number; faults: string[] } {
  const faults = PAGES.flatMap(([before, part, after]) => {
    const read = (length: number) => readPage(before + repeat(part, length) + after);
    const name = JSON.stringify(before + part);
    return isSteep(read) ? [`a page of ${name} takes more than linear time`] : [];
  });
  return { pages: PAGES.length, faults };
}

/** Ends in a character that completes nothing. */
function repeat(part: string, length: number): string {
  return `${part.repeat(length / part.length)}\u0001`;
}

function readPage(content: string): void {
  const page = readHtml(
    `<!DOCTYPE html><article class="ltx_document"><section class="ltx_section"><p>${'word '.repeat(500)}</p><p>${content}`,
  );
  if (page.ok) addPassages(page.sections);
}

function isSteep(read: (length: number) => void): boolean {
  if (timeOf(read, LENGTHS.at(-1) ?? 0) < NOTICEABLE_MS) return false;
  const times = LENGTHS.map((length) => timeOf(read, length));
  const growth = times.slice(1).map((ms, at) => ms / (times[at] ?? ms));
  return growth.slice(-2).every((times) => times > MAX_GROWTH);
}

/** The shortest of three runs: other load only adds time. */
function timeOf(read: (length: number) => void, length: number): number {
  const times = [1, 2, 3].map(() => {
    const begun = performance.now();
    read(length);
    return performance.now() - begun;
  });
  return Math.min(...times);
}
