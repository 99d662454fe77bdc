import { expect, it } from 'vitest';
import {
  digestOf,
  digestTexts,
  splitSentences,
  summarise,
} from '../../../../src/areas/papers/digest.ts';
import { axis, between } from '../../../vectors.ts';
import { loadRealModel, REAL_MODELS } from '../../embedding/real-model.ts';

const FIRST = 'We price baskets of options on many correlated assets at once.';
const AGAIN = 'Baskets of options on many correlated assets are priced at once.';
const FINDING = 'Errors fall by half while the cost of a hedge stays where it was.';
const ASIDE = 'All code is public.';
const SENTENCES = [FINDING, ASIDE, FIRST, AGAIN];
/** All but the aside are near the card; the last two nearly repeat each other. */
const VECTORS = [between(1, 2, 0.7), axis(3), between(1, 2, 0.99), between(1, 2, 0.98)];

it('a summary consists of two central sentences that do not repeat each other, in text order', () => {
  const vectors = { sentences: VECTORS, centre: between(1, 2, 0.9) };
  expect(summarise(SENTENCES, vectors)).toBe(`${FINDING} ${AGAIN}`);
  expect(summarise([FINDING, FIRST], vectors)).toBe(`${FINDING} ${FIRST}`);
});

it.each([
  ['the first and the last sentence', [FIRST, ASIDE, FINDING], `${FIRST} ${FINDING}`],
  ['the only sentence', [FIRST], FIRST],
  ['empty if there is no sentence', [], ''],
])('a summary without a model is %s', (_, sentences, summary) => {
  expect(summarise(sentences, null)).toBe(summary);
});

it('sentences are embedded without TeX, but a summary keeps it', () => {
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

it.each<[string, string[]]>([
  ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
  ['As Smith et al. (2019) show, it works.', ['As Smith et al. (2019) show, it works.']],
  ['Assets, e.g. bonds, fall. Then they rise.', ['Assets, e.g. bonds, fall.', 'Then they rise.']],
  ['See Fig. 2 and Eq. (3) for it. Done.', ['See Fig. 2 and Eq. (3) for it.', 'Done.']],
  ['It fell in the U.S. by 0.5 percent.', ['It fell in the U.S. by 0.5 percent.']],
  ['Let $x. Y$ be. So it is.', ['Let $x. Y$ be.', 'So it is.']],
  ['It follows $$x = 1.$$ So be it.', ['It follows $$x = 1.$$', 'So be it.']],
  ['We do: 1. Sort. Then count.', ['We do: 1. Sort.', 'Then count.']],
  ['One line\nbroken. Next\nline.', ['One line broken.', 'Next line.']],
  ['First paragraph\n\nSecond one.', ['First paragraph', 'Second one.']],
  ['', []],
  [' … ', []],
])('the sentences of the abstract %j are %j', (text, sentences) => {
  expect(splitSentences(text)).toEqual(sentences);
});
