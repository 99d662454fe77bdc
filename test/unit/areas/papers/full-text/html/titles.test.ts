import { describe, expect, it } from 'vitest';
import { paragraph, section, sectionsOf } from './paper.ts';

describe('the numbers of sections', () => {
  const paper = (text: string) =>
    sectionsOf(
      section('section', '1', 'Introduction', paragraph(text)) +
        section(
          'section',
          '2.',
          '3 D models',
          section('subsection', '2.1', 'Depth', paragraph('b')),
        ) +
        section('section', '', 'Thanks', paragraph('c')) +
        section('appendix', 'Appendix A', 'Proofs', paragraph('d')),
    );
  const link = (href: string, shown: string) => `<a href="${href}" class="ltx_ref">${shown}</a>`;
  const tag = (number: string) => `<span class="ltx_text ltx_ref_tag">${number}</span>`;

  const bare = ['Introduction', '3 D models', 'Thanks', 'Proofs'];
  const numbered = ['1 Introduction', '2. 3 D models', 'Thanks', 'Appendix A Proofs'];

  it.each([
    ['a link', `as ${link('#S2', tag('2'))} shows`],
    ['a link to an appendix', link('#A1', tag('A'))],
    ['words', 'See Section 2.'],
    ['words about an appendix', 'Proofs are in Appendix A.'],
  ])('are in the titles if the text refers to them: %s', (_, text) => {
    expect(paper(text).map(({ title }) => title)).toEqual(numbered);
  });

  it.each([
    ['no reference', 'nothing'],
    ['a link by title', link('#S2', '<span class="ltx_text ltx_ref_title">3 D models</span>')],
    ['a link to an equation', link('#S2.E3', tag('2'))],
    ['a link to a section without number', link('#Sx1', tag('Thanks'))],
    ['other words', 'A cross section of 4 mm; sections of it; the Appendix.'],
  ])('are not there with %s', (_, text) => {
    expect(paper(text).map(({ title }) => title)).toEqual(bare);
  });

  it('do not affect keys, types or text', () => {
    const rest = (text: string) =>
      paper(text).map(({ key, type, content }) => [key, type, content.replace(text, '')]);
    expect(rest('See Section 2.')).toEqual(rest('Nothing.'));
    expect(rest('Nothing.').map(([key]) => key)).toEqual([
      's00-introduction',
      's01-d-models',
      's02-thanks',
      's03-proofs',
    ]);
  });
});
