import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { digestOf, digestTexts, summarise } from '../../../../src/areas/papers/digest.ts';
import { splitSentences } from '../../../../src/areas/papers/sentences.ts';
import { DIMENSIONS } from '../../../../src/search/vectors.ts';
import { describeShared } from '../../../shared.ts';
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
/** The plainest words that refer back, listed independently of the rules. */
const DEPENDENT_OPENERS =
  /^(?:It|They|These|Such|This (?!(?:\w+ ){0,2}(?:paper|study|article|work|research|thesis|survey|review|note|report|manuscript|letter))|The latter|However|Moreover|Furthermore|Second|Third|In this case|To this end|To address this)\b/;
const ASIDE = 'All code is available at https://example.org for everybody to use.';
const SENTENCES = [FIRST, AGAIN, FINDING, ASIDE];
const VECTORS = [unit(1, 0.1), unit(1, 0.12), unit(0.7, 0.7), unit(1, 0.3)];
const CENTRE = centreOf(VECTORS);

it('chooses central sentences without repetition, in the order of the abstract', () => {
  const summary = summarise(SENTENCES, { sentences: VECTORS, centre: CENTRE });
  expect(summary.startsWith(FIRST) || summary.startsWith(AGAIN)).toBe(true);
  expect(summary).toContain(FINDING);
  expect(summary).not.toContain(ASIDE);
});

it('is unaffected by tiny differences between batches', () => {
  const nudge = (vector: Float32Array, by: number) =>
    normalise(vector.map((component, index) => component + (index === 5 ? by : 0)));
  const once = summarise(SENTENCES, { sentences: VECTORS, centre: CENTRE });
  for (const by of [1e-7, -1e-7, 1e-6]) {
    const nudged = VECTORS.map((vector) => nudge(vector, by));
    expect(summarise(SENTENCES, { sentences: nudged, centre: centreOf(nudged) })).toBe(once);
  }
});

it('keeps the order of the abstract, not of the scores', () => {
  const summary = summarise([ASIDE, FINDING, FIRST, AGAIN], {
    sentences: VECTORS.toReversed(),
    centre: CENTRE,
  });
  expect(summary.indexOf(FINDING)).toBeLessThan(
    Math.max(summary.indexOf(FIRST), summary.indexOf(AGAIN)),
  );
});

it.each([
  'However, all of this holds for every basket of options and assets.',
  'These baskets hold options on many assets and are priced at once.',
  'To close this gap, baskets of options on many assets are priced.',
  'Code and data are available at the address given in the paper itself.',
  'Can baskets of options on many correlated assets be priced at once?',
  'Options, assets, baskets.',
])('does not choose a sentence that is dependent or uninformative: %s', (weak) => {
  const sentences = [
    FINDING,
    'Fees of funds have fallen in all of the markets we look at.',
    weak,
    FIRST,
  ];
  // All are about equally close to the centre, and the weak one repeats nothing.
  const vectors = [unit(0.9, 0.43), unit(0.9, 0, 0.43), unit(0.9, 0, 0, 0.43), unit(1)];
  expect(summarise(sentences, { sentences: vectors, centre: unit(1) })).not.toContain(weak);
});

it('returns an abstract of one or two sentences unchanged, and nothing for nothing', () => {
  expect(summarise([FIRST, FINDING], { sentences: VECTORS, centre: CENTRE })).toBe(
    `${FIRST} ${FINDING}`,
  );
  expect(summarise([], { sentences: [], centre: CENTRE })).toBe('');
  expect(summarise([FIRST], null)).toBe(FIRST);
  expect(summarise([], null)).toBe('');
});

it('stays short, but with at least two sentences', () => {
  const long = (seed: string) => `${seed} ${'of many words and more '.repeat(20)}ends here.`;
  const sentences = ['One', 'Two', 'Three', 'Four'].map(long);
  const vectors = [unit(1, 0.1), unit(0.9, 0.4), unit(0.5, 0.9), unit(0.2, 1)];
  const summary = summarise(sentences, { sentences: vectors, centre: centreOf(vectors) });
  expect(sentences.filter((sentence) => summary.includes(sentence))).toHaveLength(2);
});

it('starts with the subject of the paper without a model', () => {
  const summary = summarise([FIRST, 'However, this is hard.', ASIDE, FINDING], null);
  expect(summary).toBe(`${FIRST} ${FINDING}`);
  const many = Array.from(
    { length: 9 },
    (_, index) => `Sentence ${index} has words enough to count.`,
  );
  expect(summarise(many, null)).toBe([many[0], many[7]].join(' '));
});

it('considers at most forty sentences', () => {
  const abstract = Array.from({ length: 60 }, (_, at) => `Sentence ${at} says a few words.`).join(
    ' ',
  );
  expect(digestTexts({ title: 'Long', abstract }).sentences).toHaveLength(40);
});

it('reads sentences without TeX but shows them with it', () => {
  const card = {
    title: 'On $\\alpha$-stable baskets',
    abstract: `The index is $\\alpha < 2$ here and elsewhere. ${FINDING}`,
    categories: ['q-fin.PR'],
  };
  const texts = digestTexts(card);
  expect(texts.title).toBe('On alpha-stable baskets');
  expect(texts.sentences[0]).not.toContain('$');
  expect(digestOf(card, null).summary).toContain('$\\alpha < 2$');
});

const BACKGROUND = 'Traders have priced baskets of options on many assets for years.';
const PROBLEM = 'The number of nodes of a lattice for baskets grows without a bound.';

it('prefers what the authors say they do to equally central background', () => {
  const own = 'This paper proposes a lattice that recombines in every dimension.';
  const found = 'Errors of our lattice fall by half while costs stay where they were.';
  const sentences = [BACKGROUND, PROBLEM, own, found];
  const vectors = [unit(0.9, 0.43), unit(0.9, 0, 0.43), unit(0.9, 0, 0, 0.43), unit(0.9, -0.43)];
  const summary = summarise(sentences, { sentences: vectors, centre: unit(1) });
  expect(summary).toContain(`${own} ${found}`);
});

describeShared('the recorded abstracts', 'data/papers/qfin-2025-2026-2000.json', (path) => {
  it('have summaries that start with an independent sentence', () => {
    const papers = z
      .array(z.object({ arxiv_id: z.string(), abstract: z.string() }))
      .parse(JSON.parse(readFileSync(path, 'utf8')));
    expect(papers.length).toBeGreaterThan(1_900);
    const dependent = papers.filter(({ abstract }) => {
      const sentences = splitSentences(abstract);
      const summary = summarise(sentences, null);
      // The first sentence of an abstract may start with any word.
      return !summary.startsWith(sentences[0] ?? '') && DEPENDENT_OPENERS.test(summary);
    });
    expect(dependent.map(({ arxiv_id: id }) => id)).toEqual([]);
  });
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
    const embedder = await loadRealModel(1);
    const texts = digestTexts(card);
    const together = await embedder.embed([texts.title, ...texts.sentences]);
    const alone = await Promise.all(
      [texts.title, ...texts.sentences].map((each) => embedder.embed([each])),
    );
    await embedder.close();
    const [summary, again] = [together, alone.flat()].map(([title, ...sentences]) =>
      title === undefined ? '' : digestOf(card, { title, sentences, topics: [] }).summary,
    );
    expect(summary).toContain(done);
    expect(summary).toContain(found);
    expect(summary).not.toMatch(/However|example/);
    expect(again).toBe(summary);
  },
);
