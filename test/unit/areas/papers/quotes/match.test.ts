import { expect, it } from 'vitest';
import { findPassage, wordsOf } from '../../../../../src/areas/papers/quotes/match.ts';

/** Where a quote stands in a text, and how much looking it takes. */

/** The words, and how often one of them was looked at. */
function watched(words: string[]): { words: readonly string[]; looks: () => number } {
  let looks = 0;
  const proxy = new Proxy(words, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) looks += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  return { words: proxy, looks: () => looks };
}

it('the words of a quote that almost stands everywhere are looked at a few times a word of the text', () => {
  const text = 'a '.repeat(5_000);
  const quote = watched([...Array<string>(500).fill('a'), 'b']);
  expect(findPassage(text, quote.words)).toMatchObject({ isExact: false, share: 0.5 });
  expect(quote.looks()).toBeLessThan(10 * (5_000 + 501));
});

it.each([
  ['a a b', 'x a a a b y'],
  ['a b a b c', 'a b a b a b c'],
  ['a a', 'b a a'],
  ['a b a a b a b', 'a b a a b a a b a b'],
  ['one two three', 'one two one two three'],
  ['the end', 'at the end'],
])('%j stands word for word in %j', (quote, text) => {
  const found = findPassage(text, wordsOf(quote));
  expect(found).toEqual({ isExact: true, share: 1, passage: text });
});

it.each([
  ['a b c', 'a b'],
  ['a b a c', 'a b a b a b'],
  ['one two three', 'one two threes'],
])('%j does not stand in %j', (quote, text) => {
  expect(findPassage(text, wordsOf(quote))?.isExact ?? false).toBe(false);
});

it('agrees with a plain search on many texts of two words', () => {
  const spell = (bits: number, length: number) =>
    Array.from({ length }, (_, at) => ((bits >> at) & 1 ? 'a' : 'b'));
  for (let bits = 0; bits < 2 ** 9; bits += 1) {
    const text = spell(bits, 9).join(' ');
    for (let part = 0; part < 2 ** 4; part += 1) {
      const quote = spell(part, 4);
      const stands = ` ${text} `.includes(` ${quote.join(' ')} `);
      expect(findPassage(text, quote)?.isExact ?? false, `${quote} in ${text}`).toBe(stands);
    }
  }
});
