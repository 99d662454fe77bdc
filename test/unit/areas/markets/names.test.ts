import { describe, expect, it } from 'vitest';
import nameFile from '../../../../data/search-names.json' with { type: 'json' };
import synonymFile from '../../../../data/search-synonyms.json' with { type: 'json' };
import { Synonyms } from '../../../../src/store/search/lexical/synonyms.ts';
import { plainStems, startOf } from '../../../../src/store/search/lexical/tokenise.ts';

const { about, ...lists } = nameFile;
const LINES = [...synonymFile.synonyms, ...synonymFile.events];

describe('the names of things', () => {
  it('are lines of two or more, in lower case', () => {
    for (const line of LINES) {
      expect(line).toMatch(/^[^,<]+(?:, [^,<]+)*(?: < [^,<]+(?:, [^,<]+)*)?$/u);
      expect(line).toMatch(/, | < /u);
      expect(line).toBe(line.toLowerCase());
    }
  });

  it('are each found in a question', () => {
    for (const line of LINES) {
      for (const name of line.split(/, | < /u)) {
        const found = new Synonyms([line]).match(`will ${name} be`).map((match) => match.name);
        expect(found, name).toContainEqual(plainStems(name));
      }
    }
  });

  it('stand in one group of the same names', () => {
    const seen = new Set<string>();
    for (const names of namesOf(synonymFile.events)) {
      const same = names.toSorted().join();
      expect(seen.has(same), same).toBe(false);
      seen.add(same);
    }
  });

  it.each([
    ['fitch', "moody's"],
    ['nyse', 'nasdaq'],
    ['chair', 'governor'],
    ['nifty', 'sensex'],
  ])('tell %s from %s', (one, other) => {
    const groups = namesOf(synonymFile.events);
    expect(groups.filter((names) => names.includes(one))).not.toEqual([]);
    expect(groups.filter((names) => names.includes(one) && names.includes(other))).toEqual([]);
  });

  it.each([
    ['will the president of the ecb resign', 'trump'],
    ['who is the next fed chair', 'powell'],
  ])('do not lead from %s to %s', (question, name) => {
    const leads = new Synonyms(LINES).match(question).flatMap(({ others }) => others);
    expect(leads).not.toEqual([]);
    expect(leads).not.toContainEqual(plainStems(name));
  });

  it.each([
    ['a split decision of the Fed', 'dissent'],
    ['leave the Canada Mexico trade pact', 'usmca'],
  ])('lead from "%s" to %s', (question, name) => {
    const found = new Synonyms(synonymFile.events).match(question);
    expect(found.flatMap(({ others }) => others)).toContainEqual(plainStems(name));
  });

  it('share no stem with another line of those that narrow a question about events', () => {
    const { economies, assets, subjects, acts } = nameFile;
    const lines = [...economies, ...assets, ...subjects, ...acts].map((line) => line.split(' '));
    for (const [at, line] of lines.entries()) {
      const others = lines.filter((_, other) => other !== at).flat();
      const stems = new Set(line.flatMap(plainStems));
      const alike = others.filter((name) => plainStems(name).some((stem) => stems.has(stem)));
      // The lines of the Nikkei and the Kospi are made of their countries'.
      for (const name of alike) expect(line, name).toContain(name);
    }
  });

  it('begin as their stems do where they narrow a question, by which they are found', () => {
    for (const name of Object.values(lists)
      .flat()
      .flatMap((line) => line.split(' '))) {
      expect(plainStems(name)[0]?.startsWith(startOf(name)), name).toBe(true);
    }
  });

  it('are single words in lower case where they narrow a question', () => {
    expect(about).not.toBe('');
    for (const line of Object.values(lists).flat())
      expect(line).toMatch(/^[a-z\d]+(?: [a-z\d]+)*$/);
  });
});

/** What is interchangeable in each line. */
function namesOf(lines: readonly string[]): string[][] {
  return lines.map((line) => line.replace(/ < .*/u, '').split(', '));
}
