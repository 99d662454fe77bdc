import { expect, it } from 'vitest';
import { digestOf, digestTexts, meanVector } from '../../../src/areas/papers/digest.ts';
import { summarise, summariseWithoutModel } from '../../../src/areas/papers/summary.ts';
import { DIMENSIONS } from '../../../src/store/vectors.ts';

/** A unit vector with these first components. */
function unit(...parts: number[]): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector.set(parts);
  return meanVector([vector]);
}

const FIRST = 'We price baskets of options on many correlated assets at once.';
const AGAIN = 'Baskets of options on many correlated assets are priced at once.';
const FINDING = 'Errors fall by half while the cost of a hedge stays where it was.';
const ASIDE = 'All code is available at https://example.org for everybody to use.';
const SENTENCES = [FIRST, AGAIN, FINDING, ASIDE];
const VECTORS = [unit(1, 0.1), unit(1, 0.12), unit(0.7, 0.7), unit(1, 0.3)];
const CENTRE = meanVector(VECTORS);

it('chooses what is central without saying it twice, in the order of the abstract', () => {
  const summary = summarise(SENTENCES, VECTORS, CENTRE);
  expect(summary.startsWith(FIRST) || summary.startsWith(AGAIN)).toBe(true);
  expect(summary).toContain(FINDING);
  expect(summary).not.toContain(ASIDE);
});

it('is the same whatever tiny differences a batch makes', () => {
  const nudge = (vector: Float32Array, by: number) =>
    meanVector([vector.map((component, index) => component + (index === 5 ? by : 0))]);
  const once = summarise(SENTENCES, VECTORS, CENTRE);
  for (const by of [1e-7, -1e-7, 1e-6]) {
    const nudged = VECTORS.map((vector) => nudge(vector, by));
    expect(summarise(SENTENCES, nudged, meanVector(nudged))).toBe(once);
  }
});

it('takes an abstract of one or two sentences whole, and none for none', () => {
  expect(summarise([FIRST, FINDING], VECTORS, CENTRE)).toBe(`${FIRST} ${FINDING}`);
  expect(summarise([], [], CENTRE)).toBe('');
  expect(summariseWithoutModel([FIRST])).toBe(FIRST);
});

it('stays short, with two sentences at least', () => {
  const long = (seed: string) => `${seed} ${'of many words and more '.repeat(20)}ends here.`;
  const sentences = ['One', 'Two', 'Three', 'Four'].map(long);
  const vectors = [unit(1, 0.1), unit(0.9, 0.4), unit(0.5, 0.9), unit(0.2, 1)];
  const summary = summarise(sentences, vectors, meanVector(vectors));
  expect(sentences.filter((sentence) => summary.includes(sentence))).toHaveLength(2);
});

it('without a model begins with what the paper is about', () => {
  const summary = summariseWithoutModel([FIRST, 'However, this is hard.', ASIDE, FINDING]);
  expect(summary).toBe(`${FIRST} ${FINDING}`);
});

it('looks at sentences without TeX and shows them with it', () => {
  const card = {
    title: 'On $\\alpha$-stable baskets',
    abstract: `The index is $\\alpha < 2$ here and elsewhere. ${FINDING}`,
    categories: ['q-fin.PR'],
  };
  const texts = digestTexts(card);
  expect(texts.title).toBe('On alpha-stable baskets');
  expect(texts.sentences[0]).not.toContain('$');
  expect(digestOf(card, null, null).summary).toContain('$\\alpha < 2$');
});
