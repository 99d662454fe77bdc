import { expect, it } from 'vitest';
import { digestOf, digestTexts, meanVector } from '../../../src/areas/papers/digest.ts';
import { summarise, summariseWithoutModel } from '../../../src/areas/papers/summary.ts';
import { loadEmbedder } from '../../../src/embedding/embedder.ts';
import { findModel } from '../../../src/embedding/files.ts';
import { DIMENSIONS } from '../../../src/store/vectors.ts';
import { REAL_MODELS } from '../../embedding/real-model.ts';

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

it('chooses in the order of the abstract, not of worth', () => {
  const summary = summarise([ASIDE, FINDING, FIRST, AGAIN], VECTORS.toReversed(), CENTRE);
  expect(summary.indexOf(FINDING)).toBeLessThan(
    Math.max(summary.indexOf(FIRST), summary.indexOf(AGAIN)),
  );
});

it.each([
  'However, all of this holds for every basket of options and assets.',
  'These baskets hold options on many assets and are priced at once.',
  'To close this gap, baskets of options on many assets are priced.',
  'Code and data are available at the address given in the paper itself.',
  'This paper has been accepted at a conference on options and assets.',
  'Our work on baskets of options and assets has three findings.',
  'Can baskets of options on many correlated assets be priced at once?',
  'Options, assets, baskets.',
])('does not choose what cannot stand alone or says nothing: %s', (weak) => {
  const sentences = [
    FINDING,
    'Fees of funds have fallen in all of the markets we look at.',
    weak,
    FIRST,
  ];
  // All are about as near to the centre, and the weak one repeats nothing.
  const vectors = [unit(0.9, 0.43), unit(0.9, 0, 0.43), unit(0.9, 0, 0, 0.43), unit(1)];
  expect(summarise(sentences, vectors, unit(1))).not.toContain(weak);
});

it('takes a sentence that points back together with the one it points to', () => {
  const pointing = 'These prices hold for every basket and cost almost nothing to compute.';
  const sentences = [ASIDE, FIRST, pointing, 'Nothing else is said of any other matter here.'];
  const vectors = [unit(0, 0, 1), unit(1, 0.1), unit(0.8, 0.6), unit(0, 0.2, 1)];
  expect(summarise(sentences, vectors, unit(1, 0.4))).toContain(`${FIRST} ${pointing}`);
});

it('takes an abstract of one or two sentences whole, and none for none', () => {
  expect(summarise([FIRST, FINDING], VECTORS, CENTRE)).toBe(`${FIRST} ${FINDING}`);
  expect(summarise([], [], CENTRE)).toBe('');
  expect(summariseWithoutModel([FIRST])).toBe(FIRST);
  expect(summariseWithoutModel([])).toBe('');
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
  const many = Array.from(
    { length: 9 },
    (_, index) => `Sentence ${index} has words enough to count.`,
  );
  expect(summariseWithoutModel(many)).toBe([many[0], many[7], many[8]].join(' '));
});

it('looks at forty sentences and no more', () => {
  const abstract = Array.from({ length: 60 }, (_, at) => `Sentence ${at} says a few words.`).join(
    ' ',
  );
  expect(digestTexts({ title: 'Long', abstract }).sentences).toHaveLength(40);
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

it.skipIf(REAL_MODELS === undefined)(
  'says of a whole abstract what is done and found',
  async () => {
    const done = 'We price basket options by a lattice that recombines in every dimension.';
    const found = 'Prices agree with simulation to three digits at a hundredth of the time.';
    const abstract = [
      'Basket options have become popular with private investors in recent years.',
      done,
      'The lattice has one node for each combination of prices.',
      'However, this number grows.',
      found,
      'The code is available at https://example.org.',
    ].join(' ');
    const card = { title: 'Recombining lattices for basket options', abstract, categories: [] };
    const embedder = await loadRealModel();
    const texts = digestTexts(card);
    const together = await embedder.embed([texts.title, ...texts.sentences]);
    const alone = await Promise.all(
      [texts.title, ...texts.sentences].map((each) => embedder.embed([each])),
    );
    await embedder.close();
    const [summary, again] = [together, alone.flat()].map(([title, ...sentences]) =>
      title === undefined ? '' : digestOf(card, { title, sentences }, null).summary,
    );
    expect(summary).toContain(done);
    expect(summary).toContain(found);
    expect(summary).not.toMatch(/However|example/);
    expect(again).toBe(summary);
  },
);

async function loadRealModel() {
  const directory = await findModel({ home: REAL_MODELS ?? '', modelDir: REAL_MODELS });
  return loadEmbedder(directory ?? '', { threads: 1 });
}
