import { expect, it } from 'vitest';
import { lines, type Print } from '../../../../../stand-ins/pdf.ts';
import { cells, contentsOf, heading, prose, textOf } from './maker.ts';

it('a new paragraph of a PDF begins at an indent or after vertical space', async () => {
  const [a = '', b = '', c = '', d = '', e = ''] = prose(5);
  const text = await textOf(
    ...lines(676, [a, `${b}.`]),
    ...lines(652, [c], { x: 87 }),
    ...lines(640, [`${d}.`]),
    ...lines(610, [e]),
  );
  expect(text).toBe(`${a} ${b}.\n\n${c} ${d}.\n\n${e}`);
});

it('a list item in a PDF continues on lines that begin left of its number', async () => {
  const [a = '', b = '', c = '', d = ''] = prose(4);
  const text = await textOf(
    ...lines(676, [`(1) ${a}`], { x: 87 }),
    ...lines(664, [b, c]),
    ...lines(640, [`(2) ${d}`], { x: 87 }),
  );
  expect(text).toBe(`- (1) ${a} ${b} ${c}\n- (2) ${d}`);
});

it.each(['Introduction', 'Reference Prices'])(
  'paragraphs in the section "%s" of a PDF continue across pages and around floats',
  async (title) => {
    const [a = '', b = '', c = ''] = prose(3);
    const float = 'Table 1: The numbers of days.';
    const first = [heading(700, `1 ${title}`), ...lines(676, [a, `${b} and`])];
    const second = [...lines(700, [float]), ...lines(660, [`then ${c}.`])];
    const text = `${a} ${b} and then ${c}.\n\n${float}`;
    expect(await contentsOf(first, second)).toEqual([[`1 ${title}`, text]]);
  },
);

it.each([
  [
    'words split at line ends are rejoined, but keep real hyphens',
    [
      `The long-run mean and the state-of-the-art ${'model of prices '.repeat(2)}fore-`,
      `cast what is long-`,
      'run and what the Black-',
      'Scholes rule of 2020-',
      '2021 says of short- and of pre-',
      'and post-war days.',
    ],
    'The long-run mean and the state-of-the-art model of prices model of prices forecast what is long-run and what the Black-Scholes rule of 2020-2021 says of short- and of pre- and post-war days.',
  ],
  ['ligatures become letters', ['\x01nance and \x02ow'], 'finance and flow'],
  ['Markdown is escaped', ['They *cost* $5 <b>'], 'They \\*cost\\* \\$5 \\<b>'],
  [
    // 0xA8, 0xB4 and 0x98 are a separate diaeresis, acute and tilde.
    'letters get the accents that are printed beside them',
    ['A na\xa8ive Poincar\xb4e and Dem\x88eter met El Ni\x98no but not \xb4x'],
    'A naïve Poincaré and Demêter met El Niño but not ´x',
  ],
  [
    'URLs split at line ends are rejoined',
    ['It is at https://', 'days.example/a and at https://quiet.', 'example/b. So it was.'],
    'It is at https://days.example/a and at https://quiet.example/b. So it was.',
  ],
])('in a PDF, %s', async (_, texts, read) => {
  expect(await textOf(...texts)).toBe(read);
});

it('the margins of a PDF are stripped of running heads, page numbers and the arXiv stamp', async () => {
  const page = (number: number, texts: string[]): Print[] => [
    { x: 200, y: 760, text: `Journal of Prices ${number}`, size: 9 },
    ...lines(690, texts),
    { x: 300, y: 40, text: String(number), size: 10 },
    { x: 20, y: 200, text: 'arXiv:2501.00001v1 [q-fin.ST] 1 Jan 2025', size: 20, isUpright: true },
  ];
  const [a = '', b = '', c = ''] = prose(3);
  const first = page(1, [`${a} and`]).concat(heading(720, '1 Introduction'));
  expect(await contentsOf(first, page(2, [`then ${b} so`]), page(3, [`${c}.`]))).toEqual([
    ['1 Introduction', `${a} and then ${b} so ${c}.`],
  ]);
});

it('tables at the top of a page keep the numbers above their columns', async () => {
  const table = (number: number, what: string): Print[] => [
    ...lines(720, [`Table ${number}: Returns by ${what}.`]),
    ...cells(706, ['(1)', '(2)', '(3)', '(4)'], 90),
    ...cells(690, [what, '0.1', '0.2', '0.3'], 90),
  ];
  const start = [heading(700, '1 Introduction'), ...lines(676, prose(5))];
  const [[, text = ''] = []] = await contentsOf(start, table(1, 'size'), table(2, 'value'));
  for (const what of ['size', 'value']) {
    expect(text).toContain(`\`\`\`\n(1)  (2)  (3)  (4)\n${what}  0.1  0.2  0.3\n\`\`\``);
  }
});

it('lines of text that end with a number are not taken for running heads', async () => {
  const pages = [3, 9, 4, 1].map((count, at): Print[] => [
    ...(at === 0 ? [heading(780, '1 Introduction')] : []),
    ...lines(750, [`x${at}y ${prose(1, at)} ${count}`, `${prose(1, at + 1)} and`]),
  ]);
  const [[, content] = []] = await contentsOf(...pages);
  expect(content?.match(/x\dy/g)).toEqual(['x0y', 'x1y', 'x2y', 'x3y']);
});

it('notes and captions follow the paragraph that they interrupt, without the labels of drawings', async () => {
  const [a = '', b = ''] = prose(2);
  const first = [
    heading(740, '1 Data'),
    ...lines(720, [`${a} and`]),
    { x: 72, y: 84, text: '1', size: 6 },
    ...lines(80, ['A note on prices.'], { x: 76, size: 8 }),
  ];
  const second = [
    { x: 100, y: 700, text: '0.5 quiet', size: 6, font: 'italic' as const },
    { x: 100, y: 680, text: '1.0 loud', size: 6, font: 'italic' as const },
    ...lines(650, ['Figure 1: Days by their noise.']),
    ...lines(610, [`then ${b}.`]),
  ];
  expect(await contentsOf(first, second)).toEqual([
    ['1 Data', `${a} and then ${b}.\n\n1 A note on prices.\n\nFigure 1: Days by their noise.`],
  ]);
});

it('superscripts and numerators stay in their line, and a denominator follows it', async () => {
  const text = await textOf(
    { x: 72, y: 718, text: 'The share R' },
    { x: 118.2, y: 722, text: '2', size: 7 },
    { x: 124, y: 718, text: 'is high on most of the days that follow one another.' },
    { x: 150, y: 690, text: 'f(x) =' },
    { x: 184, y: 697, text: 'a + b' },
    { x: 188, y: 683, text: 'c' },
    { x: 212, y: 690, text: '+ d.' },
  );
  const share = 'The share R2 is high on most of the days that follow one another.';
  expect(text).toBe(`${share}\n\nf(x) = a + b + d.\n\nc`);
});

it('references continue across pages, even if the last line of a page starts with a volume number', async () => {
  const small = { size: 8, leading: 9 };
  const first = [
    heading(700, 'References'),
    ...lines(680, ['[1] B. Kim. On lines. Old Journal', '93 (2009) 970.'], small),
  ];
  const second = lines(600, ['[2] A. Lee. On curves.', '[3] C. Poe. On days.'], small);
  expect((await contentsOf(first, second))[0]).toEqual([
    'References',
    '- [1] B. Kim. On lines. Old Journal 93 (2009) 970.\n- [2] A. Lee. On curves.\n- [3] C. Poe. On days.',
  ]);
});
