import { describe, expect, it } from 'vitest';
import {
  digestOf,
  digestTexts,
  splitSentences,
  summarise,
} from '../../../../src/areas/papers/digest.ts';
import { DIMENSIONS } from '../../../../src/search/vectors.ts';
import { loadRealModel, REAL_MODELS } from '../../embedding/real-model.ts';

function normalise(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((component) => component / length);
}

/** A unit vector with these first components. */
function unit(...parts: number[]): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  vector.set(parts);
  return normalise(vector);
}

function centreOf(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(DIMENSIONS);
  return normalise(sum.map((_, at) => vectors.reduce((all, vector) => all + (vector[at] ?? 0), 0)));
}

const FIRST = 'We price baskets of options on many correlated assets at once.';
const AGAIN = 'Baskets of options on many correlated assets are priced at once.';
const FINDING = 'Errors fall by half while the cost of a hedge stays where it was.';
const ASIDE = 'All code is public.';
const SENTENCES = [FINDING, ASIDE, FIRST, AGAIN];
const VECTORS = [unit(0.7, 0.7), unit(0.1, 0, 1), unit(1, 0.1), unit(1, 0.12)];

describe('a summary', () => {
  const summaryOf = (vectors: readonly Float32Array[]) =>
    summarise(SENTENCES, { sentences: vectors, centre: centreOf(VECTORS) });

  it('a summary consists of two central sentences that do not repeat each other, in text order', () => {
    expect([`${FINDING} ${FIRST}`, `${FINDING} ${AGAIN}`]).toContain(summaryOf(VECTORS));
  });

  it('a summary of one or two sentences is the whole abstract', () => {
    const vectors = { sentences: VECTORS, centre: centreOf(VECTORS) };
    expect(summarise([FIRST, FINDING], vectors)).toBe(`${FIRST} ${FINDING}`);
    expect(summarise([FIRST], null)).toBe(FIRST);
    expect(summarise([], null)).toBe('');
  });

  it('a summary without a model has the first and the last sentence', () => {
    expect(summarise([FIRST, ASIDE, FINDING], null)).toBe(`${FIRST} ${FINDING}`);
  });

  it('a summary is embedded without TeX but shown with it', () => {
    const card = {
      title: 'On $\\alpha$-stable baskets',
      abstract: `The index is $\\alpha < 2$ here and elsewhere. ${FINDING}`,
      categories: ['q-fin.PR'],
    };
    const texts = digestTexts(card);
    expect(texts[0]).toBe('On alpha-stable baskets');
    expect(texts[1]).not.toContain('$');
    expect(digestOf(card, null).summary).toContain('$\\alpha < 2$');
  });

  it.skipIf(REAL_MODELS === undefined)(
    'a summary by the real model says what the paper does',
    async () => {
      const done = 'We price basket options by a lattice that recombines in every dimension.';
      const abstract = [
        'Retail investors trade more than they did.',
        done,
        'The lattice for basket options has one node for each combination of prices.',
        'This number grows.',
        'The code is available at https://example.org.',
      ].join(' ');
      const card = { title: 'Recombining lattices for basket options', abstract, categories: [] };
      const embedder = await loadRealModel(1);
      const texts = await embedder.embed(digestTexts(card));
      await embedder.close();
      expect(digestOf(card, { texts, topics: [] }).summary).toContain(done);
    },
  );
});

it.each<[string, string[] | number]>([
  ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
  ['As Smith et al. (2019) show, it works.', 1],
  ['Assets, e.g. bonds, fall. Then they rise.', ['Assets, e.g. bonds, fall.', 'Then they rise.']],
  ['See Fig. 2 and Eq. (3) for it. Done.', ['See Fig. 2 and Eq. (3) for it.', 'Done.']],
  ['It fell in the U.S. market by 0.5 percent.', 1],
  ['Let $x. Y$ be. So it is.', ['Let $x. Y$ be.', 'So it is.']],
  ['It follows $$x = 1.$$ So be it.', ['It follows $$x = 1.$$', 'So be it.']],
  ['We do: 1. Sort. Then count.', ['We do: 1. Sort.', 'Then count.']],
  ['One line\nbroken. Next\nline.', ['One line broken.', 'Next line.']],
  ['First paragraph\n\nSecond one.', ['First paragraph', 'Second one.']],
  ['', []],
  [' … ', []],
])('an abstract is split into sentences: %j', (text, sentences) => {
  const split = splitSentences(text);
  expect(typeof sentences === 'number' ? split.length : split).toEqual(sentences);
  expect(split.join('').replace(/\s/g, '')).toBe(/\w/.test(text) ? text.replace(/\s/g, '') : '');
});
