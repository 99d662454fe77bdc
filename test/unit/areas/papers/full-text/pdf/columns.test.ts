import { expect, it } from 'vitest';
import { lines, type Print } from '../../../../../stand-ins/pdf.ts';
import { cells, contentsOf, heading, prose } from './maker.ts';

/** The longest lines of the left column end at 303, so a page number fills most of the gutter. */
const RIGHT = 318;
const COLUMN = { size: 10, leading: 12 };

/** Lines of one column, each with a mark for its column and position. */
const marked = (column: string, count: number) =>
  prose(count, 0, 8).map((text, at) => `${column}${at}e ${text}`);
const marksOf = (text: string) => text.match(/\b[a-z]\d+e\b/g) ?? [];
const marks = (column: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${column}${at}e`);

const twoColumns = (y: number, left: string, right: string, count = 20): Print[] => [
  ...lines(y, marked(left, count), COLUMN),
  ...lines(y - 1, marked(right, count), { ...COLUMN, x: RIGHT }),
];

/** The first page of a paper. */
const FIRST = [heading(720, '1 Data'), ...twoColumns(690, 'a', 'b')];

/** Reads a paper of two pages, each with two columns of 20 lines, and expects the lines in order. */
async function readColumns(first: readonly Print[], second: readonly Print[]): Promise<string> {
  const [[title, text = ''] = [], ...rest] = await contentsOf([...first], [...second]);
  expect([title, rest]).toEqual(['1 Data', []]);
  expect(marksOf(text)).toEqual(['a', 'b', 'c', 'd'].flatMap((name) => marks(name, 20)));
  return text;
}

it('a page number in the gutter does not merge two columns', async () => {
  const number = (text: string) => ({ x: 310.5 - 2.75 * text.length, y: 50, text, size: 11 });
  const second = [...twoColumns(690, 'c', 'd'), number('1086')];
  expect(await readColumns([...FIRST, number('1085')], second)).not.toMatch(/\b108[56]\b/);
});

it('labels of a full-width drawing do not hide the gutter', async () => {
  const label = (at: number) => ({ x: 300 + at, y: 740 - 10 * at, size: 7, text: `0.${at}` });
  const labels = [0, 1, 2, 3, 4, 5, 6, 7].map(label);
  await readColumns(FIRST, [...labels, ...twoColumns(640, 'c', 'd')]);
});

it('a page of wide lines has one column, even after a page with two', async () => {
  const wide = Array.from({ length: 30 }, (_, at) => `w${at}e ${prose(1, at, 14)[0]}`);
  const [[, text = ''] = []] = await contentsOf(FIRST, lines(750, wide));
  expect(text.endsWith(wide.join(' '))).toBe(true);
});

it('a single column is not split even if its lines have wide gaps', async () => {
  const texts = marked('a', 30).map((text) => `${text} ${prose(1, 3, 7)[0]}`);
  const page = texts.flatMap((text, at) => {
    const words = text.split(' ');
    const halves = [words.slice(0, 7).join(' '), words.slice(7).join(' ')];
    return cells(690 - 12 * at, at % 3 > 0 ? [text] : halves, 228);
  });
  const [[, text = ''] = []] = await contentsOf([heading(720, '1 Data'), ...page]);
  expect(text).toBe(texts.join(' '));
});

const ROWS = [0, 1, 2, 3, 4, 5].map((row) =>
  ['Fund', '0.1', '0.2', '0.3', '0.4'].map((text) => `${text}${row}`),
);
const FENCED = `\`\`\`\n${ROWS.map((row) => row.join('  ')).join('\n')}\n\`\`\``;
const table = (y: number, step: number) => ROWS.flatMap((row, at) => cells(y - 12 * at, row, step));
const caption = (y: number) =>
  lines(y, [`Table 1: Returns of five funds in each of the years; ${prose(1, 0, 9)}.`]);

const below = twoColumns(640, 'c', 'd');
const second = twoColumns(740, 'c', 'd');

it.each([
  ['at the top', [...caption(760), ...table(740, 110), ...below]],
  ['above its caption', [...table(760, 110), ...caption(680), ...below]],
  ['with a cell in the gutter', [...caption(760), ...table(740, 118), ...below]],
  ['at the bottom', [...second, ...table(460, 110), ...caption(380)]],
])('on a page with two columns, a full-width table %s keeps its rows', async (_, page) => {
  expect(await readColumns(FIRST, page)).toContain(FENCED);
});

const small = { size: 8, leading: 9 };

it.each([
  ['a copyright notice', lines(40, ['© 2018 The Society of Quiet Days'], small)],
  ['a preprint notice in body type', lines(40, ['Preprint submitted to the Annals of Days'])],
])('at the foot of the first page, %s is dropped', async (_, foot) => {
  const text = ['a', 'b', 'c', 'd'].flatMap((name) => marked(name, 20)).join(' ');
  expect(await readColumns([...FIRST, ...foot], second)).toBe(text);
});

it('the authors’ notes at the foot of the first page are kept, but a copyright notice is dropped', async () => {
  const notes = lines(100, ['1We thank the Society of Quiet Days.'], small);
  const texts = ['Copyright 2018 by the authors.', '2Ada Nobody is with the Society.'];
  const text = await readColumns([...FIRST, ...notes, ...lines(60, texts, small)], second);
  expect(text).toContain('1 We thank the Society of Quiet Days.');
  expect(text).toContain('2 Ada Nobody is with the Society.');
  expect(text).not.toContain('Copyright');
});

it('a line of body text that starts like a notice is kept', async () => {
  const [a = '', b = ''] = prose(2);
  const text = [a, 'Copyright is of no', `concern. ${b}`];
  const page = lines(66, text, { leading: 12 });
  expect(await contentsOf([heading(720, '1 Data'), ...page])).toEqual([['1 Data', text.join(' ')]]);
});
