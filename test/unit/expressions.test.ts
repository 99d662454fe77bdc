import { resolve } from 'node:path';
import { analyse } from 'scslre';
import { expect, it, vi } from 'vitest';
import { parseAst } from 'vitest/node';
import { readSources } from '../imports.ts';

/** Expressions that may take quadratic time, by the short text that they read. */
const SHORT: Readonly<Record<string, readonly string[]>> = {
  'a question of 2,000 characters': [
    '(?<=[.?!])\\s+|[:;]\\s+|\\s+[-–—]+\\s+|—|["“”«»\\n]+',
    '[.?!]+$',
  ],
  'an id of 200 characters': ['\\?.*$'],
  'a name of 200 characters': [
    '^([^,]+), *(.+)$',
    '^(.+?)(?:,\\s*|(?<=\\s\\S+)\\s+(?=(?:jr|sr|ii|iii|iv|2nd|3rd)\\.?$))((?:jr|sr|[ivx]{1,4}|\\d(?:nd|rd|th)|esq|ph\\.?d|m\\.?d)\\.?)$',
  ],
  'a DOI of 290 characters': ['[.:]+$'],
  'a title or a list of authors of 1,000 characters': [
    '\\s*(?:;|,(?! *(?:jr|sr))|\\band\\b|&)\\s*',
    '\\s*[*†‡∗⋆]+$',
    '\\s*[,;&·|]\\s*|\\s+(?:and|AND)\\s+',
    '^(?:and|by)\\s+|\\s*\\d[\\d\\s,]*$',
  ],
  'the last 80 characters of a line': [
    '(?:\\.\\s?){5,}\\s*(?:\\d{1,4}|[ivxl]{1,7})$',
    '[\\p{L}\\p{M}\\p{N}]+(?:-[\\p{L}\\p{M}\\p{N}]+)*(?=[-‐]$)',
  ],
};

/** The expressions of a source file, in order. */
function expressionsIn(text: string): RegExp[] {
  const expressions: RegExp[] = [];
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    if ('regex' in node && 'value' in node && node.value instanceof RegExp) {
      expressions.push(node.value);
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(text, { lang: 'ts' }));
  return expressions;
}

/** Whether there is a text on which the expression takes quadratic time or more. */
const isSlow = ({ source, flags }: RegExp) => analyse({ source, flags }).reports.length > 0;

/** The code that reads papers and questions. */
const sources = ['src/areas/papers', 'src/search', 'src/core'].flatMap(readSources);

it('no regular expression but those for short texts takes more than linear time', () => {
  const slow = sources.flatMap(({ text }) => expressionsIn(text).filter(isSlow));
  const short = Object.values(SHORT).flat();
  expect(new Set(slow.map(({ source }) => source))).toEqual(new Set(short));
});

it('a regular expression of quadratic or exponential time is recognised', () => {
  const text = String.raw`const a = /\s*\(\s*\)/g; const b: RegExp = /^(?:[^\\#]|\\[A-Za-z]+)*$/;`;
  expect(expressionsIn(text).filter(isSlow)).toHaveLength(2);
  expect(expressionsIn(String.raw`text.replace(/(?<!\s)\s*\(\s*\)/g, '')`).filter(isSlow)).toEqual(
    [],
  );
});

it('no regular expression that is built from strings takes more than linear time on a paper', async () => {
  vi.resetModules();
  const made: RegExp[] = [];
  const Original = globalThis.RegExp;
  class Recorded extends Original {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags);
      made.push(this);
    }
  }
  globalThis.RegExp = Recorded as RegExpConstructor;
  try {
    for (const { path, text } of readSources('src/areas/papers')) {
      if (text.includes('new RegExp(')) await import(/* @vite-ignore */ resolve(path));
    }
  } finally {
    globalThis.RegExp = Original;
  }
  expect(made.length).toBeGreaterThan(4);
  // That of excluded subjects reads only a question, of at most 2,000 characters.
  const slow = made.filter((each) => isSlow(each) && !each.source.includes('excluding'));
  expect(slow).toEqual([]);
});
