import { expect, it } from 'vitest';
import { lines } from '../../../../../stand-ins/pdf.ts';
import { bold, cells, contentsOf, heading, prose, readPages, textOf } from './maker.ts';

const text = (y: number, from: number) => lines(y, [`${prose(1, from)}.`]);

it('headings in a PDF start sections, but those of subsections stay inside a section', async () => {
  const page = [
    ...[heading(740, '1 Introduction'), ...text(722, 0), heading(690, '2 Data'), ...text(672, 1)],
    { x: 72, y: 640, text: '2.1 Sample', size: 12, font: 'bold' as const },
    ...[...text(622, 2), heading(590, 'Acknowledgements'), ...text(572, 3)],
    heading(540, 'References'),
    ...lines(520, ['[1] A. Lee. On curves.', '[2] B. Kim. On lines and', 'other things.']),
    ...[heading(460, 'A Proofs'), ...text(442, 4)],
  ];
  const [a, b, c, d, e] = [0, 1, 2, 3, 4].map((from) => `${prose(1, from)}.`);
  const works = '- [1] A. Lee. On curves.\n- [2] B. Kim. On lines and other things.';
  const sections = await readPages(page);
  expect(sections.map(({ key, title, content }) => [key, title, content])).toEqual([
    ['s00-introduction', '1 Introduction', a],
    ['s01-data', '2 Data', `${b}\n\n### 2.1 Sample\n\n${c}`],
    ['s02-acknowledgements', 'Acknowledgements', d],
    ['references', 'References', works],
    ['s04-proofs', 'A Proofs', e],
  ]);
  expect(sections.at(-1)?.type).toBe('appendix');
});

it('numbered table rows, list items and equations are not headings', async () => {
  const [a = '', b = ''] = prose(2);
  const text = await textOf(
    ...lines(716, [`${a}:`]),
    ...lines(698, ['1. Bonds of the state', '2. Stocks of the firms'], { x: 86 }),
    ...cells(660, ['Rate', '2 Years', '3 Years'], 100),
    ...cells(648, ['7 Bonds', '1.5', '2.5'], 100),
    ...lines(620, [`${b}.`]),
    { x: 200, y: 596, text: '2 X = Y + 1' },
  );
  const list = '1. Bonds of the state\n2. Stocks of the firms';
  const table = '```\nRate  2 Years  3 Years\n7 Bonds  1.5  2.5\n```';
  expect(text).toBe(`${a}:\n\n${list}\n\n${table}\n\n${b}.\n\n2 X = Y + 1`);
});

it('headings with Roman numerals may have lettered subsections; a heading in capitals ends where the capitals end', async () => {
  const capitals = (y: number, title: string) => ({ x: 250, y, text: title });
  const body = (y: number, from: number) => lines(y, prose(8, from));
  const page = [
    ...[capitals(740, 'I. INTRODUCTION'), ...body(728, 0)],
    ...[capitals(610, 'II. PRICES UNDER A RULE THAT'), capitals(598, 'MANY TRADERS FOLLOW')],
    ...body(586, 20),
    ...[{ x: 72, y: 470, text: 'A. The sample', font: 'italic' as const }, ...text(452, 2)],
    ...[capitals(420, 'III. RESULTS'), ...body(408, 40)],
  ];
  expect(await contentsOf(page)).toEqual([
    ['I. INTRODUCTION', prose(8).join(' ')],
    [
      'II. PRICES UNDER A RULE THAT MANY TRADERS FOLLOW',
      `${prose(8, 20).join(' ')}\n\n### A. The sample\n\n${prose(1, 2)}.`,
    ],
    ['III. RESULTS', prose(8, 40).join(' ')],
  ]);
});

it('a titled table of contents is dropped', async () => {
  const page = [
    heading(740, 'Contents'),
    ...[bold(720, '1 Introduction'), bold(720, '2', 500)],
    ...lines(700, [`1.1 Days ${'. '.repeat(20)} 2`]),
    ...[bold(680, '2 Data'), bold(680, '3', 500)],
    heading(600, '1 Introduction'),
    ...lines(580, [`${prose(1)}.`]),
  ];
  expect(await contentsOf(page)).toEqual([['1 Introduction', `${prose(1)}.`]]);
});

const title = lines(740, ['On the Price of Quiet Days'], { x: 180, size: 17 });
const author = lines(715, ['Ada Nobody', 'University of Nowhere'], { x: 260, size: 12 });
const rest = [heading(560, '1 Introduction'), ...lines(540, [`${prose(1)}.`])];

it('an abstract with a heading or label is the first section, without title and authors', async () => {
  const [a = '', b = ''] = prose(2, 5);
  const label = bold(670, 'Abstract', 280);
  for (const abstract of [[label, ...lines(652, [a, b])], lines(660, [`Abstract. ${a}`, b])]) {
    const [first] = await readPages([...title, ...author, ...abstract, ...rest]);
    expect(first).toMatchObject({ key: 'abstract', title: 'Abstract', content: `${a} ${b}` });
  }
});

it('numbered affiliations in the front matter are not sections', async () => {
  const names = ['1 University of Nowhere', '2 School of Quiet Days'];
  const places = lines(690, names, { x: 230, font: 'italic' });
  const abstract = [bold(650, 'ABSTRACT', 280), ...lines(632, prose(2, 5))];
  expect(await contentsOf([...title, ...author, ...places, ...abstract, ...rest])).toEqual([
    ['Abstract', prose(2, 5).join(' ')],
    ['1 Introduction', `${prose(1)}.`],
  ]);
});

it('a title that starts with "Abstract" is not the abstract', async () => {
  const own = lines(740, ['Abstract Spaces of Quiet Days'], { x: 200, size: 10.5 });
  const abstract = [
    bold(660, 'Abstract'),
    { x: 118, y: 660, text: 'We ask what days cost.' },
    ...lines(648, prose(2, 5)),
  ];
  expect((await contentsOf([...own, ...author, ...abstract, ...rest]))[0]).toEqual([
    'Abstract',
    `We ask what days cost. ${prose(2, 5).join(' ')}`,
  ]);
  expect((await contentsOf([...own, ...author, ...rest]))[0]?.[0]).toBe('Front matter');
});

it('the front matter stays whole if no abstract is labelled', async () => {
  const page = [...title, ...author, ...lines(660, prose(5, 5)), ...rest];
  const [[name, text = ''] = []] = await contentsOf(page);
  expect(name).toBe('Front matter');
  expect(text.split('\n\n').at(-1)).toBe(prose(5, 5).join(' '));
});
