import { expect, it } from 'vitest';
import { equation, formula, inline, markdownOf, paragraph, row } from './paper.ts';

/** A formula for which LaTeXML gave no TeX, only presentation and content MathML. */
const SHOWN =
  '<semantics><mrow><mo>(</mo><mn>2.2</mn><mo>)</mo></mrow><annotation-xml encoding="MathML-Content"><cn type="float">2.2</cn></annotation-xml></semantics>';

const alt = (tex: string, interior = '') => `<math alttext="${tex}">${interior}</math>`;
const IMAGE = 'img src=q onerror=a(1)>';
const ARRAY = formula('\\begin{array}[]{c}\\mathbbm{1}\\end{array}');

it.each([
  ['a TeX annotation', `a ${formula('x^{2}')} b`, 'a $x^{2}$ b'],
  ['alternative text', alt('y_{1}', '<mi>y</mi>'), '$y_{1}$'],
  ['markup in its alternative text', alt(`x&lt;${IMAGE}`), `$x< ${IMAGE}$`],
  ['only visible symbols', '<math><mi>z</mi></math>', '$z$'],
  ['commands that MathML converters lack', ARRAY, '$\\begin{array}{c}\\mathbb{1}\\end{array}$'],
  ['line breaks', formula('a_{%\nb}+\\alpha%\nx+\\%\ny'), '$a_{b}+\\alpha x+\\% y$'],
  ['dollar signs within text', formula('\\text{if $x$ holds}'), '$\\text{if \\(x\\) holds}$'],
  ['an escaped dollar sign', formula('\\$5'), '$$\\$5$$'],
  ['a digit directly after it', `${formula('&lt;')}2.3`, '$<$ 2.3'],
  ['symbols in two kinds of MathML', `<math>${SHOWN}</math>`, '$(2.2)$'],
  ['empty alternative text', `${alt('', SHOWN)}b`, '$(2.2)$b'],
  ['a symbol that is special in TeX', '<math><mn>5</mn><mo>%</mo></math>', '$5\\%$'],
  [
    'another formula within its text',
    `<math><semantics><mtext>if ${formula('x')}</mtext><annotation encoding="application/x-tex">y</annotation></semantics></math>`,
    '$y$',
  ],
  ['an unclosed formula after it', `a ${formula('b')} <math alttext="c"><mi>c`, 'a $b$ $c$'],
  ['MathJax markup', mathJax('k[x]'), '$k[x]$'],
  ['invisible operators', formula('f\u2061(x)\u2062y'), '$f(x)y$'],
])('a formula with %s becomes TeX between dollar signs', (_, html, markdown) => {
  expect(inline(html)).toBe(markdown);
});

function mathJax(tex: string): string {
  return `<span class="ltx_Math"><span class="mjpage"><span class="mjx-chtml"><span class="mjx-math" aria-label="${tex}"><span class="mjx-char">k</span></span></span></span></span>`;
}

const CELLS = '<th class="ltx_td">0</th>';
const TABLE = '\\begin{tabular}{c}0\\\\ 7\\end{tabular}';
/** The cells inside would end the cell of the formula. */
const TABULAR = `<math alttext="${TABLE}" display="block"><semantics><mtable><mtr><mtd><mtext>${CELLS}</mtext></mtd></mtr></mtable><annotation-xml encoding="MathML-Content"><cerror>${CELLS}</cerror></annotation-xml><annotation encoding="application/x-tex">${TABLE}</annotation></semantics></math>`;
/** As older conversions write a displayed formula: with its number on the left. */
const OLD = `<table class="ltx_equation"><tr class="ltx_equation ltx_align_baseline"><td rowspan="1" class="ltx_align_middle ltx_align_left"><span class="ltx_tag ltx_tag_equation">(6)</span></td><td class="ltx_eqn_center_padleft"></td><td class="ltx_align_center">${formula('q')}</td><td class="ltx_eqn_center_padright"></td></tr></table>`;
const numberedWith = (number: string) => equation(row([formula('a')], number));
const [a, b, c] = [formula('\\displaystyle a'), formula('=b'), formula('=c')];

it.each([
  ['a number', numberedWith('(3)'), '$$\na \\tag{3}\n$$'],
  ['a number in brackets', numberedWith('[A_1]'), '$$\na \\tag*{[A\\_1]}\n$$'],
  ['a number from \\eqno', numberedWith(`<math>${SHOWN}</math>`), '$$\na \\tag{2.2}\n$$'],
  ['a symbol as its number', numberedWith(`(${formula('\\ast')})`), '$$\na \\tag{\\(\\ast\\)}\n$$'],
  ['words in its cell', equation(row([`${a} if 5% `])), '$$\na \\text{ if 5\\% }\n$$'],
  [
    'one number for two rows',
    equation(row([a, b], '(1)', 2) + row(['', c]), 'ltx_equationgroup'),
    '$$\n\\begin{aligned}\na & =b \\\\\n& =c\n\\end{aligned}\n\\tag{1}\n$$',
  ],
  [
    'several numbers in a group',
    equation(row([a, b], '(1)') + row(['', c], '(2)') + row([b]), 'ltx_equationgroup'),
    '$$\na =b \\tag{1}\n$$\n\n$$\n=c \\tag{2}\n$$\n\n$$\n=b\n$$',
  ],
  [
    'a table inside it',
    paragraph('a') + equation(row([TABULAR], '(1)')) + paragraph('b'),
    `a\n\n$$\n${TABLE} \\tag{1}\n$$\n\nb`,
  ],
  ['a number on its left', OLD, '$$\nq \\tag{6}\n$$'],
])('a displayed formula with %s becomes display math', (_, html, markdown) => {
  expect(markdownOf(html)).toBe(markdown);
});
