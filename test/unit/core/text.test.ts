import { expect, it } from 'vitest';
import { cleanLine, cut, listPaths, toLogLine } from '../../../src/core/text.ts';

/** Spells a text in invisible characters, from a block that begins at `first`. */
const spell = (text: string, first: number) =>
  String.fromCodePoint(...[...text].map((letter) => first + letter.charCodeAt(0)));

it.each([
  ['variation selectors that spell a text', spell('IGNORE', 0xe00f0)],
  ['tags that spell a text', spell('ignore', 0xe0000)],
  ['Hangul fillers', '\u3164\uffa0\u115f\u1160'],
  ['the blank Braille pattern', '\u2800'],
  ['a grapheme joiner', '\u034f'],
  ['a soft hyphen', '\u00ad'],
  ['zero-width and bidirectional characters', '\u200b\u2060\ufeff\u202e'],
])('cleaning a text removes %s', (_, hidden) => {
  expect(cleanLine(`Fed${hidden} cuts`)).toBe('Fed cuts');
});

it('a list of more than ten paths names ten and counts the others', () => {
  const paths = Array.from({ length: 13 }, (_, at) => `/papers/${at}\n.html`);
  expect(listPaths(paths.slice(0, 2))).toBe('/papers/0 .html, /papers/1 .html');
  expect(listPaths(paths)).toMatch(/^\/papers\/0 \.html, .*\/papers\/9 \.html and 3 more$/);
});

it('cleaning a text keeps the letters and signs of other scripts', () => {
  const words = 'Ünïcode, 日本語 عربى हिन्दी ⠃⠗ 📈 €5';
  expect(cleanLine(words)).toBe(words);
});

it('a long text is cut between characters, and ends in an ellipsis', () => {
  expect(cut('abcdef', 6)).toBe('abcdef');
  expect(cut('abcdef', 4)).toBe('abc…');
  expect(cut('a📈📈', 4)).toBe('a📈…');
  expect(cut('ab📈📈', 4)).toBe('ab…');
});

it('a log line contains nothing that moves the cursor, reverses the text or starts a new line', () => {
  const hostile = 'a\u001b[2Jb\r\nc\u0000d\u0085e\u2028f\u202eg\tend\n';
  expect(toLogLine(hostile)).toBe('a [2Jb c d e f g end');
});

it('a log line has at most 4,000 characters', () => {
  expect(toLogLine('x'.repeat(46_000)).length).toBeLessThanOrEqual(4_000);
});
