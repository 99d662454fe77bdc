import { expect, it } from 'vitest';
import { areAmong, chooseSections } from '../../../../src/areas/papers/reading.ts';

const KEYS = [
  ...['abstract', 's01-introduction', 's02-data', 's03-findings', 's04-data', 's05-section'],
  ...['references', 's100-options'],
];
const SECTIONS = KEYS.map((section_key) => ({ section_key }));
const choose = (...names: string[]) =>
  chooseSections(names, SECTIONS, { isStored: true, isGated: false }).map(
    ({ section_key }) => section_key,
  );

it.each([
  [['s03-findings'], ['s03-findings']],
  [['S03-Findings'], ['s03-findings']],
  [['Findings'], ['s03-findings']],
  [['3. Findings'], ['s03-findings']],
  [['Options'], ['s100-options']],
  [
    ['References', ' abstract ', 'abstract'],
    ['abstract', 'references'],
  ],
  [[], KEYS],
  [['ALL'], KEYS],
  [['findings', 'all'], KEYS],
])('the requested names %j select the sections %j', (names, meant) => {
  expect(choose(...names)).toEqual(meant);
  // A request for all sections may ask for some that are not stored yet.
  expect(areAmong(names, SECTIONS)).toBe(meant !== KEYS);
});

it.each(['data', 's02-findings', 'finding', '§', '', 'appendix'])(
  'an unknown or ambiguous section name is rejected: %j',
  (name) => {
    expect(() => choose(name)).toThrow(/^This paper has no section .* Valid keys are abstract/);
    expect(areAmong([name], SECTIONS)).toBe(false);
  },
);

it('a request for a section of a withheld text is told that the server may not share it', () => {
  expect(() => chooseSections(['s02-data'], [], { isStored: true, isGated: true })).toThrow(
    /^This server may not share the full text of this paper, so it serves no section "s02-data"/,
  );
});
