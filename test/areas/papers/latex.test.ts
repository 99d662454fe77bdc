import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainTex, readableTex } from '../../../src/areas/papers/latex.ts';

describe('for words and vectors', () => {
  it.each([
    ['$\\alpha$-stable laws', 'alpha-stable laws'],
    ['an $L^2$ bound', 'an L2 bound'],
    ['with $\\sigma_t^2$ known', 'with sigma t2 known'],
    ['the ratio $\\frac{a}{b}$', 'the ratio a/b'],
    ['falls by $10\\%$', 'falls by 10%'],
    ['in $\\mathbb{R}^d$', 'in R d'],
    ['a \\textit{very} \\textbf{\\emph{rough}} path', 'a very rough path'],
    ['{\\em fast} and {BERT}', 'fast and BERT'],
    ['as in \\cite{smith} and~\\ref{eq}', 'as in and'],
    ['a note\\footnote{not here} ends', 'a note ends'],
    ['Merger\\&Acquisition', 'Merger&Acquisition'],
    ["``quoted'' words", '“quoted” words'],
    ['long---short, 10--20', 'long—short, 10–20'],
    ['\\(x + y\\) and \\[z\\]', 'x + y and z'],
    ['see \\href{https://x.org}{the page}', 'see the page'],
  ])('%s', (tex, words) => {
    expect(plainTex(tex)).toBe(words);
  });
});

describe('for display', () => {
  it.each([
    ['Erd\\H{o}s, Poincar\\\'e and M\\"{o}bius', 'Erdős, Poincaré and Möbius'],
    ["\\v{C}ern\\'y, \\O{}ksendal, Stra\\ss e", 'Černý, Øksendal, Straße'],
    ['{\\L}ukasz and \\AA rhus', 'Łukasz and Århus'],
    ['na\\"{\\i}ve, Fran\\c{c}ois', 'naïve, François'],
    ['\\textit{a} $x^2$ \\(y\\)', 'a $x^2$ $y$'],
    ['50\\% of \\$5', '50% of $5'],
    ['well-known 3-factor', 'well-known 3-factor'],
    ['plain words', 'plain words'],
  ])('%s', (tex, text) => {
    expect(readableTex(tex)).toBe(text);
  });
});

it.each([
  'The fund lost $5 million and $10 million.',
  'between $5 and $7, or US$5bn (A$7bn)',
  'a price of $5-$10 a barrel',
  'costs $3',
])('sums of money stay money: %s', (text) => {
  expect(plainTex(text)).toBe(text);
  expect(readableTex(text)).toBe(text);
});

it.each(['{', '}', '\\', '$', '$$', '\\begin{', "\\'", '{{{{}', '\\(', '$a', '\\frac{1}'])(
  'what is no TeX does no harm: %s',
  (text) => {
    expect(typeof plainTex(text)).toBe('string');
    expect(typeof readableTex(`a ${text} b`)).toBe('string');
  },
);

it('never throws, and leaves no backslash command to the index', () => {
  const piece = fc.oneof(
    fc.constantFrom('$', '\\', '{', '}', '\\alpha', '\\textit{', '^', '_', "\\'e", '$x$', '\\('),
    fc.string({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      readableTex(text);
      expect(plainTex(text)).not.toMatch(/\\alpha|\\textit/);
    }),
  );
});

it('takes time in proportion to the text', () => {
  const hostile = `${'\\textit{'.repeat(20_000)}${'$'.repeat(20_000)}${'{'.repeat(20_000)}`;
  const begun = performance.now();
  plainTex(hostile);
  readableTex(hostile);
  expect(performance.now() - begun).toBeLessThan(20_000);
});
