import { expect, it } from 'vitest';
import { dropLineNumbers } from '../../../../../../src/areas/papers/full-text/pdf/line-numbers.ts';
import { lines, type Print } from '../../../../../stand-ins/pdf.ts';
import { bold, cells, contentsOf, heading, prose, readPages } from './maker.ts';

const NAMES = ['Introduction', 'The Model', 'Data', 'Results', 'Conclusion'];
/** A page per section; no line repeats at the same place on another page. */
const sections = NAMES.map((name, at) => [
  heading(640 - at, `${at + 1} ${name}`),
  ...lines(620 - at, prose(12, 20 * at)),
]);
const front = (rest: readonly Print[]): Print[] => [
  heading(700, 'On Saving'),
  bold(670, 'Abstract'),
  ...lines(650, prose(5)),
  ...rest,
];
const titles = NAMES.map((name, at) => `${at + 1} ${name}`);
const titlesOf = async (...pages: Print[][]) =>
  (await readPages(...pages)).map(({ title }) => title);

it('an untitled table of contents is dropped and begins no sections, even with wrapped or unnumbered entries', async () => {
  const contents = [
    ...[bold(540, '1 Introduction'), bold(540, '2', 520)],
    bold(528, '2 The Model of one who'),
    bold(516, 'saves for a long time 5'),
    bold(504, '3 Data 8'),
    bold(492, 'Acknowledgements 11'),
  ];
  const [first = [], model = [], data = []] = sections;
  const long = [heading(640, '2 The Model of one who saves for a long time'), ...model.slice(1)];
  const thanks = [heading(640, 'Acknowledgements'), ...lines(620, prose(12, 77))];
  const read = await readPages(front(contents), first, long, data, thanks);
  expect(read.map(({ title }) => title)).toEqual([
    ...['Abstract', '1 Introduction', '2 The Model of one who saves for a long time', '3 Data'],
    'Acknowledgements',
  ]);
  expect(read[0]?.content).toBe(prose(5).join(' '));
});

it('a table of contents without page numbers does not begin sections', async () => {
  const contents = NAMES.map((name, at) => bold(540 - 16 * at, `${at + 1} ${name}`));
  expect(await titlesOf(front(contents), ...sections)).toEqual(['Abstract', ...titles]);
});

const COUNTRIES = ['Brazil', 'Chile', 'Mexico', 'Peru'];
const YEARS = Array.from({ length: 9 }, (_, at) => String(2010 + at));
it.each<[string, string[], number, (name: string, at: number) => string[]]>([
  ['a table of contents', COUNTRIES, 228, (name, at) => [`${at + 1} ${name}`, `${10 * at + 7}`]],
  ['line numbers', YEARS, 114, (year, at) => [year, `${at}.25`, `${at}.75`]],
])('table rows with rising numbers are not taken for %s', async (_, names, step, rowOf) => {
  const rows = names.flatMap((name, at) => cells(500 - 14 * at, rowOf(name, at), step));
  const page = [heading(640, '1 Introduction'), ...lines(620, prose(6)), ...rows];
  const [[, content] = []] = await contentsOf(page);
  for (const name of names) expect(content).toContain(name);
});

it('headings longer than the limit for a title lose no words', async () => {
  const words = prose(4, 3, 16);
  const page = [heading(680, '1 Introduction'), ...lines(660, prose(4))];
  const long = words.map((text, at) => bold(580 - 12 * at, at === 0 ? `2 Data ${text}` : text));
  const [, read] = await readPages(page, [...long, ...lines(520, prose(9, 9))]);
  const whole = `${read?.title} ${read?.content}`.replace(/[*\s]+/g, ' ');
  for (const line of words) expect(whole).toContain(line);
});

/** The pages with line numbers at these places, on every line or on every second one. */
const numbered = (places: readonly number[], every: number, isThrough: boolean) =>
  sections.map((page, at) =>
    page.flatMap((line, index) => {
      const count = (isThrough ? 13 * at : 0) + index + 1;
      const text = String(count);
      const marks = places.map((x) => ({ x: x - 5 * text.length, y: line.y, text, size: 7 }));
      return count % every === 0 ? [...marks, line] : [line];
    }),
  );

it.each([
  ['on every line, restarting on each page,', [60], 1, false],
  ['on both sides', [60, 560], 1, true],
  ['on every second line', [60], 2, false],
] as const)('line numbers %s are dropped', async (_, places, every, isThrough) => {
  const plain = await contentsOf(...sections);
  expect(await contentsOf(...numbered(places, every, isThrough))).toEqual(plain);
});

const leftOf = (numbers: readonly number[]) => {
  const style = { x: 60, width: 10, size: 7, font: 'plain', bold: false };
  const pieces = numbers.map((number, at) => ({ ...style, y: -at, text: `${number}` }));
  return dropLineNumbers([{ height: 792, pieces }])[0]?.pieces.length;
};

it('up to 500 numbers on a page are dropped as line numbers if they rise by a constant', () => {
  const counted = (count: number) => leftOf(Array.from({ length: count }, (_, at) => at));
  const wild = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
  expect([counted(500), counted(501), leftOf(wild)]).toEqual([0, 501, wild.length]);
});

it.each([
  ['is bold', 'bold'],
  ['is set apart from the text above', 'plain'],
] as const)('an introduction without a number begins a section if it %s', async (_, font) => {
  const introduction = { x: 72, y: 560, text: 'Introduction', font };
  const [model = []] = sections;
  const second = [heading(640, '1 The Model'), ...model.slice(1)];
  const pages = [front([introduction, ...lines(536, prose(8, 30))]), second];
  expect(await titlesOf(...pages)).toEqual(['Abstract', 'Introduction', '1 The Model']);
});
