import { expect, it } from 'vitest';
import { formula, inline, list, markdownOf, note, paragraph } from './paper.ts';

const styled = (font: string, text: string) =>
  `<span class="ltx_text ltx_font_${font}">${text}</span>`;
const bold = (text: string) => styled('bold', text);
const link = (href: string, text: string, type = 'ltx_ref') =>
  `<a href="${href}" class="${type}">${text}</a>`;
const CITED = `${link('#b1', '12')}, ${link('https://arxiv.org/html/1v1#b', 'K2')}`;
const SITE_LINK = link('https://x.org/a(b)', 'here', 'ltx_ref ltx_href');
const BARE_LINK = link('https://x.org/a', 'https://x.org/a', 'ltx_url ltx_font_typewriter');
const ADDRESSES = 'mail a.b@c.org, www.d.org or https://e.org/f_g';

it.each([
  ['bold type', `a ${bold('b')} c`, 'a **b** c'],
  ['italics', `a ${styled('italic', 'b ')}c`, 'a *b* c'],
  ['typewriter type', `a ${styled('typewriter', 'f_x()')} c`, 'a `f_x()` c'],
  ['separate asterisks for each of two bold words', `${bold('a')} ${bold('b')}`, '**a** **b**'],
  ['no style inside a word', `a${bold('(b')}c`, 'a(bc'],
  ['an upright word within bold type', bold(`a ${styled('medium', 'b')} c`), '**a** b **c**'],
  ['a line break', 'a<br class="ltx_break">b', 'a  \nb'],
  ['raised and lowered digits', 'm<sup>2</sup> H<sub>2</sub>O', 'm² H₂O'],
  ['raised words', 'x<sup>max</sup> 4<sup>th</sup> N<sup>®</sup>', 'x^max 4th N®'],
  ['lowered words', 'y<sub>a,b</sub> z', 'y_(a,b) z'],
  ['single spaces for all white space', 'a\n \u00a0 b\u2028c', 'a b c'],
  ['no invisible characters', 'a\u200bb\u00adc\u202ed\ue000e\u0007f', 'abcdef'],
  ['no phantom text', 'a<span class="ltx_text ltx_phantom"><span>0</span></span>b', 'ab'],
  ['a citation as plain text', `<cite class="ltx_cite">[${CITED}]</cite>`, '[12, K2]'],
  [
    'a reference as plain text',
    'Section <a href="#S2" class="ltx_ref" title="2 Data"><span class="ltx_text ltx_ref_tag">2</span></a>',
    'Section 2',
  ],
  ['a link to another site', SITE_LINK, '[here](https://x.org/a%28b%29)'],
  ['a URL that is its own link text', BARE_LINK, 'https://x.org/a'],
  ['a mail link', '<a href="mailto:a@x.org">write</a>', '[write](mailto:a@x.org)'],
  ['only the words of a link to a script', '<a href="java\nscript:alert(1)">here</a>', 'here'],
  ['only the words of a relative link', '<a href="S2.html">here</a>', 'here'],
  [
    'escaped text that looks like a tag',
    '<iframe src="x"></iframe><object>kept</object> &lt;img src=x onerror=y&gt;',
    'kept \\<img src=x onerror=y>',
  ],
])('the Markdown of a paragraph has %s', (_, html, markdown) => {
  expect(inline(html)).toBe(markdown);
});

it.each([
  ['# not a title', '\\# not a title'],
  ['&gt; no quotation', '\\> no quotation'],
  ['- no item', '\\- no item'],
  ['3. no item', '3\\. no item'],
  ['a *b* _c_ snake_case x_1', 'a \\*b\\* \\_c_ snake_case x_1'],
  ['5 * 3 [12] R&amp;D &amp;amp; a~b', '5 * 3 [12] R&D \\&amp; a~b'],
  ['costs $5 or $6', 'costs \\$5 or \\$6'],
  ['&lt;b&gt;bold&lt;/b&gt;', '\\<b>bold\\</b>'],
  ['[a](http://x.org) [^1]', '[a]\\(http://x.org) \\[^1]'],
  ['[x] done', '\\[x] done'],
  [ADDRESSES, ADDRESSES],
])('a paragraph keeps %j as plain text', (html, markdown) => {
  expect(inline(html)).toBe(markdown);
});

it('footnotes are placed at the end of the section, labelled with their marks', () => {
  const first = note('1', `See ${formula('p')}.`);
  const second = note('2', `Again <a href="https://x.org/y">there</a>.`);
  expect(markdownOf(paragraph(`a${first} b${second}.`) + paragraph('c'))).toBe(
    'a[^1] b[^2].\n\nc\n\n[^1]: See $p$.\n\n[^2]: Again [there](https://x.org/y).',
  );
});

it('footnotes may contain paragraphs and other notes', () => {
  const two = `<span class="ltx_p">One${note('2', 'Inner.')}.</span><span class="ltx_p">Two.</span>`;
  const markdown = 'x[^1]\n\n[^1]: One[^2].\n\n    Two.\n\n[^2]: Inner.';
  expect(inline(`x${note('1', two)}`)).toBe(markdown);
});

it('a footnote whose text is elsewhere is only a mark', () => {
  const mark = note('2', '').replace('ltx_role_footnote', 'ltx_role_footnotemark');
  expect(inline(`Lee${mark}`)).toBe('Lee²');
});

const error = (command: string) => `<span class="ltx_ERROR undefined">${command}</span>`;

it('failed commands are dropped along with their arguments, but the steps of an algorithm are kept', () => {
  expect(inline(`a ${error('\\hdashline')}[0.4pt/2pt] b`)).toBe('a b');
  expect(inline(`a ${error('\\foo')}{x}[y] b [12]`)).toBe('a b [12]');
  expect(inline(`a ${error('\\foo')}${formula('x')} [H]`)).toBe('a $x$ [H]');
  expect(markdownOf(error('{algorithm}') + paragraph('[H] text'))).toBe('text');
  const assumption = list('ul', ['[A1]', paragraph('Prices jump.')]);
  expect(markdownOf(error('{assumption}') + assumption)).toBe('- [A1] Prices jump.');
  const steps = `${error('\\STATE')}${formula('t=0')} ${error('\\WHILE')}${formula('t&lt;9')}`;
  expect(inline(steps)).toBe('$t=0$  \nwhile $t<9$');
});
