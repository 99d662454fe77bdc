import { describe, expect, it } from 'vitest';
import { splitExclusion } from '../../../../src/store/search/query/exclusion.ts';
import { withoutSyntax } from '../../../../src/store/search/query/syntax.ts';

describe('a question in the syntax of a search engine', () => {
  it.each([
    ['momentum NOT crypto', 'momentum', 'crypto'],
    ['"deep hedging" AND NOT "transaction costs"', '"deep hedging"', 'transaction costs'],
    ['momentum NOT (crypto OR bonds) AND equities', 'momentum; equities', 'crypto or bonds'],
    ['momentum -crypto +stocks', 'momentum; stocks', 'crypto'],
    ['ti:momentum ANDNOT abs:crypto', 'momentum', 'crypto'],
    ['momentum -"deep learning" -(crypto OR bonds)', 'momentum', 'deep learning, crypto or bonds'],
    ['elections -US', 'elections', 'US'],
  ])('%s: leaves out what it denies', (question, text, excluded) => {
    expect(splitExclusion(withoutSyntax(question), true)).toEqual({ text, excluded });
  });

  it.each([
    ['title:"rough volatility" abstract:calibration', '"rough volatility" calibration'],
    ['asset:BTC year:2026', 'BTC 2026'],
    ['{"topK": 5, "query": "what \\"smile\\"\\nmeans"}', 'what "smile" means'],
    ['{"sort": "new", "tags": ["a, b"], "query": "caf\\u00e9"}', 'café'],
    ['rough volatility https://www.example.org/a?b=c', 'rough volatility'],
    ['ｄｅｅｐ　ｈｅｄｇｉｎｇ', 'deep hedging'],
  ])('%s: %s', (question, plain) => {
    expect(withoutSyntax(question)).toBe(plain);
  });

  it.each([
    'Rough volatility: a survey',
    'WHY DO STOCKS NOT FALL',
    'stocks did not fall - why',
    '10y-2y spread',
    'mean -variance optimisation',
    'the Student t -copula',
    'fat tails of log -returns',
    'momentum in the cross -section',
    '- first\n-second',
    'https://www.example.org/paper',
    '{"a": 1}',
    '{"query": ""}',
    'C++ and R+',
  ])('%s is none', (question) => {
    expect(withoutSyntax(question)).toBe(question);
  });

  it('is read in no time, however long and broken', () => {
    for (const part of [
      '"a": ,',
      'NOT (',
      '-"',
      'query:"',
      '{"query":"\\',
      'http://',
      ' -a',
      ' -"a"',
    ]) {
      const text = part.repeat(2_000);
      expect(withoutSyntax(text).length).toBeGreaterThan(0);
      expect(withoutSyntax(`{${text}`).length).toBeGreaterThan(0);
    }
  });
});
