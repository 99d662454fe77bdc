import { describe, expect, it } from 'vitest';
import { areAmong, chooseSections } from '../../../../src/areas/papers/reading.ts';

const KEYS = [
  ...['abstract', 's01-introduction', 's02-data', 's03-findings', 's04-data', 's05-section'],
  ...['references'],
];
const sectionsOf = (keys: readonly string[]) => keys.map((section_key) => ({ section_key }));
const SECTIONS = sectionsOf(KEYS);
const keysOf = (sections: readonly { section_key: string }[]) =>
  sections.map(({ section_key }) => section_key);
const chosen = (...asked: string[]) => keysOf(chooseSections(asked, SECTIONS, true));

describe('sections of a paper', () => {
  it.each([
    [['s03-findings'], ['s03-findings']],
    [['S03-Findings'], ['s03-findings']],
    [['Findings'], ['s03-findings']],
    [['3. Findings'], ['s03-findings']],
    [
      ['References', ' abstract '],
      ['abstract', 'references'],
    ],
    [[], KEYS],
    [['ALL'], KEYS],
    [['findings', 'all'], KEYS],
  ])('can be named: %j means %j', (asked, meant) => {
    expect(chosen(...asked)).toEqual(meant);
  });

  it.each(['data', 's02-findings', 'finding', '§', '', 'appendix'])(
    'are rejected under an unknown or ambiguous name: %j',
    (name) => {
      expect(() => chosen(name)).toThrow(
        /^This paper has no section .* section keys are: abstract/,
      );
      expect(areAmong([name], SECTIONS)).toBe(false);
    },
  );

  it('are found by their names in a book of more than a hundred', () => {
    const keys = [...KEYS, 's100-options', 's123-swaps'];
    expect(keysOf(chooseSections(['Options', 'swaps'], sectionsOf(keys), true))).toEqual([
      's100-options',
      's123-swaps',
    ]);
  });

  it('count as stored under any of their names, but "all" never does', () => {
    expect(areAmong(['findings', 'ABSTRACT'], SECTIONS)).toBe(true);
    expect(areAmong(['findings', 'all'], SECTIONS)).toBe(false);
    expect(areAmong([], SECTIONS)).toBe(false);
  });
});
