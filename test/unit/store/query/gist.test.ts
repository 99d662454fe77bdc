import { describe, expect, it } from 'vitest';
import { gistOf } from '../../../../src/store/search/query/gist.ts';

describe('the gist of a question', () => {
  it.each([
    [
      'I am helping a researcher with a review. Could you please find papers about limit order books in crypto markets? Thank you!',
      'limit order books in crypto markets?',
    ],
    [
      'Hello, our team is short of time, so can you find me articles on hedging of weather derivatives?',
      'hedging of weather derivatives?',
    ],
    [
      'You are a research assistant. Question: why do momentum strategies crash after market rebounds',
      'why do momentum strategies crash after market rebounds',
    ],
    [
      'You are a helpful assistant. Task: find papers on optimal execution. Output: JSON.',
      'optimal execution.',
    ],
    [
      '{"task": "search_literature", "query": "optimal execution with transient impact"}',
      'optimal execution with transient impact',
    ],
    ['Task: find papers. Query: optimal execution', 'optimal execution'],
    [
      '{"task": "search", "query": "optimal execution with transient impact"}',
      'optimal execution with transient impact',
    ],
    [
      'My supervisor asked me this: "does order flow imbalance predict returns at short horizons?" I promised an answer.',
      'does order flow imbalance predict returns at short horizons?',
    ],
    [
      'Please recommend some recent papers on rough volatility calibration that I could cite in my thesis.',
      'rough volatility calibration',
    ],
    ['papers about systemic risk in banking networks', 'systemic risk in banking networks'],
    [
      'Hi, quick one: will Argentina default soon? Anything sourced is fine, in any format.',
      'will Argentina default soon?',
    ],
    [
      'Role: analyst. Request: default of Argentina this year. Please be brief and cite well.',
      'default of Argentina this year.',
    ],
    [
      'As an agent of a bank I have to answer this question with sources: oil above 90',
      'oil above 90',
    ],
    ['odds of a default of Argentina', 'a default of Argentina'],
    ['market-implied probability that oil falls', 'market-implied probability that oil falls'],
    ['default of Argentina odds', 'default of Argentina'],
    [
      'We would like to know how central bank communication moves bond yields. Answer with ids only.',
      'how central bank communication moves bond yields.',
    ],
    [
      'For our column of 5 June: does the ministry sell any of its gold during 2025?',
      'does the ministry sell any of its gold during 2025?',
    ],
    [
      'A reader from Rome asked me on 3 June if the minister could resign by the end of July. Please find the event.',
      'if the minister could resign by the end of July.',
    ],
    [
      'Step 3 of 4: look up odds for a default of the electricity company',
      'a default of the electricity company',
    ],
    [
      'I sit on a committee of 7 people. Is a merger of the two exchanges in 2025 traded anywhere?',
      'Is a merger of the two exchanges in 2025 traded anywhere?',
    ],
    [
      'Would you mind checking how likely it is that copper passes $12,000 by May 31?',
      'how likely it is that copper passes $12,000 by May 31?',
    ],
    [
      'I follow copper. Summarise the market that covers a strike at the largest mine of Chile.',
      'a strike at the largest mine of Chile.',
    ],
    [
      'You are helping an editor: find a market on whether the ferry company goes under, and give me its odds.',
      'the ferry company goes under',
    ],
    [
      'We are looking back on 2025: what did bettors think about a default of Argentina?',
      'a default of Argentina?',
    ],
    ['Quick check: what is priced for wages in the July report?', 'wages in the July report?'],
    [
      'Please use the markets tool and tell me whether punters think copper doubles.',
      'copper doubles.',
    ],
    ['Argentina: who takes over at the ministry?', 'Argentina: who takes over at the ministry?'],
    [
      'I work at a hedge fund. We lose money on rolls. Is there evidence that roll yield is predictable?',
      'roll yield is predictable?',
    ],
    [
      'My boss reports on Friday. Is there a market on a strike of the port workers?',
      'a strike of the port workers?',
    ],
  ])('%s', (text, gist) => {
    expect(gistOf(text, false)).toBe(gist);
  });

  it.each([
    "I'd be extremely grateful if you could kindly point me to any recent research that explains whether % are predictable",
    'We would be most obliged if you might steer us toward the latest studies examining %',
    'It would be really helpful if somebody could tell me whether % are predictable',
    'I was hoping that you could help me find literature which investigates %',
    'I wonder if you would be able to suggest articles that analyse %',
    'You would do me a great favour if you could point me in the direction of work on %',
    'I would greatly appreciate any pointers to research on %',
    'Any pointers to papers on % would be much appreciated',
    'Could I kindly ask you to find papers on %?',
    'I am writing to ask whether there is any research on %',
    'Please be so kind as to let me know of studies which show that % are predictable',
    'Thank you in advance for pointing me to papers on %',
    "If it's not too much trouble, could you look for papers about %?",
    'Is there any chance that you know of further papers on %?',
  ])('is free of courtesies: %s', (frame) => {
    const gist = gistOf(frame.replace('%', 'momentum crashes'), true);
    expect(gist).toMatch(/^(?:that )?momentum crashes(?: are predictable)?\??$/);
  });

  it.each([
    [
      'With U.S. inflation at 3.1%, will the Fed cut rates in 2025?',
      'will the Fed cut rates in 2025?',
    ],
    ['while the ECB is cutting, will the Fed hike rates?', 'will the Fed hike rates?'],
    ['How many Fed cuts in 2025, given 2,500 layoffs in May?', 'How many Fed cuts in 2025?'],
    ['After the tariffs, will the Fed cut in January?', 'will the Fed cut in January?'],
    ['Amid a trade war, will the Fed hike in 2025?', 'will the Fed hike in 2025?'],
    ['10-year yield above 5% by June 30 despite inflation', '10-year yield above 5% by June 30'],
    ['Will the Fed hike in 2027 amid tariffs?', 'Will the Fed hike in 2027?'],
    ['Nasdaq bear market in 2027 even if earnings rise', 'Nasdaq bear market in 2027'],
  ])('takes nothing from what a question about an event takes as given: %s', (text, gist) => {
    expect(gistOf(text, false)).toBe(gist);
    expect(gistOf(text, true)).toBe(text);
  });

  it.each([
    'with the 10Y at 4.4%, will it go above 5%?',
    'with tariffs on Canada, will prices rise?',
    'will prices given to farmers rise in 2025?',
    'After the end of June, will the Fed cut in 2027?',
    'recession despite tariffs',
  ])('keeps it where the rest needs it: %s', (text) => {
    expect(gistOf(text, false)).toBe(text);
  });

  it.each([
    'It would help exporters if the euro fell',
    'interesting odds if you can find them',
    'any suggestion of a default',
    'It would be costly if dealers could find the order flow',
    'how should a dealer set quotes while keeping inventory under control',
    'my passive quotes arrive too late and get filled as takers, how should I price them?',
    'search costs in over-the-counter markets',
    'paper trading versus live trading',
    'do we need 3 to 5 years of history in our backtest or is one enough',
    'Find 3 to 5 year bonds in crises',
    'I trade power futures. Wind forecasts miss. How large is the cost?',
    'Find the optimal stopping boundary of an American put',
    'We study option pricing under rough volatility. A neural network is trained on simulated paths. Errors stay below one percent.',
    'identify informed traders from order flow',
    'I pay my staff in a new coin. Will it lose its peg this year?',
    'I ask whether banks lend less when capital rules tighten. I show that effects last two years.',
    'event studies on earnings news and the odds of a reversal',
    'will the Fed cut rates in June',
    'know your customer rules and bank costs',
    'searching for yield',
    'the need for speed',
    'Our research is about carbon futures; please find related studies',
    'please',
    '',
  ])('leaves a plain text as it is: %s', (text) => {
    expect(gistOf(text, false)).toBe(text);
  });

  it.each([
    'Explain the market for lemons',
    'what are the odds of ruin',
    'For the class of affine models, what is the bond price?',
    'For a book of limit orders, how does queue position matter?',
    'User behaviour: what drives retail trading',
    'This paper investigates how banks set prices. We use news articles. In this work we show that fees fall.',
  ])('of a paper keeps what would be the frame of an event: %s', (text) => {
    expect(gistOf(text, true)).toBe(text);
  });

  it('keeps the background that alone names the subject', () => {
    const text =
      'I am working on liquidity mining in automated market makers. Could you find papers about it?';
    expect(gistOf(text, false)).toContain('liquidity mining in automated market makers');
  });

  // Read in more than one way, each repeat would double the time, and this would never end.
  it.each([
    'all the ',
    'research papers ',
    'some of the most ',
    'a few of what ',
    'please just ',
    'so very much ',
    'if you could ',
    'I hope ',
    'any pointers to ',
  ])('ends on a long run of "%s"', (words) => {
    expect(gistOf(`${words.repeat(250)}volatility smile`, false)).toContain('volatility smile');
    expect(gistOf(`find me ${words.repeat(250)}volatility smile`, false)).toContain(
      'volatility smile',
    );
  });
});
