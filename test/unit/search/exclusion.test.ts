import { describe, expect, it } from 'vitest';
import { splitExclusion } from '../../../src/search/exclusion.ts';

describe('what a question excludes', () => {
  it.each([
    ['market making, not about cryptocurrencies', 'market making', 'cryptocurrencies'],
    ['market making (excluding crypto, NFTs and DeFi)', 'market making )', 'crypto, NFTs and DeFi'],
    ['factor models other than Fama-French', 'factor models', 'Fama-French'],
    ['volatility models except GARCH. For bonds', 'volatility models . For bonds', 'GARCH'],
    ['risk measures but not related to pensions', 'risk measures', 'pensions'],
  ])('%s', (question, text, excluded) => {
    expect(splitExclusion(question)).toEqual({ text, excluded });
  });

  it.each([
    'on-chain data does not improve bitcoin volatility forecasts',
    'why momentum does not work in Japan',
    'option pricing without the Black-Scholes assumptions',
    'not about crypto', // nothing is left
    'models with no arbitrage',
  ])('is nothing in a claim: %s', (question) => {
    expect(splitExclusion(question)).toEqual({ text: question, excluded: null });
  });
});
