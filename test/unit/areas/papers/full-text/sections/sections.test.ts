import { expect, it } from 'vitest';
import {
  slugOf,
  toSections,
  typeOfTitle,
} from '../../../../../../src/areas/papers/full-text/sections/sections.ts';

it.each([
  ['3. Data', 'data'],
  ['Introduction and related work', 'introduction'],
  ['Literature review', 'related_work'],
  ['Data and methodology', 'methods'],
  ['Discussion of results', 'discussion'],
  ['Acknowledgment', 'acknowledgements'],
  ['Online Appendix', 'appendix'],
  ['Supplementary material', 'appendix'],
  ['Notes and References', 'references'],
  ['Reference-dependent preferences', 'other'],
  ['Funding and competing interests', 'acknowledgements'],
  ['Data Availability Statement', 'other'],
  ['Note added in proof', 'note'],
  ['A Proof of Theorem 2', 'other'],
  ['数据', 'other'],
])('a section with the title "%s" has the type %s', (title, type) => {
  expect(typeOfTitle(title)).toBe(type);
});

it.each([
  ['Das Böse $\\alpha$ of Łódź – naïve?', 'das-bose-of-lodz-naive'],
  ['2.3 Model \\emph{two}', 'model-two'],
  ['V-shaped recoveries', 'v-shaped-recoveries'],
  ['I think', 'i-think'],
  ['数据', 'section'],
  ['A very long title that goes on: and on and on', 'a-very-long-title-that-goes-on-and-on-an'],
])('the title "%s" has the slug %s', (title, slug) => {
  expect(slugOf(title)).toBe(slug);
});

it('section keys count only parts with content, and are unique', () => {
  const titles = ['Abstract', 'Abstract', 'Empty', 'Data', 'Data', 'References', 'References'];
  const parts = titles.map((title) => ({ title, content: title === 'Empty' ? ' \n' : 'a' }));
  const keys = toSections(parts).map(({ key }) => key);
  expect(keys.join(' ')).toBe('abstract s01-abstract s02-data s03-data references s05-references');
});
