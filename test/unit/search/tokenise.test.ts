import { describe, expect, it } from 'vitest';
import { queryStems, tokenise } from '../../../src/search/tokenise.ts';

it.each([
  ['What are the best papers about rough volatility?', ['best', 'rough', 'volatil']],
  ['What are the latest studies about ESG?', ['esg']],
  ['the and of', ['the', 'and', 'of']],
  ['CALL and PUT options', ['call', 'put', 'option']],
  ['non-linear', ['non', 'linear']],
])('the query "%s" has the stems %j', (query, stems) => {
  expect(queryStems(query)).toEqual(stems);
});

it('a query of 2,000 words has only 64 stems', () => {
  expect(queryStems(Array.from({ length: 2_000 }, (_, i) => `w${i}`).join(' '))).toHaveLength(64);
});

it.each([
  ['Boeing', 'the BoE'],
  ['France', 'francs'],
  ['USDe', 'USD'],
])('the name %s stays distinct from %s, although a stemmer would equate them', (one, other) => {
  expect(queryStems(one)).not.toEqual(queryStems(other));
});

describe('the text', () => {
  it.each([
    ['ＶＩＸ', 'vix'],
    ['behaviour of labour markets', 'behavior of labor markets'],
    ['optimisation, optimised', 'optimization, optimized'],
    ['unfavourable', 'unfavorable'],
    ['modelling', 'modeling'],
    ['analysed', 'analyzed'],
    ['Itô', 'Ito'],
    ['α-stable', 'alpha stable'],
    ['Black–Scholes', 'black scholes'],
    ['non-linear', 'nonlinear'],
    ['S&P 500', 'SP 500'],
    ['10-year', '10 year'],
    ['$100,000', '100000'],
    ['1,250,000', '1250000'],
    ['2,000.5', '2000.5'],
    ['U.S. inflation', 'USA inflation'],
    ['the US economy', 'the U.S. economy'],
    ["investors' beliefs", 'investor belief'],
    ['options', 'option'],
    ['bases', 'base'],
  ])('"%s" shares a stem with "%s"', (a, b) => {
    const indexed = new Set(tokenise(a));
    expect(tokenise(b).some((stem) => indexed.has(stem))).toBe(true);
  });

  it.each([
    ['exercise', 'exercize'],
    ['rising', 'rizing'],
    ['noise', 'noize'],
    ['enterprise', 'enterprize'],
    ['hour', 'hor'],
    ['basis', 'base'],
    ['media', 'medium'],
  ])('"%s" does not have the stem of "%s"', (word, wrong) => {
    expect(tokenise(word)).not.toEqual(tokenise(wrong));
  });

  it('"us" does not have the stem of "US", nor "0.5" that of "5"', () => {
    expect(tokenise('tell us')).not.toContain('usa');
    expect(tokenise('0.5')).not.toContain('5');
  });
});
