import { expect, it } from 'vitest';
import { equation, formula, inline, list, markdownOf, paragraph, row, tabular } from './paper.ts';

const bold = (text: string) => `<span class="ltx_text ltx_font_bold">${text}</span>`;
const tableOf = (...rows: string[][]) => markdownOf(tabular(...rows));

const caption = (label: string, text: string, kind = 'figure') =>
  `<figcaption class="ltx_caption"><span class="ltx_tag ltx_tag_${kind}">${label}: </span>${text}</figcaption>`;

it('a figure is replaced by its caption', () => {
  const image = '<img src="x.png" class="ltx_graphics" alt="Refer to caption">';
  const body = image + caption('Figure 2', `The ${formula('h')}.`);
  expect(markdownOf(`<figure class="ltx_figure">${body}</figure>`)).toBe('**Figure 2.** The $h$.');
});

it('captions of nested figures are kept in order, unless they are only a letter', () => {
  const part = (label: string, text: string) =>
    `<div class="ltx_flex_cell"><figure class="ltx_figure">${caption(label, text)}</figure></div>`;
  const html = `<figure class="ltx_figure"><div class="ltx_flex_figure">${part('(a)', 'Left.')}${part('(b)', '')}</div>${caption('Figure 3', 'Both.')}</figure>`;
  expect(markdownOf(html)).toBe('**(a).** Left.\n\n**Figure 3.** Both.');
});

it('drawings keep their prose and their labels, but no axis numbers', () => {
  const box = (words: string) => `<foreignObject><p class="ltx_p">${words}</p></foreignObject>`;
  const ticks = [box('0.5'), box(formula('10^{2}')), '<text>1990</text>'].join('');
  const labels = `<text>Input</text>${ticks}${box(`Layer<br>${formula('k')}`)}`;
  const svg = `<svg class="ltx_picture"><g>${labels}${box('A box is drawn around these words.')}</g></svg>`;
  const words = 'Input; Layer $k$\n\nA box is drawn around these words.';
  expect(markdownOf(`<div class="ltx_para">${svg}</div>`)).toBe(words);
  const inText = svg.replaceAll(/<\/?p[^>]*>/g, '');
  expect(inline(`see <span>${inText}</span> here`)).toBe(`see\n\n${words}\n\nhere`);
});

it('a table follows its caption', () => {
  const rows = tabular(['Year', 'Return'], ['1999', formula('r_{1}')]);
  const name = caption(bold('Table 1'), 'Returns.', 'table');
  const markdown = '**Table 1.** Returns.\n\n| Year | Return |\n| - | - |\n| 1999 | $r_{1}$ |';
  expect(markdownOf(`<figure class="ltx_table">${rows}${name}</figure>`)).toBe(markdown);
});

it('bars in a table cell are escaped, and its lines are joined', () => {
  const tex = 'P(A|B)\\|x\\|';
  expect(tableOf(['a|b', formula(tex)], ['<code>x|y</code>', 'z'])).toBe(
    '| a\\|b | $P(A\\vert B)\\Vert x\\Vert$ |\n| - | - |\n| `x\\|y` | z |',
  );
  const cell = `${paragraph('first')}${paragraph('second')}third<br>fourth`;
  const lines = tabular(['one'], ['two']);
  expect(tableOf([cell, 'b'], [lines, 'd'])).toBe(
    '| first second third fourth | b |\n| - | - |\n| one two | d |',
  );
});

it('tables become fenced text if they contain a table or have more than 20 columns', () => {
  const inner = tabular(['a', formula('x|y')], ['c', 'd']);
  expect(tableOf(['left', inner], ['u', 'v'])).toBe('```text\nleft | a x|y c d\nu | v\n```');
  const wide = Array.from({ length: 21 }, (_, k) => String(k));
  expect(tableOf(wide, wide)).toMatch(/^```text\n0 \| 1 \| .* \| 20\n0 \| 1/);
  expect(tableOf(wide.slice(1), wide.slice(1))).toMatch(/^\| 1 \| 2 /);
});

const NESTED = `<p class="ltx_p">a</p>${list('ul', ['•', 'c'])}`;
const TERM = `<dt class="ltx_item"><span class="ltx_tag ltx_tag_item">${bold('Beta')}</span></dt>`;
const DESCRIPTION = `<dd class="ltx_item">${paragraph('the slope.')}</dd>`;
const TERMS = `<dl class="ltx_description">${TERM}${DESCRIPTION}<dt></dt><dd>No term.</dd></dl>`;
const TWO_PARAGRAPHS = `<p class="ltx_p">a</p>${equation(row([formula('q')]))}<p class="ltx_p">b</p>`;

it.each([
  ['bullets', list('ul', ['•', 'a'], ['–', 'b']), '- a\n- b'],
  ['numbers', list('ol', ['3.', 'a'], ['4.', 'b']), '3. a\n4. b'],
  ['lettered labels', list('ol', ['(i)', 'a'], ['(ii)', formula('b')]), '- (i) a\n- (ii) $b$'],
  ['a bullet in TeX', list('ul', [formula('\\bullet'), 'a'], ['Step:', 'b']), '- a\n- Step: b'],
  ['no labels', '<ol><li>a</li><li>b</li></ol>', '1. a\n2. b'],
  ['a start number', '<ol start="4"><li>a</li><li>b</li></ol>', '4. a\n5. b'],
  ['another list inside an item', list('ol', ['1.', NESTED], ['2.', 'b']), '1. a\n   - c\n2. b'],
  ['two paragraphs in an item', list('ul', ['•', TWO_PARAGRAPHS]), '- a\n\n  $$\n  q\n  $$\n\n  b'],
  ['terms and descriptions', TERMS, '- **Beta** the slope.\n- No term.'],
])('a list with %s becomes a Markdown list', (_, html, markdown) => {
  expect(markdownOf(html)).toBe(markdown);
});

const theorem = (title: string, body: string, kind = 'theorem') =>
  `<div class="ltx_${kind}"><h6 class="ltx_title ltx_runin ltx_title_${kind}">${title}</h6><div class="ltx_para">${body}</div></div>`;

it('theorems and proofs start with their name and are not in italics', () => {
  const title = `<span class="ltx_tag ltx_tag_theorem">${bold('Theorem 1')}</span> (Main result).`;
  const body = `<p class="ltx_p"><span class="ltx_text ltx_font_italic">Let ${formula('n')} be <em class="ltx_emph">even</em>.</span></p>`;
  expect(markdownOf(theorem(title, body))).toBe('**Theorem 1 (Main result).** Let $n$ be *even*.');
  const proof = theorem('Proof.', '<p class="ltx_p">Clear. ∎</p>', 'proof');
  expect(markdownOf(proof)).toBe('**Proof.** Clear. ∎');
});

const line = (number: string, content: string) =>
  `<div class="ltx_listingline"><span class="ltx_tag ltx_tag_listingline">${number}:</span>${content}</div>`;

it('algorithms are fenced, with bare formulas and without line numbers', () => {
  const lines =
    line('1', ` ${bold('while')} ${formula('x&lt;y')} do`) +
    line('2', `   ${formula('x\\leftarrow x+1')}`);
  const html = `<figure class="ltx_float ltx_float_algorithm"><figcaption class="ltx_caption"><span class="ltx_tag ltx_tag_float">${bold('Algorithm 1')} </span>Count</figcaption><div class="ltx_listing">${lines}</div></figure>`;
  const code = 'while x<y do\n  x\\leftarrow x+1';
  expect(markdownOf(html)).toBe(`**Algorithm 1.** Count\n\n\`\`\`text\n${code}\n\`\`\``);
});

it('verbatim text is fenced, without its common indentation', () => {
  const html = '<pre class="ltx_verbatim">\n  a_b\n    ```c\n</pre>';
  expect(markdownOf(html)).toBe('````\na_b\n  ```c\n````');
});
