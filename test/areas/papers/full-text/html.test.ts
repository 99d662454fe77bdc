import { describe, expect, it } from 'vitest';
import {
  equation,
  formula,
  list,
  markdownOf,
  note,
  paragraph,
  row,
  tabular,
} from './html-paper.ts';

/** A paragraph and the Markdown it becomes. */
const inline = (html: string) => markdownOf(paragraph(html));

describe('formulas in running text', () => {
  it.each([
    ['the TeX annotation once', `a ${formula('x^{2}')} b`, 'a $x^{2}$ b'],
    ['the alternative text', '<math alttext="y_{1}"><mi>y</mi></math>', '$y_{1}$'],
    ['the shown text at last', '<math><mi>z</mi></math>', '$z$'],
    ['no leading \\displaystyle', formula('\\displaystyle\\sum_{i}i'), '$\\sum_{i}i$'],
    ['\\displaystyle within', formula('a\\displaystyle b'), '$a\\displaystyle b$'],
    ['joined lines', formula('a_{%\nb}+\\alpha%\nx+\\%\ny'), '$a_{b}+\\alpha x+\\% y$'],
    ['dollars within text', formula('\\text{if $x$ holds}'), '$\\text{if \\(x\\) holds}$'],
    ['an escaped dollar', formula('\\$5'), '$$\\$5$$'],
    ['a blank before a digit', `${formula('&lt;')}2.3`, '$<$ 2.3'],
    ['a blank between two', `${formula('a')}${formula('b')}`, '$a$ $b$'],
    ['MathJax spans', mathJax('k[x]'), '$k[x]$'],
    ['none where there is no TeX', `a ${formula('')} b`, 'a b'],
    ['no invisible signs', formula('f\u2061(x)\u2062y'), '$f(x)y$'],
  ])('%s', (_, html, markdown) => {
    expect(inline(html)).toBe(markdown);
  });
});

function mathJax(tex: string): string {
  return `<span class="ltx_Math"><span class="mjpage"><span class="mjx-chtml"><span class="mjx-math" aria-label="${tex}"><span class="mjx-char">k</span></span></span></span></span>`;
}

describe('displayed formulas', () => {
  const [a, b, c] = [formula('\\displaystyle a'), formula('=b'), formula('=c')];

  it.each([
    ['one', equation(row([formula('a=b', 'inline')])), '$$\na=b\n$$'],
    ['one with its number', equation(row([formula('a')], '(3)')), '$$\na \\tag{3}\n$$'],
    [
      'a number of its own kind',
      equation(row([formula('a')], '[A_1]')),
      '$$\na \\tag*{[A\\_1]}\n$$',
    ],
    ['a cell of words', equation(row([`${a} if 5% `])), '$$\na \\text{ if 5\\% }\n$$'],
    ['outside a table', paragraph(`so ${formula('u', 'block')} holds`), 'so\n\n$$\nu\n$$\n\nholds'],
  ])('%s', (_, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  it('is aligned in a group with one number', () => {
    const rows = row([a, b], '(1)', 2) + row(['', c]);
    expect(markdownOf(equation(rows, 'ltx_equationgroup'))).toBe(
      '$$\n\\begin{aligned}\na & =b \\\\\n& =c\n\\end{aligned}\n\\tag{1}\n$$',
    );
  });

  it('is a block for each number', () => {
    const rows = row([a, b], '(1)') + row(['', c], '(2)') + row([b]);
    expect(markdownOf(equation(rows, 'ltx_equationgroup'))).toBe(
      '$$\na =b \\tag{1}\n$$\n\n$$\n=c \\tag{2}\n$$\n\n$$\n=b\n$$',
    );
  });

  it('keeps the rows together that share a number', () => {
    const rows = row([a, b], '(1a)', 2) + row(['', c]) + row([a, c], '(1b)');
    expect(markdownOf(equation(rows, 'ltx_equationgroup'))).toBe(
      '$$\n\\begin{aligned}\na & =b \\\\\n& =c\n\\end{aligned}\n\\tag{1a}\n$$\n\n$$\na =c \\tag{1b}\n$$',
    );
  });

  it('keeps words between the rows as a paragraph', () => {
    const rows = row([a]) + row(['and then']) + row([c]);
    expect(markdownOf(equation(rows, 'ltx_equationgroup'))).toBe(
      '$$\na\n$$\n\nand then\n\n$$\n=c\n$$',
    );
  });

  it('separates equations that stand side by side', () => {
    const rows = row([a, b, a, c], '(1)') + row([a], '(2)');
    expect(markdownOf(equation(rows, 'ltx_equationgroup ltx_eqn_align'))).toContain(
      'a =b \\qquad a =c \\tag{1}',
    );
  });

  it('reads tables of older conversions, with the number at the left', () => {
    const old =
      '<table class="ltx_equation"><tr class="ltx_equation ltx_align_baseline"><td rowspan="1" class="ltx_align_middle ltx_align_left"><span class="ltx_tag ltx_tag_equation">(6)</span></td><td class="ltx_eqn_center_padleft"></td>' +
      `<td class="ltx_align_center">${formula('q')}</td><td class="ltx_eqn_center_padright"></td></tr></table>`;
    expect(markdownOf(old)).toBe('$$\nq \\tag{6}\n$$');
  });
});

describe('paragraphs', () => {
  const styled = (name: string, text: string) => `<span class="ltx_text ${name}">${text}</span>`;

  it.each([
    ['bold', `a ${styled('ltx_font_bold', 'b')} c`, 'a **b** c'],
    ['italic', `a ${styled('ltx_font_italic', 'b ')}c`, 'a *b* c'],
    ['emphasis of older conversions', '<em class="ltx_emph">b</em>', '*b*'],
    ['typewriter', `a ${styled('ltx_font_typewriter', 'f_x()')} c`, 'a `f_x()` c'],
    ['small capitals', styled('ltx_font_smallcaps', 'Garch'), 'Garch'],
    [
      'one style over two pieces',
      `${styled('ltx_font_bold', 'a')} ${styled('ltx_font_bold', 'b')}`,
      '**a** **b**',
    ],
    ['no style inside a word', `a${styled('ltx_font_bold', '(b')}c`, 'a(bc'],
    ['no style on a full stop', `a${styled('ltx_font_bold', '.')} b`, 'a. b'],
    [
      'an upright word in bold',
      styled('ltx_font_bold', `a ${styled('ltx_font_medium', 'b')} c`),
      '**a** b **c**',
    ],
    ['a line break', 'a<br class="ltx_break">b', 'a  \nb'],
    ['no break at the ends', '<br class="ltx_break">a<br class="ltx_break">', 'a'],
    ['raised and lowered digits', 'm<sup>2</sup> H<sub>2</sub>O', 'm² H₂O'],
    [
      'raised and lowered words',
      'x<sup>max</sup> y<sub>a,b</sub> 4<sup>th</sup> N<sup>®</sup>',
      'x^max y_(a,b) 4th N®',
    ],
    ['blanks of every kind as one', 'a\n \u00a0 b\u2028c', 'a b c'],
    ['composed letters', 'e\u0301', 'é'],
    ['nothing invisible', 'a\u200bb\u00adc\u202ed\ue000e\u0007f', 'abcdef'],
    ['nothing of a phantom', 'a<span class="ltx_text ltx_phantom"><span>0</span></span>b', 'ab'],
  ])('%s', (_, html, markdown) => {
    expect(inline(html)).toBe(markdown);
  });

  it.each([
    ['# not a title', '\\# not a title'],
    ['&gt; no quotation', '\\> no quotation'],
    ['- no item', '\\- no item'],
    ['\u200b# nor this', '\\# nor this'],
    ['3. no item', '3\\. no item'],
    ['a *b* _c_ snake_case x_1', 'a \\*b\\* \\_c_ snake_case x_1'],
    ['5 * 3 [12] R&amp;D &amp;amp; a~b', '5 * 3 [12] R&D \\&amp; a~b'],
    ['costs $5 or $6', 'costs \\$5 or \\$6'],
    ['&lt;b&gt;bold&lt;/b&gt;', '\\<b>bold\\</b>'],
    ['[a](http://x.org) [^1]', '[a]\\(http://x.org) \\[^1]'],
    ['C:\\new \\* end', 'C:\\new \\\\\\* end'],
    ['[x] done', '\\[x] done'],
    [
      'mail a.b@c.org, www.d.org or https://e.org/f_g',
      'mail a.b@c.org, www.d.org or https://e.org/f_g',
    ],
  ])('shows %j as text', (html, markdown) => {
    expect(inline(html)).toBe(markdown);
  });
});

describe('citations and links', () => {
  it.each([
    [
      'a citation',
      '<cite class="ltx_cite">[<a href="#b1" class="ltx_ref">12</a>, <a href="https://arxiv.org/html/1v1#b" class="ltx_ref">K2</a>]</cite>',
      '[12, K2]',
    ],
    [
      'a citation that links out',
      '<cite class="ltx_cite">(<a href="https://x.org/">Lee, 2020</a>)</cite>',
      '(Lee, 2020)',
    ],
    [
      'a reference',
      'Section <a href="#S2" class="ltx_ref" title="2 Data"><span class="ltx_text ltx_ref_tag">2</span></a>',
      'Section 2',
    ],
    [
      'a link out',
      '<a href="https://x.org/a(b)" class="ltx_ref ltx_href">here</a>',
      '[here](https://x.org/a%28b%29)',
    ],
    [
      'an address that shows itself',
      '<a href="https://x.org/a" class="ltx_url ltx_font_typewriter">https://x.org/a</a>',
      'https://x.org/a',
    ],
    ['mail', '<a href="mailto:a@x.org">write</a>', '[write](mailto:a@x.org)'],
    ['a script', '<a href="java\nscript:alert(1)">here</a>', 'here'],
    ['a file', '<a href="file:///etc/passwd">here</a>', 'here'],
    ['data', '<a href=" data:text/html,x">here</a>', 'here'],
    ['a page beside it', '<a href="S2.html">here</a>', 'here'],
  ])('%s', (_, html, markdown) => {
    expect(inline(html)).toBe(markdown);
  });
});

describe('footnotes', () => {
  it('stand at the end of the section under their marks', () => {
    const first = note('1', `See ${formula('p')}.`);
    const second = note('2', `Again <a href="https://x.org/y">there</a>.`);
    expect(markdownOf(paragraph(`a${first} b${second}.`) + paragraph('c'))).toBe(
      'a[^1] b[^2].\n\nc\n\n[^1]: See $p$.\n\n[^2]: Again [there](https://x.org/y).',
    );
  });

  it('are one where mark and words agree, two where only the mark does', () => {
    const notes = note('a', 'One.') + note('a', 'One.') + note('a', 'Two.') + note('†', 'Three.');
    expect(inline(`x${notes}`)).toBe(
      'x[^a][^a][^a-2][^note]\n\n[^a]: One.\n\n[^a-2]: Two.\n\n[^note]: Three.',
    );
  });

  it('may hold paragraphs, and notes of their own', () => {
    const inner = note('2', 'Inner.');
    expect(
      inline(
        `x${note('1', `<span class="ltx_p">One${inner}.</span><span class="ltx_p">Two.</span>`)}`,
      ),
    ).toBe('x[^1]\n\n[^1]: One[^2].\n\n    Two.\n\n[^2]: Inner.');
  });

  it('are only marks where the text stands elsewhere', () => {
    const mark = note('2', '').replace('ltx_role_footnote', 'ltx_role_footnotemark');
    expect(inline(`Lee${mark}`)).toBe('Lee²');
  });
});

describe('figures and captions', () => {
  const caption = (label: string, text: string, kind = 'figure') =>
    `<figcaption class="ltx_caption"><span class="ltx_tag ltx_tag_${kind}">${label}: </span>${text}</figcaption>`;

  it('are their captions', () => {
    const image = '<img src="x.png" class="ltx_graphics" alt="Refer to caption">';
    expect(
      markdownOf(
        `<figure class="ltx_figure">${image}${caption('Figure 2', `The ${formula('h')}.`)}</figure>`,
      ),
    ).toBe('**Figure 2.** The $h$.');
  });

  it('keep a description that somebody wrote', () => {
    const image = '<img src="x.png" alt="A rising curve">';
    expect(
      markdownOf(`<figure class="ltx_figure">${image}${caption('Figure 1', 'Yield.')}</figure>`),
    ).toBe('A rising curve\n\n**Figure 1.** Yield.');
  });

  it('come in order within another, bare letters left out', () => {
    const part = (label: string, text: string) =>
      `<div class="ltx_flex_cell"><figure class="ltx_figure">${caption(label, text)}</figure></div>`;
    const html = `<figure class="ltx_figure"><div class="ltx_flex_figure">${part('(a)', 'Left.')}${part('(b)', '')}</div>${caption('Figure 3', 'Both.')}</figure>`;
    expect(markdownOf(html)).toBe('**(a).** Left.\n\n**Figure 3.** Both.');
  });

  it('keep the prose of a drawing, not its labels', () => {
    const box = (words: string) => `<foreignObject><p class="ltx_p">${words}</p></foreignObject>`;
    const svg = `<svg class="ltx_picture"><g><text>axis</text>${box('0.5')}${box('A box is drawn around these words.')}</g></svg>`;
    expect(markdownOf(`<div class="ltx_para">${svg}</div>`)).toBe(
      'A box is drawn around these words.',
    );
    expect(inline(`see <span>${svg.replaceAll(/<\/?p[^>]*>/g, '')}</span>`)).toBe(
      'see A box is drawn around these words.',
    );
  });
});

describe('tables', () => {
  it('stand below their caption', () => {
    const html = `<figure class="ltx_table">${tabular([
      ['Year', 'Return'],
      ['1999', formula('r_{1}')],
    ])}<figcaption class="ltx_caption"><span class="ltx_tag ltx_tag_table"><span class="ltx_text ltx_font_bold">Table 1</span>: </span>Returns.</figcaption></figure>`;
    expect(markdownOf(html)).toBe(
      '**Table 1.** Returns.\n\n| Year | Return |\n| - | - |\n| 1999 | $r_{1}$ |',
    );
  });

  it('leave cells empty beside a wide one and repeat a tall one below', () => {
    const rows = [
      ['{rowspan=2}Fund', '{colspan=2}Risk'],
      ['low', 'high'],
      ['A', '1', '2'],
    ];
    expect(markdownOf(tabular(rows))).toBe(
      '| Fund | Risk | |\n| - | - | - |\n| Fund | low | high |\n| A | 1 | 2 |',
    );
  });

  it('keep bars inside their cells', () => {
    const tex = 'P(A|B)\\|x\\|\\begin{array}{c|c}a&amp;b\\end{array}';
    expect(
      markdownOf(
        tabular([
          ['a|b', formula(tex)],
          ['<code>x|y</code>', 'z'],
        ]),
      ),
    ).toBe(
      '| a\\|b | $P(A\\vert B)\\Vert x\\Vert\\begin{array}{cc}a&b\\end{array}$ |\n| - | - |\n| `x\\|y` | z |',
    );
  });

  it('set the lines of a cell in one', () => {
    const cell = `${paragraph('first')}${paragraph('second')}third<br>fourth`;
    const lines = tabular([['one'], ['two']]);
    expect(
      markdownOf(
        tabular([
          [cell, 'b'],
          [lines, 'd'],
        ]),
      ),
    ).toBe('| first second third fourth | b |\n| - | - |\n| one two | d |');
  });

  it('are fenced text where they hold another, or have more than 20 columns', () => {
    const inner = tabular([
      ['a', formula('x|y')],
      ['c', 'd'],
    ]);
    expect(
      markdownOf(
        tabular([
          ['left', inner],
          ['u', 'v'],
        ]),
      ),
    ).toBe('```text\nleft | a x|y c d\nu | v\n```');
    const wide = Array.from({ length: 21 }, (_, k) => String(k));
    expect(markdownOf(tabular([wide, wide]))).toMatch(/^```text\n0 \| 1 \| .* \| 20\n0 \| 1/);
    expect(markdownOf(tabular([wide.slice(1), wide.slice(1)]))).toMatch(/^\| 1 \| 2 /);
  });

  it('hold their notes', () => {
    expect(markdownOf(tabular([[`a${note('a', 'In units.')}`, 'b']]))).toBe(
      '| a[^a] | b |\n| - | - |\n\n[^a]: In units.',
    );
  });
});

describe('lists', () => {
  it('have bullets, or their own numbers', () => {
    expect(
      markdownOf(
        list('ul', [
          ['•', 'a'],
          ['–', 'b'],
        ]),
      ),
    ).toBe('- a\n- b');
    expect(
      markdownOf(
        list('ol', [
          ['3.', 'a'],
          ['4.', 'b'],
        ]),
      ),
    ).toBe('3. a\n4. b');
    expect(
      markdownOf(
        list('ol', [
          ['(i)', 'a'],
          ['(ii)', formula('b')],
        ]),
      ),
    ).toBe('- (i) a\n- (ii) $b$');
    expect(
      markdownOf(
        list('ul', [
          [formula('\\bullet'), 'a'],
          ['Step:', 'b'],
        ]),
      ),
    ).toBe('- a\n- Step: b');
  });

  it('count from where they start where the page has no labels', () => {
    expect(markdownOf('<ol><li>a</li><li>b</li></ol>')).toBe('1. a\n2. b');
    expect(markdownOf('<ol start="4"><li>a</li><li>b</li></ol>')).toBe('4. a\n5. b');
  });

  it('nest, and keep several paragraphs in an item', () => {
    const inner = list('ul', [['•', 'c']]);
    expect(
      markdownOf(
        list('ol', [
          ['1.', `<p class="ltx_p">a</p>${inner}`],
          ['2.', 'b'],
        ]),
      ),
    ).toBe('1. a\n   - c\n2. b');
    const two = `<p class="ltx_p">a</p>${equation(row([formula('q')]))}<p class="ltx_p">b</p>`;
    expect(markdownOf(list('ul', [['•', two]]))).toBe('- a\n\n  $$\n  q\n  $$\n\n  b');
  });

  it('of descriptions have their terms in bold', () => {
    const html =
      '<dl class="ltx_description"><dt class="ltx_item"><span class="ltx_tag ltx_tag_item"><span class="ltx_text ltx_font_bold">Beta</span></span></dt><dd class="ltx_item"><div class="ltx_para"><p class="ltx_p">the slope.</p></div></dd><dt></dt><dd>No term.</dd></dl>';
    expect(markdownOf(html)).toBe('- **Beta** the slope.\n- No term.');
  });
});

describe('theorems and proofs', () => {
  const theorem = (title: string, body: string, kind = 'theorem') =>
    `<div class="ltx_${kind}"><h6 class="ltx_title ltx_runin ltx_title_${kind}">${title}</h6><div class="ltx_para">${body}</div></div>`;

  it('open with their name and are upright', () => {
    const title =
      '<span class="ltx_tag ltx_tag_theorem"><span class="ltx_text ltx_font_bold">Theorem 1</span></span> (Main result).';
    const body = `<p class="ltx_p"><span class="ltx_text ltx_font_italic">Let ${formula('n')} be <em class="ltx_emph">even</em>.</span></p>`;
    expect(markdownOf(theorem(title, body))).toBe(
      '**Theorem 1 (Main result).** Let $n$ be *even*.',
    );
    expect(markdownOf(theorem('Proof.', '<p class="ltx_p">Clear. ∎</p>', 'proof'))).toBe(
      '**Proof.** Clear. ∎',
    );
  });

  it('stand alone before a formula', () => {
    expect(markdownOf(theorem('Lemma 2.', equation(row([formula('q')]))))).toBe(
      '**Lemma 2.**\n\n$$\nq\n$$',
    );
  });
});

describe('algorithms and listings', () => {
  const line = (number: string, content: string) =>
    `<div class="ltx_listingline"><span class="ltx_tag ltx_tag_listingline">${number}:</span>${content}</div>`;

  it('are fenced, formulas bare, line numbers gone', () => {
    const lines =
      line('1', ` <span class="ltx_text ltx_font_bold">while</span> ${formula('x&lt;y')} do`) +
      line('2', `   ${formula('x\\leftarrow x+1')}`);
    const html = `<figure class="ltx_float ltx_float_algorithm"><figcaption class="ltx_caption"><span class="ltx_tag ltx_tag_float"><span class="ltx_text ltx_font_bold">Algorithm 1</span> </span>Count</figcaption><div class="ltx_listing">${lines}</div></figure>`;
    expect(markdownOf(html)).toBe(
      '**Algorithm 1.** Count\n\n```text\nwhile x<y do\n  x\\leftarrow x+1\n```',
    );
  });

  it('keep verbatim text as it is', () => {
    expect(markdownOf('<pre class="ltx_verbatim">\n  a_b\n    ```c\n</pre>')).toBe(
      '````\na_b\n  ```c\n````',
    );
  });
});

describe('what is left out', () => {
  const error = (command: string) => `<span class="ltx_ERROR undefined">${command}</span>`;

  it('commands that failed, with what they leave behind', () => {
    expect(inline(`a ${error('\\hdashline')}[0.4pt/2pt] b`)).toBe('a b');
    expect(inline(`a ${error('\\foo')}{x}[y] b [12]`)).toBe('a b [12]');
    expect(inline(`a ${error('\\foo')}${formula('x')} [H]`)).toBe('a $x$ [H]');
    expect(markdownOf(error('{algorithm}') + paragraph('[H] text'))).toBe('text');
  });

  it('but not the steps of an algorithm', () => {
    const steps = `${error('\\STATE')}${formula('t=0')} ${error('\\WHILE')}${formula('t&lt;9')}`;
    expect(inline(steps)).toBe('$t=0$  \nwhile $t<9$');
  });

  it('authors, dates, pagination, navigation and everything of the site', () => {
    const chrome = `<nav class="ltx_TOC">Contents</nav><h1 class="ltx_title ltx_title_document">Title</h1><div class="ltx_authors">Lee${note('1', 'Basel')}</div><div class="ltx_dates">May</div><div class="ltx_pagination ltx_role_newpage">7</div><div class="ltx_rdf">rdf</div><div class="package-alerts">alert</div><button>Report</button><script>x</script><style>y</style><div id="watermark-tr">arXiv</div><span class="ltx_note ltx_note_frontmatter ltx_role_journal"><span class="ltx_note_content">journal</span></span><p class="sr-only">screen</p><div class="ltx_page_logo">logo</div>`;
    expect(markdownOf(chrome + paragraph('Text.'))).toBe('Text.');
  });

  it('tags: text that looks like one is text', () => {
    expect(
      inline('<iframe src="x"></iframe><object>kept</object> &lt;img src=x onerror=y&gt;'),
    ).toBe('kept \\<img src=x onerror=y>');
  });
});
