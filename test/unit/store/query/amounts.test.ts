import { describe, expect, it } from 'vitest';
import { amountsIn } from '../../../../src/store/search/query/amounts.ts';

/** The ways to write the amounts of a text, that of the text first. */
function waysIn(text: string): string[][] {
  return amountsIn(text).map(({ name, others }) =>
    [name, ...others].map((stems) => stems.join(' ')),
  );
}

describe('the amounts of a question', () => {
  it.each([
    ['bitcoin at 150k', ['150k', '150000']],
    ['above $150,000', ['150000', '150k']],
    ['ten thousand dollars', ['ten thousand', '10000']],
    ['a hundred thousand', ['a hundr thousand', '100000']],
    ['five percent', ['five', '5']],
    ['over 5%', ['5', 'five']],
    ['worth 4 trillion', ['4 trillion', '4t']],
    ['a 4t company', ['4t', '4 trillion']],
    ['1 million', ['1 million', '1m']],
    ['twenty cuts', ['twenti', '20']],
  ])('of "%s" have other ways to be written', (text, ways) => {
    expect(waysIn(text)).toHaveLength(1);
    expect(waysIn(text)[0]).toEqual(expect.arrayContaining(ways));
  });

  it('are no years, maturities or parts of words', () => {
    expect(amountsIn('in 2027').flatMap(({ others }) => others)).toEqual([]);
    expect(waysIn('the 10-year note, Q3 and 19b-4')).toEqual([]);
    expect(waysIn('someone at one-off')).toEqual([]);
    expect(waysIn('a company')).toEqual([]);
  });
});
