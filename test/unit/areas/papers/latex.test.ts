import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plainTex, readableTex } from '../../../../src/areas/papers/latex.ts';

it.each([
  ['$\\alpha$-stable laws', 'alpha-stable laws'],
  ['an $L^2$ bound', 'an L2 bound'],
  ['with $\\sigma_t^2$ known', 'with sigma t2 known'],
  ['a \\textit{very} \\textbf{\\emph{rough}} path', 'a very rough path'],
  ['as in \\cite{smith} and~\\ref{eq}', 'as in and'],
  ['a note\\footnote{not here} ends', 'a note ends'],
  ["``quoted'' words", '“quoted” words'],
  ['long---short, 10--20', 'long—short, 10–20'],
  ['see \\href{https://x.org}{the page}', 'see the page'],
  ['$x \\in \\mathbb{R}^d \\times \\mathcal{D}$', 'x in R d x D'],
  ['$f(\\mathbf{x}) \\lesssim 2$', 'f(x) ≤ 2'],
  ['the $n^\\text{th}$ of $2938$ at time $0$', 'the n th of 2938 at time 0'],
  ['from $-$10.47% to USD$\\sim$340,000', 'from -10.47% to USD~340,000'],
  ['as (\\citep[see][p. 3]{x}) by \\citet{y}.', 'as by.'],
  ['by \\textcolor{red}{far}, \\textsuperscript{2}', 'by far, 2'],
  ['a Q\\\\&A, line\\\\break', 'a Q&A, line break'],
  ["the `zero-loss' rule isn't `new", "the ‘zero-loss’ rule isn't `new"],
  ['paid $5 million (for $x_t$ units) and $\\alpha$', 'paid $5 million (for x t units) and alpha'],
])('TeX becomes words in the search index: %s', (tex, words) => {
  expect(plainTex(tex)).toBe(words);
});

it.each([
  ['Erd\\H{o}s, Poincar\\\'e and M\\"{o}bius', 'Erdős, Poincaré and Möbius'],
  ["\\v{C}ern\\'y, \\O{}ksendal, Stra\\ss e", 'Černý, Øksendal, Straße'],
  ['na\\"{\\i}ve, na\\"\\i ve, Fran\\c{c}ois', 'naïve, naïve, François'],
  ['\\textit{a} $x^2$ \\(y\\)', 'a $x^2$ $y$'],
  ['$1.2 million, 15\\% more than $1.0 million', '$1.2 million, 15% more than $1.0 million'],
  ['A \\constructor paper on \\toString bonds', 'A paper on bonds'],
  ["Erd\\H os, \\v Z, G\\^ateaux, {\\'E}tienne", 'Erdős, Ž, Gâteaux, Étienne'],
  ['$$x = 1$$ and \\[y\\]', '$$x = 1$$ and $$y$$'],
  ['\\url{https://a.edu/~lee/} and Lee~Kim', 'https://a.edu/~lee/ and Lee Kim'],
  ['~59% of it, up to ~ 34% (~\\$5)', '~59% of it, up to ~ 34% (~$5)'],
  ['$X$ ~ $N(0, 1)$ as in Lemma~2 of Lee~\\cite{x}', '$X$ ~ $N(0, 1)$ as in Lemma 2 of Lee'],
])('TeX becomes readable text for display: %s', (tex, text) => {
  expect(readableTex(tex)).toBe(text);
});

it.each([
  'The fund lost $5 million and $10 million.',
  'a price of $5-$10 a barrel',
  'from $8.3M in losses and a 15% fall to $1B',
  'the $5 million (net) and the $7 million (gross)',
])('TeX conversion leaves sums of money alone: %s', (text) => {
  expect(plainTex(text)).toBe(text);
  expect(readableTex(text)).toBe(text);
});

it('TeX conversion never throws and leaves no known commands in the indexed text', () => {
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

it.each([
  ['open groups', '\\textit{'],
  ['dollars', '$'],
  ['scripts', '$a_'],
  ['accents', '\\"'],
  ['backticks', '`a '],
  ['spaces', '     '],
  ['blank lines', '(\n \n '],
  ['commands', '\\cite[a]\\href\\aaaa'],
])('TeX conversion does not take quadratic time for a long series of %s', (_, piece) => {
  // Quadratic work would take minutes, so the test would time out.
  const hostile = piece.repeat(25_000) + '}'.repeat(25_000);
  for (const read of [plainTex, readableTex]) expect(read(hostile)).toBeTypeOf('string');
});
