import { describe, expect, it } from 'vitest';
import { splitExclusion } from '../../../src/search/exclusion.ts';

describe('what a question excludes', () => {
  it.each([
    ['market making, not about cryptocurrencies', 'market making', 'cryptocurrencies'],
    ['market making (excluding crypto, bonds)', 'market making , bonds)', 'crypto'],
    ['volatility excluding GARCH that fits daily data', 'volatility that fits daily data', 'GARCH'],
    ['risk measures but not about pensions in Europe', 'risk measures in Europe', 'pensions'],
  ])('%s', (question, text, excluded) => {
    expect(splitExclusion(question)).toEqual({ text, excluded });
  });

  it.each([
    'on-chain data does not improve bitcoin volatility forecasts',
    'why momentum does not work in Japan',
    'option pricing without the Black-Scholes assumptions',
    'not about crypto', // nothing is left
    'models with no arbitrage',
    'volatility models except GARCH that fit intraday data',
    'factor models other than Fama-French',
  ])('is nothing in a claim: %s', (question) => {
    expect(splitExclusion(question)).toEqual({ text: question, excluded: null });
  });
});
