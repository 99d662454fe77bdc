import { resolve } from 'node:path';
import { analyse } from 'scslre';
import { expect, it, vi } from 'vitest';
import { expressionsIn, readers, SHORT } from '../expressions.ts';
import { readCode } from '../imports.ts';

/** Whether some text makes the expression take quadratic time or more. */
const isSlow = ({ source, flags }: RegExp) => analyse({ source, flags }).reports.length > 0;

it('only the regular expressions listed as reading short texts take more than linear time', () => {
  const slow = readers.flatMap(({ text }) => expressionsIn(text).filter(isSlow));
  const short = Object.values(SHORT).flat();
  expect(new Set(slow.map(({ source }) => source))).toEqual(new Set(short));
});

it('no regular expression built from strings when the papers area loads takes more than linear time, except the one for excluded subjects', async () => {
  vi.resetModules();
  const expressions: RegExp[] = [];
  const Original = globalThis.RegExp;
  class Recorded extends Original {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags);
      expressions.push(this);
    }
  }
  globalThis.RegExp = Recorded as RegExpConstructor;
  try {
    for (const { path, text } of readCode('src/areas/papers')) {
      if (text.includes('new RegExp(')) await import(/* @vite-ignore */ resolve(path));
    }
  } finally {
    globalThis.RegExp = Original;
  }
  expect(expressions.length).toBeGreaterThan(4);
  // The one for excluded subjects reads only questions, of at most 2,000 characters.
  const slow = expressions.filter((each) => isSlow(each) && !each.source.includes('excluding'));
  expect(slow).toEqual([]);
});
