import { expect, it } from 'vitest';
import { assignTopics, TOPICS, topicText } from '../../../src/areas/papers/topics.ts';
import { DIMENSIONS } from '../../../src/store/vectors.ts';

const tagsOf = (title: string, abstract: string, categories = ['q-fin.GN']) =>
  assignTopics({ title, abstract, categories }, null, null);

it('is a taxonomy without doubles, of arXiv’s own categories', () => {
  const names = TOPICS.map(({ topic }) => topic);
  expect(new Set(names).size).toBe(names.length);
  for (const { categories, words } of TOPICS) {
    expect(words.length).toBeGreaterThan(0);
    for (const category of categories) expect(category).toMatch(/^[a-z-]+(?:\.[A-Za-z-]+)?$/);
  }
});

it.each([
  ['Rough volatility and the skew', 'Rough volatility models fit options.', 'rough volatility'],
  ['A limit-order book', 'Limit order books refill after trades.', 'limit order books'],
  ['Bitcoin returns', 'The cryptocurrency Bitcoin jumps.', 'cryptocurrencies'],
  ['Pensions', 'Retirement saving in pension funds.', 'pensions and retirement'],
])('%s', (title, abstract, tag) => {
  expect(tagsOf(title, abstract)[0]).toBe(tag);
});

it('takes whole words: a momentous paper is not about momentum', () => {
  expect(
    tagsOf('A momentous result', 'Something momentous happened in physics.', ['cs.LG']),
  ).toEqual([]);
});

it('gives a paper of finance one tag at least, and never more than five', () => {
  expect(tagsOf('Untitled', 'Nothing is said.', ['q-fin.PM'])).toHaveLength(1);
  const all = TOPICS.map(({ words }) => words[0]).join(', ');
  expect(tagsOf(all, all)).toHaveLength(5);
});

it('hears the model where words are silent', () => {
  const vectors = TOPICS.map((_, index) =>
    Float32Array.from({ length: DIMENSIONS }, (__, at) => (at === index ? 1 : 0)),
  );
  const index = TOPICS.findIndex(({ topic }) => topic === 'insurance');
  const card = { title: 'Untitled', abstract: 'Nothing is said.', categories: ['q-fin.RM'] };
  expect(assignTopics(card, vectors[index] ?? null, vectors)[0]).toBe('insurance');
  expect(topicText({ topic: 'a', categories: [], words: ['b', 'c'] })).toBe('a: b, c.');
});
