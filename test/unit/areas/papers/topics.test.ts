import { expect, it } from 'vitest';
import { readStarterPapers } from '../../../../scripts/starter/papers.ts';
import { assignTopics, TOPICS, topicText } from '../../../../src/areas/papers/topics.ts';
import { DIMENSIONS } from '../../../../src/search/vectors.ts';

const tagsOf = (title: string, abstract: string, categories = ['q-fin.GN']) =>
  assignTopics({ title, abstract, categories }, null, null);

it('the taxonomy contains all tags of the starter papers', () => {
  const names = new Set(TOPICS.map(({ topic }) => topic));
  expect(names.size).toBe(90);
  const used = readStarterPapers('data/starter/papers').flatMap(({ tags }) => tags);
  expect(used.filter((tag) => !names.has(tag))).toEqual([]);
});

it.each([
  ['Rough volatility and the skew', 'Rough volatility models fit options.', 'rough volatility'],
  ['Lending abroad', 'Cross-border lending by banks.', 'banking'],
  ['Offices', 'The commercial property market and its rents.', 'mortgages and real estate'],
  ['Cryptocurrencies', 'Of cryptocurrencies.', 'cryptocurrencies'],
  ['Marketmaking', 'A market-maker quotes; market makers follow.', 'market making'],
  ['Behaviour', 'Behavioural finance and overreactions.', 'behavioural finance'],
])('a paper’s first tag is its subject in any spelling: %s', (title, abstract, tag) => {
  expect(tagsOf(title, abstract)[0]).toBe(tag);
});

it('tags ignore a phrase that is part of a longer one', () => {
  const makers = 'Automated market makers';
  const tags = tagsOf(makers, `${makers} on Uniswap.`, ['q-fin.TR']);
  expect(tags).toContain('decentralised finance');
  expect(tags).not.toContain('market making');
  expect(tagsOf('A new way', 'New methods for new data.', ['cs.LG'])).toEqual([]);
});

it.each([
  ['A model, accounting for jumps in prices, accounting for costs.', 'corporate finance'],
  ['The Black-Scholes-Merton model of option prices.', 'credit risk'],
])('tags ignore a word used in another sense: %s', (abstract, tag) => {
  expect(tagsOf('Untitled', abstract)).not.toContain(tag);
});

it.each([
  ['Option pricing, tested on Bitcoin.', false],
  ['Option pricing for Bitcoin, Ether and other crypto assets that follow Bitcoin.', true],
])('tags treat one mention as an aside, and several as a subject: %s', (abstract, isSubject) => {
  const tags = tagsOf('Option pricing', abstract, ['cs.LG', 'q-fin.ST']);
  expect(tags.includes('cryptocurrencies')).toBe(isSubject);
});

it('a finance paper gets at least one tag and at most five', () => {
  expect(tagsOf('Untitled', 'Nothing is said.', ['q-fin.PM'])).toHaveLength(1);
  expect(tagsOf('Untitled', 'Nothing is said.', ['cs.LG', 'q-fin.PM'])).toHaveLength(1);
  expect(tagsOf('Untitled', 'Nothing is said.', ['econ.GN'])).toEqual([]);
  expect(tagsOf('', '', [])).toEqual([]);
  const all = TOPICS.map(({ words }) => words[0]).join(', ');
  expect(tagsOf(all, all)).toHaveLength(5);
});

it('tags come from the model if no word matches', () => {
  const vectors = TOPICS.map((_, index) =>
    Float32Array.from({ length: DIMENSIONS }, (__, at) => (at === index ? 1 : 0)),
  );
  const index = TOPICS.findIndex(({ topic }) => topic === 'insurance');
  const card = { title: 'Untitled', abstract: 'Nothing is said.', categories: ['q-fin.RM'] };
  expect(assignTopics(card, vectors[index] ?? null, vectors)[0]).toBe('insurance');
  expect(topicText({ topic: 'a', categories: [], words: ['b', 'c'] })).toBe('a: b, c.');
});
