import { describe, expect, it } from 'vitest';
import nameFile from '../../../../data/search-names.json' with { type: 'json' };
import synonymFile from '../../../../data/search-synonyms.json' with { type: 'json' };
import { plainStems, startOf } from '../../../../src/store/search/lexical/tokenise.ts';

const { about, ...lists } = nameFile;

describe('the names of things', () => {
  it('have a term each, and groups another name', () => {
    for (const { names, asked = [] } of synonymFile.events as Group[]) {
      expect([...names, ...asked].length, names[0]).toBeGreaterThan(1);
      for (const name of [...names, ...asked]) expect(plainStems(name), name).not.toEqual([]);
    }
  });

  it('stand in one group of the same names', () => {
    const seen = new Set<string>();
    for (const { names } of synonymFile.events as Group[]) {
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
    const groups = (synonymFile.events as Group[]).map(({ names }) => names);
    expect(groups.filter((names) => names.includes(one))).not.toEqual([]);
    expect(groups.filter((names) => names.includes(one) && names.includes(other))).toEqual([]);
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

  it('begin as their stems do, by which they are found', () => {
    const spelt = (synonymFile.events as Group[]).flatMap(({ names, asked = [] }) => [
      ...names,
      ...asked,
    ]);
    const words = Object.values(lists)
      .flat()
      .flatMap((line) => line.split(' '));
    for (const name of [...synonymFile.synonyms.flat(), ...spelt, ...words]) {
      expect(plainStems(name)[0]?.startsWith(startOf(name)), name).toBe(true);
    }
  });

  it('are single words in lower case where they narrow a question', () => {
    expect(about).not.toBe('');
    for (const line of Object.values(lists).flat())
      expect(line).toMatch(/^[a-z\d]+(?: [a-z\d]+)*$/);
  });
});

interface Group {
  names: string[];
  asked?: string[];
}
