import { readHtml } from '../../src/areas/papers/full-text/html/html.ts';
import { addPassages } from '../../src/areas/papers/passages.ts';
import { expressionsIn, readers, SHORT } from '../../test/expressions.ts';

/** Characters of the texts, each twice as long as the one before. */
const LENGTHS = [4_000, 8_000, 16_000, 32_000];
/** If the longest text is read within this time, in milliseconds, there is no growth to measure. */
const NOTICEABLE_MS = 40;
/** Doubling the text may multiply the time by at most this. */
const MAX_GROWTH = 3;

/** Parts that hostile texts repeat, besides the characters that an expression names itself. */
const PLAIN = [' ', '\n', 'a', '0'];
/** Represent the classes of an expression. */
const CLASSES: Readonly<Record<string, string>> = {
  s: ' ',
  S: 'a',
  d: '0',
  w: 'a',
  p: 'é',
  n: '\n',
};

/** The parts of a hostile page: the text before, the repeated part, the text after. */
const PAGES: readonly (readonly [string, string, string])[] = [
  ...[
    ' ',
    '\n\n',
    '\u00a0',
    'a.',
    '[1] ',
    '( ',
    ' )',
    '$',
    '\\frac{',
    '\\left(',
    '^{',
    '`',
    '|',
  ].map((unit) => ['', unit, ''] as const),
  ...[
    '<',
    '&',
    '<b>',
    '</p>',
    '<p>a',
    '<a href="#a">',
    '<!--',
    '<pre>',
    '<sup>1',
    '<li>a',
    '<br>',
  ].map((unit) => ['', unit, ''] as const),
  ...[
    '<table><tr><td>a',
    '<h2 class="ltx_title">a</h2>',
    '<span class="ltx_note">a',
    '<cite>a',
  ].map((unit) => ['', unit, ''] as const),
  ...[' ', '(', '\\', '{', '\\frac{', '\\left(', '\\begin{a}', '_{', '\\text{', '&'].map(
    (unit) => ['<math alttext="', unit, '"></math>'] as const,
  ),
  ...['a', ' ', '<mi>a</mi>', '<mrow>', '<mo>(</mo>', '<msup><mi>a</mi><mn>2</mn></msup>'].map(
    (unit) => ['<math><mtext>', unit, '</mtext></math>'] as const,
  ),
];

/**
 * Runs texts that repeat a hostile part, each twice as long as the last, through every expression applied to
 * papers or questions and through the page reader. Returns those that took more than linear time.
 */
export function findGrowth(): { expressions: number; tried: number; faults: string[] } {
  const short = new Set(Object.values(SHORT).flat());
  const expressions = readers
    .flatMap(({ text }) => expressionsIn(text))
    .filter(({ source }) => !short.has(source));
  const texts = expressions.flatMap((expression) =>
    partsFor(expression).map((part) => ({
      name: `${expression} on ${JSON.stringify(part)}`,
      read: (length: number) => void repeat(part, length).replace(expression, ''),
    })),
  );
  const pages = PAGES.map(([before, part, after]) => ({
    name: `a page of ${JSON.stringify(before + part)}`,
    read: (length: number) => readPage(before + repeat(part, length) + after),
  }));
  const faults = [...texts, ...pages].flatMap(({ name, read }) =>
    isSteep(read) ? [`${name} takes more than linear time`] : [],
  );
  return { expressions: expressions.length, tried: texts.length + pages.length, faults };
}

function partsFor({ source }: RegExp): string[] {
  const named = source.replace(/\\([a-zA-Z])/g, (_, name: string) => CLASSES[name] ?? name);
  const characters = [...new Set([...PLAIN, ...named.replace(/\\/g, '')])];
  return characters.flatMap((one) => [one, ...characters.map((other) => one + other)]);
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
