import { expect, it } from 'vitest';
import { formula, note, paragraph, section, sectionsOf } from './paper.ts';

const abstract =
  '<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract</h6><p class="ltx_p">In short.</p></div>';
const references =
  '<section class="ltx_bibliography"><h2 class="ltx_title ltx_title_bibliography">References</h2><ul class="ltx_biblist"><li class="ltx_bibitem"><span class="ltx_tag ltx_tag_bibitem">[7]</span><span class="ltx_bibblock">A. Lee.\n</span><span class="ltx_bibblock"><em class="ltx_emph">On curves</em>.</span></li><li class="ltx_bibitem"><span class="ltx_bibtag">8</span><span class="ltx_bibblock">B. Kim.</span><span class="ltx_bibblock ltx_bib_cited">Cited by: §1.</span></li></ul></section>';

const one = section('section', '1', 'One', paragraph('a'));

const manifest = (article: string) =>
  sectionsOf(article).map(({ key, type, title }) => [key, type, title]);

it('a page is divided into its abstract, sections, references and appendices, in order', () => {
  const article = [
    abstract,
    section('section', '1', 'Introduction:', paragraph('a')),
    section('section', '2', `The ${formula('\\beta')} model`, paragraph('b')),
    references,
    section('appendix', 'Appendix A', 'Proofs', paragraph('c')),
    section('appendix', 'Appendix B', '', paragraph('d')),
  ];
  expect(manifest(article.join(''))).toEqual([
    ['abstract', 'abstract', 'Abstract'],
    ['s01-introduction', 'introduction', '1 Introduction'],
    ['s02-the-model', 'methods', '2 The $\\beta$ model'],
    ['references', 'references', 'References'],
    ['s04-proofs', 'appendix', 'Appendix A Proofs'],
    ['s05-appendix-b', 'appendix', 'Appendix B'],
  ]);
});

it('the references of a page become a list, in order', () => {
  expect(sectionsOf(references)[0]?.content).toBe('- [7] A. Lee. *On curves*.\n- [8] B. Kim.');
});

it('sections of a page contain their subsections, under headings of increasing depth', () => {
  const inner = section(
    'subsection',
    '2.1',
    `Sample <span class="ltx_text ltx_font_bold">${formula('n')}</span>`,
    paragraph('a') +
      section('subsubsection', '2.1.1', 'Years', paragraph('b')) +
      section('paragraph', '', 'Days', paragraph('c')) +
      section('subparagraph', '', 'Hours', paragraph('d')),
  );
  const content =
    '### 2.1 Sample $n$\n\na\n\n#### 2.1.1 Years\n\nb\n\n##### Days\n\nc\n\n###### Hours\n\nd';
  expect(sectionsOf(section('section', '2', 'Data', inner))).toEqual([
    { key: 's00-data', type: 'data', title: '2 Data', content },
  ]);
});

it('sections of a page are found inside parts, chapters and plain containers', () => {
  const games = section('section', '1', 'Games', paragraph('a'));
  const trades = section('section', '3', 'Trades', paragraph('b'));
  const part = section('part', 'Part I', 'Theory', games);
  const chapter = section('chapter', '2', 'Practice', paragraph('before') + trades);
  const alone = section('chapter', '3', 'Closing', paragraph('c'));
  expect(sectionsOf(`<div><div>${part}</div>${chapter}</div>${alone}`)).toMatchObject([
    { title: '1 Games', content: '**Part I Theory**\n\na' },
    { title: '2 Practice', content: 'before' },
    { title: '3 Trades', content: 'b' },
    { title: '3 Closing', content: 'c' },
  ]);
});

it('the text of a page without sections becomes the section "Body"', () => {
  expect(manifest(paragraph('a') + paragraph('b'))).toEqual([['s00-body', 'other', 'Body']]);
  const thanks = '<div class="ltx_acknowledgements">Thanks.</div>';
  expect(manifest(abstract + paragraph('a') + thanks + references)).toEqual([
    ['abstract', 'abstract', 'Abstract'],
    ['s01-body', 'other', 'Body'],
    ['s02-acknowledgements', 'acknowledgements', 'Acknowledgements'],
    ['references', 'references', 'References'],
  ]);
});

it('text outside the sections of a page becomes separate sections', () => {
  const figure =
    '<figure class="ltx_figure"><figcaption class="ltx_caption">A curve.</figcaption></figure>';
  const article = abstract + paragraph('first') + one + references + figure;
  expect(manifest(article).map(([key]) => key)).toEqual(
    'abstract s01-front-matter s02-one references s04-figures-and-tables'.split(' '),
  );
});

it('keywords stay with the abstract of a page, and acknowledgements are a section', () => {
  const keywords = '<div class="ltx_keywords">curves, knots</div>';
  const thanks = '<div class="ltx_acknowledgements">Thanks to all.</div>';
  const article = abstract + keywords + section('section', '1', 'End', paragraph('a') + thanks);
  expect(sectionsOf(article).map(({ title, content }) => [title, content])).toEqual([
    ['Abstract', 'In short.\n\n**Keywords:** curves, knots'],
    ['1 End', 'a'],
    ['Acknowledgements', 'Thanks to all.'],
  ]);
});

it('notes outside the sections of a page join the next section, or become a section at the end', () => {
  const thanks = note('†', 'Equal parts.');
  const mark = note('2', '').replace('ltx_role_footnote', 'ltx_role_footnotemark');
  const content = 'a\n\n[^note]: Equal parts.';
  expect(sectionsOf(abstract + thanks + one)).toMatchObject([
    { key: 'abstract' },
    { key: 's01-one', content },
  ]);
  expect(sectionsOf(`<div>${thanks}</div>${paragraph(mark)}${one}`)).toMatchObject([{ content }]);
  expect(sectionsOf(one + thanks)).toMatchObject([
    { content: 'a' },
    { key: 's01-notes', type: 'note', content: 'Equal parts.' },
  ]);
  expect(sectionsOf(one + paragraph(mark))).toHaveLength(1);
  const data = section('section', '1', `Data${note('1', 'From 1999.')}`, '');
  expect(sectionsOf(data)).toMatchObject([{ title: '1 Data', content: 'From 1999.' }]);
});
