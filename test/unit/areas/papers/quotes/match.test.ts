import { expect, it } from 'vitest';
import {
  findPassage,
  SLICE_CHARACTERS,
  wordsOf,
} from '../../../../../src/areas/papers/quotes/match.ts';

/** Where a quote stands in a text, and how much looking it takes. */

/** What is found, and how many times the search paused on its way. */
function passageIn(text: string, quote: readonly string[]) {
  const search = findPassage(text, quote);
  for (let pauses = 0; ; pauses += 1) {
    const step = search.next();
    if (step.done === true) return { found: step.value, pauses };
  }
}

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
  expect(passageIn(text, quote.words).found).toMatchObject({ isExact: false, share: 0.5 });
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
  const { found } = passageIn(text, wordsOf(quote));
  expect(found).toEqual({ isExact: true, share: 1, passage: text });
});

it.each([
  ['a b c', 'a b'],
  ['a b a c', 'a b a b a b'],
  ['one two three', 'one two threes'],
])('%j does not stand in %j', (quote, text) => {
  expect(passageIn(text, wordsOf(quote)).found?.isExact ?? false).toBe(false);
});

it('agrees with a plain search on many texts of two words', () => {
  const spell = (bits: number, length: number) =>
    Array.from({ length }, (_, at) => ((bits >> at) & 1 ? 'a' : 'b'));
  for (let bits = 0; bits < 2 ** 9; bits += 1) {
    const text = spell(bits, 9).join(' ');
    for (let part = 0; part < 2 ** 4; part += 1) {
      const quote = spell(part, 4);
      const stands = ` ${text} `.includes(` ${quote.join(' ')} `);
      expect(passageIn(text, quote).found?.isExact ?? false, `${quote} in ${text}`).toBe(stands);
    }
  }
});

it.each([
  ['plain words', 'market makers quote '],
  ['one letter each', 'a '],
  ['a word that is four', 'ﷺ '],
  ['accents', 'é '],
])('a long text of %s is read in slices', (_, part) => {
  const text = part.repeat((10 * SLICE_CHARACTERS) / part.length);
  const quote = [...wordsOf(part.repeat(100)), 'end'];
  expect(passageIn(text, quote).pauses).toBeGreaterThanOrEqual(9);
});

it('no slice takes more than four thousand looks', () => {
  const quote = watched([...Array<string>(500).fill('a'), 'b']);
  const search = findPassage('a '.repeat(50_000), quote.words);
  const begun = quote.looks();
  let before = begun;
  let most = 0;
  for (let done = false; !done; ) {
    done = search.next().done === true;
    most = Math.max(most, quote.looks() - before);
    before = quote.looks();
  }
  // Up to the first pause the quote itself is read, too.
  expect(most).toBeLessThan(10 * (4_000 + 501));
  expect(before - begun).toBeGreaterThan(50_000);
});

it('a word that no quote can hold is not taken apart', () => {
  expect(
    passageIn(`${'ﷺ'.repeat(100_000)} one two three`, ['one', 'two', 'three']).found,
  ).toMatchObject({
    isExact: true,
  });
});
