import { describe, expect, it } from 'vitest';
import {
  isSameTitle,
  nearPieces,
  piecesOf,
  readQuery,
  splitExclusion,
} from '../../../src/search/query.ts';

const NAMES = ['author', 'since', 'cat'];

type Field = [name: string, value: string, isExcluded?: boolean];

describe('the question', () => {
  it.each<[question: string, subject: string, fields: Field[], without: string[]]>([
    ['author:cont rough volatility', 'rough volatility', [['author', 'cont']], []],
    ['hedging author:"Rama Cont"', 'hedging', [['author', 'Rama Cont']], []],
    ['Cat:q-fin.PR, swaps', ', swaps', [['cat', 'q-fin.PR']], []],
    ['momentum -crypto -"deep learning"', 'momentum', [], ['crypto', 'deep learning']],
    ['momentum (since:2024)', 'momentum ( )', [['since', '2024']], []],
    ['impact -cat:q-fin.TR', 'impact', [['cat', 'q-fin.TR', true]], []],
    ['impact author: cont', 'impact', [['author', 'cont']], []],
    ['impact since:', 'impact', [['since', '']], []],
    ['volatility -"order flow', 'volatility', [], ['order flow']],
  ])(
    '"%s" is split into the subject "%s", its fields and its excluded words',
    (question, subject, fields, without) => {
      expect(readQuery(question, NAMES)).toEqual({
        subject,
        fields: fields.map(([name, value, isExcluded = false]) => ({ name, value, isExcluded })),
        without,
      });
    },
  );

  it.each([
    'what is the ratio 3:2 of authority:risk',
    'mean-variance and long - short portfolios',
    'title:volatility', // a field of another area
    '10-year yield -5 %',
    'on-chain data does not improve forecasts',
  ])('"%s" has no fields or excluded words', (question) => {
    expect(readQuery(question, NAMES)).toEqual({ subject: question, fields: [], without: [] });
  });

  it.each([
    ['market making, not about cryptocurrencies', 'market making', 'cryptocurrencies'],
    ['market making (excluding crypto, bonds)', 'market making , bonds)', 'crypto'],
    ['volatility excluding GARCH that fits daily data', 'volatility that fits daily data', 'GARCH'],
    ['risk measures but not about pensions in Europe', 'risk measures in Europe', 'pensions'],
    ['hedging, not about crypto using futures', 'hedging using futures', 'crypto'],
    ['papers not about crypto', 'papers', 'crypto'],
    ['excluding crypto', '', 'crypto'],
  ])('"%s" becomes "%s" and excludes "%s"', (question, text, excluded) => {
    expect(splitExclusion(question)).toEqual({ text, excluded: [excluded] });
  });

  it.each([
    'on-chain data does not improve bitcoin volatility forecasts',
    'why momentum does not work in Japan',
    'option pricing without the Black-Scholes assumptions',
    'models with no arbitrage',
    'volatility models except GARCH that fit intraday data',
    'factor models other than Fama-French',
    'price impact excluding papers by Lillo',
  ])('"%s" does not exclude a subject', (question) => {
    expect(splitExclusion(question)).toEqual({ text: question, excluded: [] });
  });
});

describe('a question', () => {
  const courtesy = 'I am preparing a talk for the board of my company next week';
  const subject = 'how do dealers hedge the gamma of index options close to expiry';
  const question = `${courtesy}. I would like to know: ${subject}? Thank you so much for your help!`;

  it('is split at sentence ends and colons, without pieces that consist only of function words', () => {
    expect(piecesOf(question)).toEqual([
      `${courtesy}.`,
      `${subject}?`,
      'Thank you so much for your help!',
    ]);
  });

  it('is only split if it has at least 24 words', () => {
    expect(piecesOf(`Hello. ${subject}: please`)).toEqual([]);
  });

  it('keeps the pieces whose cosine is at most 0.2 below the best', () => {
    expect(nearPieces(['a', 'b', 'c', 'd'], [0.3, 0.2, 0.7, 0.55])).toEqual(['c', 'd']);
  });
});

it('a query of at least three words matches the same title regardless of case, accents and punctuation', () => {
  expect(isSameTitle('the itô formula, revisited', 'The Ito Formula Revisited')).toBe(true);
  expect(isSameTitle('the ito formula', 'The Ito Formula Revisited')).toBe(false);
  expect(isSameTitle('rough volatility', 'Rough volatility')).toBe(false);
});
