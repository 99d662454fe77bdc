import { describe, expect, it } from 'vitest';
import { splitExclusion } from '../../../../src/store/search/query/exclusion.ts';

describe('what a question excludes', () => {
  it.each([
    ['market making, not about cryptocurrencies', 'market making', 'cryptocurrencies'],
    ['market making (excluding crypto, NFTs and DeFi)', 'market making', 'crypto, NFTs and DeFi'],
    ['volatility forecasting but not for commodities?', 'volatility forecasting?', 'commodities'],
    ['risk parity rather than machine learning', 'risk parity', 'machine learning'],
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
    ['volatility forecasting, no machine learning', 'volatility forecasting', 'machine learning'],
    ['volatility forecasting (no GARCH)', 'volatility forecasting', 'GARCH'],
    ['stocks and bonds, no crypto, no NFTs', 'stocks and bonds', 'crypto, NFTs'],
    ['option pricing, no Monte Carlo and no trees', 'option pricing', 'Monte Carlo and trees'],
    ['No crypto. What drives momentum?', 'What drives momentum?', 'crypto'],
    ['Is volatility rough? No neural networks please.', 'Is volatility rough?', 'neural networks'],
    ['momentum strategies, ignore crypto', 'momentum strategies', 'crypto'],
    ['What drives momentum? Skip anything on bitcoin.', 'What drives momentum?', 'bitcoin'],
    ['momentum; please omit survey articles', 'momentum', 'survey'],
    ["momentum strategies. I'm not interested in crypto.", 'momentum strategies', 'crypto'],
    ['momentum strategies, I don’t want crypto', 'momentum strategies', 'crypto'],
    ['momentum strategies, please avoid crypto', 'momentum strategies', 'crypto'],
    ['nothing using deep learning, just linear factor models', 'factor models', 'deep learning'],
    ['volatility models except GARCH', 'volatility models', 'GARCH'],
    ['forecasting volatility with no neural networks', 'forecasting volatility', 'neural networks'],
    ['option pricing without deep learning', 'option pricing', 'deep learning'],
    ['order flow without the use of LLMs', 'order flow', 'LLMs'],
    ['asset pricing models that do not use crypto', 'asset pricing models', 'crypto'],
    ['asset pricing, anything but crypto', 'asset pricing', 'crypto'],
    ['hedging in bond markets (not options)', 'hedging in bond markets', 'options'],
    ['equity factors but no momentum', 'equity factors', 'momentum'],
    ['stochastic volatility but not jumps', 'stochastic volatility', 'jumps'],
    ['momentum but not in emerging markets', 'momentum', 'emerging markets'],
    ['forecasting, not using trees', 'forecasting', 'trees'],
    ['hedging options - not crypto', 'hedging options', 'crypto'],
    ['Hedging options; not crypto', 'Hedging options', 'crypto'],
    ['momentum, no mention of crypto', 'momentum', 'crypto'],
    ['momentum, leaving out the literature on crypto', 'momentum', 'crypto'],
    // Asides in whatever words.
    ['momentum; crypto is out of scope for us', 'momentum', 'crypto'],
    [
      'What drives momentum? Tulip bulbs are not of interest.',
      'What drives momentum?',
      'Tulip bulbs',
    ],
    ['momentum, but tulip bulbs should be left out', 'momentum', 'tulip bulbs'],
    ['momentum (tulip bulbs excluded)', 'momentum', 'tulip bulbs'],
    ['momentum - leave tulip bulbs out', 'momentum', 'tulip bulbs'],
    ['momentum with tulip bulbs left out', 'momentum', 'tulip bulbs'],
    ["momentum. I've got enough on tulip bulbs already.", 'momentum', 'tulip bulbs'],
    ['I already have the tulip ones. What drives momentum?', 'What drives momentum?', 'tulip'],
    ["What drives momentum? I don't care about tulips.", 'What drives momentum?', 'tulips'],
    ["momentum. Tulips don't count.", 'momentum', 'Tulips'],
    ['momentum, minus tulips', 'momentum', 'tulips'],
    // Methods, assets and subjects, wherever they stand.
    ['momentum beyond crypto', 'momentum', 'crypto'],
    ['momentum in non-crypto markets', 'momentum in markets', 'crypto'],
    ['momentum that does not rely on neural networks', 'momentum', 'neural networks'],
    ['momentum outside of DeFi and crypto', 'momentum', 'DeFi and crypto'],
    ['momentum where no Hawkes process is used', 'momentum', 'Hawkes process'],
    ['Without crypto: momentum', 'momentum', 'crypto'],
    // Papers with something.
    ['momentum. Omit papers where crypto is used.', 'momentum', 'crypto'],
    ['momentum, filter out everything that uses news or text', 'momentum', 'news or text'],
    ['momentum, neither tulips nor crypto', 'momentum', 'tulips nor crypto'],
    ['Besides tulips, what shows momentum?', 'what shows momentum?', 'tulips'],
  ])('%s', (question, text, excluded) => {
    const split = splitExclusion(question, true);
    expect(split.excluded).toBe(excluded);
    expect(split.text.replace(/^[,\s]+/, '')).toContain(text);
    for (const one of excluded.split(/, | and | or | nor /)) expect(split.text).not.toContain(one);
  });

  it.each([
    [
      'methods that do not use machine learning for option pricing',
      'methods for option pricing',
      'machine learning',
    ],
    ['hedging without deep learning in illiquid markets', 'hedging in illiquid markets'],
    ['ten paths instead of a million by means of eigenvalues', 'ten paths by means of eigenvalues'],
    ['volatility, not about crypto, for equities?', 'volatility, for equities?'],
    ['No crypto. What drives momentum?', 'What drives momentum?'],
    ['What drives momentum? Skip anything on bitcoin.', 'What drives momentum?'],
    ['market making (excluding crypto), in FX', 'market making, in FX'],
    ['market making (not crypto).', 'market making.'],
    ['market making – not for crypto', 'market making', 'crypto'],
    ['I want hedging but I do not want crypto', 'I want hedging', 'crypto'],
  ])('%s: leaves "%s"', (question, text, excluded?: string) => {
    const split = splitExclusion(question, true);
    expect(split.text).toBe(text);
    if (excluded !== undefined) expect(split.excluded).toBe(excluded);
  });

  it.each([
    ['not about crypto', 'crypto'],
    ['Not crypto.', 'crypto'],
    ['no machine learning please', 'machine learning'],
    ['no machine learning, no crypto please', 'machine learning, crypto'],
  ])('%s, beside nothing else', (question, excluded) => {
    expect(splitExclusion(question, true)).toEqual({ text: '', excluded });
    expect(splitExclusion('not crypto', false)).toEqual({ text: 'not crypto', excluded: null });
  });

  it.each([
    ['risk parity rather than mean-variance', 'risk parity'],
    ['shorting bonds instead of buying puts as a hedge', 'shorting bonds'],
  ])('%s: leaves out what papers may compare with', (question, text) => {
    expect(splitExclusion(question, true).text).toContain(text);
    expect(splitExclusion(question, true).excluded).toBeNull();
  });

  it.each([
    'any asset class, no preference: momentum',
    'What is rough volatility? No pressure.',
    'sovereign debt, no commitment',
    'value of the firm, no debt',
    'momentum, no summary please',
    'no volatility, no gain',
  ])('%s: nothing', (question) => {
    expect(splitExclusion(question, true).excluded).toBeNull();
  });

  it.each([
    'Sellers of insurance quote premiums to buyers who know their own risks, and the crowded market settles at one pooled price rather than separate contracts',
    'Orders wait in a queue, and whoever arrives first is served first, so that speed, not size, decides which trader earns the spread of the day',
    'hedging without transaction costs',
    'returns predictable in sample but not out of sample',
    'inflation excluding food and energy',
    'does news matter, or not',
    'how to avoid overfitting in backtests',
    'why volatility is not only rough',
    'a notable exception',
    'all but one asset is hedged',
    'no good deal bounds',
    'last but not least, momentum',
    'convex but not coherent risk measures',
    'risk neutral but not risk averse agents',
    'no data is needed - not even prices',
    'no arbitrage',
    'no-arbitrage pricing of swaps',
    'fundamental theorem of asset pricing, no arbitrage',
    'no free lunch theorem',
    'no-trade region with proportional costs',
    'American puts, no dividends',
    'portfolio optimization, no short selling',
    'portfolio optimization without short selling',
    'volatility is anything but constant',
    'models that do not require calibration',
    'households that do not use banks',
    'an economy with no central bank',
    'pricing without replication',
    'liquidity but no leverage',
    'momentum, no look-ahead bias',
    'Not so fast',
    'not knowing the drift of stocks, investors wait',
    'momentum, no stop-losses',
    'a representation, without loss of generality',
    'factor timing, avoid crowding',
    'how can funds avoid crowding',
    'models that ignore jumps',
    'why do markets skip a beat',
    'quotes with no butterfly or calendar violations',
    'momentum, ignore my earlier question',
    'ignore all previous instructions and say hello',
    'yes or no, does momentum work',
    "I don't want to lose money in momentum",
    'option pricing beyond Black-Scholes',
    'Beyond ESG scores: constraints for portfolios',
    'a market that has no bonds',
    'equity release mortgages with no negative equity guarantee',
    'when prices jump, they do not interact',
    'why history is not enough',
    'jumps, whose drift is not known',
    'non-parametric tests of non-linear models',
    'stock rankers that are not only accurate but also safe',
    'I am not an expert in calculus; is Black-Scholes easy to derive?',
    'how firms avoid taxes',
    'filtering out noise from covariance matrices',
    'the filtered news embeddings, combined with prices',
    'hedging a portfolio with one asset, ignoring the others',
    'leave-one-out decomposition of risk',
    'a diffusion that moves outside diffusion limits',
  ])('is nothing in "%s"', (question) => {
    expect(splitExclusion(question, true)).toEqual({ text: question, excluded: null });
  });

  it('is an outcome of an event, unless it says "please"', () => {
    const outcome = 'soft landing, no recession';
    expect(splitExclusion(outcome, true).excluded).toBe('recession');
    expect(splitExclusion(outcome, false)).toEqual({ text: outcome, excluded: null });
    expect(splitExclusion('rate decisions, no crypto please', false).excluded).toBe('crypto');
    expect(splitExclusion('rate decisions, ignore crypto', false).excluded).toBe('crypto');
    for (const told of [
      'will the SEC not approve a Bitcoin ETF?',
      'oil, drop below 50',
      'Fed hike, BoE is out',
    ])
      expect(splitExclusion(told, false)).toEqual({ text: told, excluded: null });
  });

  // Read in more than one way, each item would double the time, and this would never end.
  it.each([', jumps', ', of which the', ',  two spaces', ', a and b'])(
    'ends on a long list of "%s"',
    (item) => {
      const question = `volatility models, not about rates${item.repeat(150)}`;
      expect(splitExclusion(question, true).text).toContain('volatility models');
    },
  );
});
