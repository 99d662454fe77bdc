import { describe, expect, it } from 'vitest';
import { splitExclusion } from '../../../../src/store/search/query/exclusion.ts';

describe('what a question excludes', () => {
  it.each([
    ['market making, not about cryptocurrencies', 'market making', 'cryptocurrencies'],
    ['market making (excluding crypto, NFTs and DeFi)', 'market making', 'crypto, NFTs and DeFi'],
    ['volatility forecasting but not for commodities?', 'volatility forecasting?', 'commodities'],
    ['risk parity rather than mean-variance', 'risk parity', 'mean-variance'],
    ['factor models other than Fama-French', 'factor models', 'Fama-French'],
    ['portfolio choice, but no papers about pension funds', 'portfolio choice', 'pension funds'],
    [
      'Excluding machine learning, how are recessions predicted?',
      'how are recessions predicted?',
      'machine learning',
    ],
    [
      'How are recessions predicted? Please leave out anything about neural networks.',
      'How are recessions predicted?',
      'neural networks',
    ],
  ])('%s', (question, text, excluded) => {
    const split = splitExclusion(question);
    expect(split.excluded).toBe(excluded);
    expect(split.text.replace(/^[,\s]+/, '')).toContain(text);
    expect(split.text).not.toContain(excluded);
  });

  it.each([
    'hedging without transaction costs',
    'returns predictable in sample but not out of sample',
    'inflation excluding food and energy',
    'does news matter, or not',
    'not about crypto',
    'how to avoid overfitting in backtests',
    'why volatility is not only rough',
    'a notable exception',
  ])('is nothing in "%s"', (question) => {
    expect(splitExclusion(question)).toEqual({ text: question, excluded: null });
  });

  // Read in more than one way, each item would double the time, and this would never end.
  it.each([', jumps', ', of which the', ',  two spaces', ', a and b'])(
    'ends on a long list of "%s"',
    (item) => {
      const question = `volatility models, not about rates${item.repeat(150)}`;
      expect(splitExclusion(question).text).toContain('volatility models');
    },
  );
});
