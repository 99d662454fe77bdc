import { expect, it } from 'vitest';
import { operations } from '../../../src/operations.ts';
import { connectHere, listTools } from './tools.ts';

/*
 * Hosts that defer tools behind a search rank them by BM25 over name and description. The requests were
 * written before the descriptions were; the second half was not looked at until these were final.
 */

const PAPERS = { search: 'paper_search', read: 'paper_read' };
const MACRO = { search: 'macro_indicator_search', history: 'macro_indicator_history' };
const EVENTS = {
  browse: 'prediction_market_event_browse',
  search: 'prediction_market_event_search',
  read: 'prediction_market_event_read',
};

const REQUESTS: readonly (readonly [request: string, tool: string])[] = [
  ['find recent papers on statistical arbitrage with deep learning', PAPERS.search],
  ['what does the academic literature say about momentum crashes', PAPERS.search],
  ['is there arXiv research on optimal execution', PAPERS.search],
  ['look for studies of volatility forecasting with machine learning', PAPERS.search],
  ['open arXiv 2510.23150 and show me its abstract', PAPERS.read],
  ['read the methods section of that paper', PAPERS.read],
  ['give me the BibTeX citation for this arXiv paper', PAPERS.read],
  ['which inflation indicators do you have', MACRO.search],
  ['what is the FRED series id for nonfarm payrolls', MACRO.search],
  ['list the available economic indicators for housing', MACRO.search],
  ['plot US unemployment rate since 2000', MACRO.history],
  ['what were the last 12 months of core CPI', MACRO.history],
  ['10 year treasury yield daily values for 2024', MACRO.history],
  ['how has real GDP growth changed over the past five years', MACRO.history],
  ['show all active prediction markets about crypto', EVENTS.browse],
  ['most liquid Polymarket events right now', EVENTS.browse],
  ['list prediction markets that resolve before the end of the year', EVENTS.browse],
  ['what are the odds of a Fed rate cut in March', EVENTS.search],
  ['probability that bitcoin reaches 150k', EVENTS.search],
  ['show all outcomes and the rules of event pme_16085', EVENTS.read],

  ['papers about pairs trading and cointegration', PAPERS.search],
  ['backtested trading strategies using options data, academic sources', PAPERS.search],
  ['who has published on rough volatility', PAPERS.search],
  ['find literature on portfolio optimization under transaction costs', PAPERS.search],
  ['summarize section 3 of the paper you found', PAPERS.read],
  ['get the full text of arXiv:1404.4944', PAPERS.read],
  ['show me the conclusion of this paper', PAPERS.read],
  ['search for indicators of consumer sentiment', MACRO.search],
  ['is there a series for mortgage rates', MACRO.search],
  ['find the alias for the yield curve spread', MACRO.search],
  ['monthly inflation numbers from 2019 to 2023', MACRO.history],
  ['get the history of the federal funds rate', MACRO.history],
  ['latest jobs report figures', MACRO.history],
  ['time series of the yield curve 10y minus 2y', MACRO.history],
  ['browse markets by tag fed-rates', EVENTS.browse],
  ['which prediction markets have closed in the last month', EVENTS.browse],
  ['what does Polymarket say about a US recession', EVENTS.search],
  ['market implied chance of a government shutdown', EVENTS.search],
  ['will inflation be above 3 percent, prediction market odds', EVENTS.search],
  ['details of this Polymarket event: volume, liquidity, end date', EVENTS.read],
];

/** Left out, as such hosts do. */
const STOP_WORDS = new Set(
  'a an and are as at be by do for from have how in is it me of on one or so that the this to was were what which with you'.split(
    ' ',
  ),
);
const wordsOf = (text: string) =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !STOP_WORDS.has(word));

/** Ranks documents by BM25 with the usual constants. */
function rank(documents: readonly { name: string; words: readonly string[] }[], query: string) {
  const mean = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length;
  const scoreOf = (words: readonly string[]) =>
    [...new Set(wordsOf(query))].reduce((sum, term) => {
      const having = documents.filter((each) => each.words.includes(term)).length;
      const rarity = Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
      const count = words.filter((word) => word === term).length;
      const length = 1.2 * (0.25 + (0.75 * words.length) / mean);
      return sum + (rarity * count * 2.2) / (count + length);
    }, 0);
  return documents
    .map(({ name, words }) => ({ name, score: scoreOf(words) }))
    .sort((a, b) => b.score - a.score);
}

const tools = await listTools();

it('36 of 40 natural requests find the right tool first', () => {
  const documents = tools.map(({ name, description }) => ({
    name,
    words: wordsOf(`${name} ${description}`),
  }));
  const missed = REQUESTS.flatMap(([request, tool]) => {
    const first = rank(documents, request)[0]?.name;
    return first === tool ? [] : [`${request}: ${first}`];
  });
  expect(REQUESTS.length - missed.length, missed.join('\n')).toBeGreaterThanOrEqual(36);
});

const WORDS = {
  papers: ['arxiv', 'research', 'literature', 'papers', 'trading strategies'],
  macro: ['fred', 'inflation', 'cpi', 'gdp', 'jobs', 'unemployment', 'yields', 'rates'],
  events: ['polymarket', 'odds', 'probability', 'prediction market'],
};

it('the beginning of each description holds the words that people ask with', () => {
  const beginnings = tools.map(({ description }) => description.slice(0, 155).toLowerCase());
  for (const word of WORDS.papers) expect(beginnings.slice(0, 2).join(' ')).toContain(word);
  for (const word of WORDS.macro) expect(beginnings.slice(2, 4).join(' ')).toContain(word);
  for (const word of WORDS.events) expect(beginnings.slice(4).join(' ')).toContain(word);
});

it('so does that of the instructions, and the server says who it is', async () => {
  const client = await connectHere();
  const beginning = client.getInstructions()?.slice(0, 250).toLowerCase();
  for (const word of Object.values(WORDS).flat()) expect(beginning).toContain(word);
  expect(client.getServerVersion()).toMatchObject({
    ...{ name: 'quantshelf', description: expect.stringMatching(/\w/) },
    websiteUrl: expect.stringMatching(/^https:/),
    icons: [{ src: expect.stringMatching(/^data:image\/svg\+xml;base64,/) }],
  });
  await client.close();
});

it('every tool has a hint for hosts that search by it', () => {
  expect(operations.map(({ searchHint = '' }) => searchHint.length > 20)).not.toContain(false);
  for (const { name, _meta = {} } of tools) {
    const row = operations.find((each) => each.name === name);
    expect(_meta['anthropic/searchHint']).toBe(row?.searchHint);
  }
});
