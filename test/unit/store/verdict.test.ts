import { describe, expect, it } from 'vitest';
import { createSearchIndex, indexText } from '../../../src/store/search/index.ts';
import { Synonyms } from '../../../src/store/search/lexical/synonyms.ts';
import { search } from '../../../src/store/search/search.ts';
import { type Evidence, judge, VERDICT } from '../../../src/store/search/verdict.ts';
import { Database } from '../../../src/store/sqlite.ts';

const index = {
  name: 'card',
  columns: { title: 3, text: 1 },
  synonyms: new Synonyms(['ecb, european central bank']),
};

/** A shelf of titles; ids are their positions, starting at 1. */
function shelf(...titles: string[]) {
  const db = new Database(':memory:');
  createSearchIndex(db, index);
  for (const [at, title] of titles.entries()) indexText(db, index, at + 1, { title, text: '' });
  return db;
}

const rates = shelf(
  'How many Fed rate cuts in 2025',
  'ECB rate decision in 2025',
  'Bitcoin price at the end of the year',
);

async function evidenceFor(text: string, db = rates): Promise<Evidence | null> {
  return (await search(db, index, { text, vector: null, limit: 10 })).evidence;
}

/** An answered question in hybrid search. */
const answered: Evidence = {
  score: 0.53,
  scoreMargin: 0.3,
  passageCosine: 0.8,
  backgroundCosine: 0.2,
  missingTerm: 0.2,
  specificity: 1.8,
  unheldTerms: 0,
  missingShare: 0,
  missingDetails: 0,
  fieldScore: 0.5,
  isProse: 1,
  titleCoverage: 0,
  idfCoverage: 0,
  length: 0.5,
  size: 0.35,
};

describe('the verdict', () => {
  it('is strong for a match that is good in all respects', () => {
    expect(judge(answered)).toBe('strong');
  });

  it.each<[string, Partial<Evidence>]>([
    ['its neighbours score as high', { scoreMargin: 0.01 }],
    ['its score is low', { score: 0.3 }],
    ['the question says little', { specificity: 0.4 }],
    ['the first match lacks a month or a number that was asked for', { missingDetails: 1 }],
    ['the first match lacks a rare term that is much of the question', { missingShare: 0.3 }],
  ])('is weak where %s', (_, change) => {
    expect(judge({ ...answered, ...change })).toBe('weak');
  });

  it('is none where the question is far from all cards', () => {
    expect(judge(null)).toBe('none');
    expect(
      judge({
        ...answered,
        backgroundCosine: 0.02,
        passageCosine: 0.25,
        scoreMargin: 0.05,
        missingTerm: 1,
        fieldScore: -0.2,
      }),
    ).toBe('none');
  });

  it('is none where the question is nearer to questions of other fields', () => {
    const near = { ...answered, score: 0.3, scoreMargin: 0.1, backgroundCosine: 0.05 };
    expect(judge({ ...near, missingTerm: 0.8, fieldScore: 0.5 })).toBe('weak');
    expect(judge({ ...near, missingTerm: 0.8, fieldScore: -0.8 })).toBe('none');
  });

  it('is strong for an event whose title the question names, unless it lacks a detail', () => {
    const event: Evidence = {
      ...answered,
      isProse: 0,
      scoreMargin: 0.2,
      titleCoverage: 0.8,
      idfCoverage: 0.9,
    };
    expect(judge(event)).toBe('strong');
    expect(judge({ ...event, titleCoverage: 0.2 })).toBe('weak');
    expect(judge({ ...event, idfCoverage: 0.4 })).toBe('weak');
    expect(judge({ ...event, missingDetails: 1 })).toBe('weak');
  });

  it('asks an event, whose twins differ in a word, for the words of the question', () => {
    const fair: Evidence = { ...answered, scoreMargin: 0.2 };
    expect(judge(fair)).toBe('strong');
    expect(judge({ ...fair, isProse: 0 })).toBe('weak');
    expect(judge({ ...fair, isProse: 0, titleCoverage: 1, idfCoverage: 1 })).toBe('strong');
  });

  it('asks more of an event on a large shelf', () => {
    const event = { ...answered, isProse: 0, titleCoverage: 0.5, idfCoverage: 0.9 };
    expect(judge({ ...event, scoreMargin: 0.2, size: 0 })).toBe('strong');
    expect(judge({ ...event, scoreMargin: 0.2, size: 1 })).toBe('weak');
    expect(judge({ ...event, scoreMargin: 0.4, size: 1 })).toBe('strong');
  });

  it('reads the share of the title that the question names, but of prose', async () => {
    const covered = async (text: string, isProse = false) =>
      (await search(rates, { ...index, isProse }, { text, vector: null, limit: 10 })).evidence
        ?.titleCoverage;
    expect(await covered('Fed rate cuts in 2025')).toBeGreaterThan(
      (await covered('rate cuts')) ?? 1,
    );
    expect(await covered('end of the world')).toBeLessThan(0.5);
    expect(await covered('Fed rate cuts in 2025', true)).toBe(0);
  });

  it('has models of its own for lexical-only search', () => {
    expect(judge({ ...answered, passageCosine: null, score: 0.1 })).not.toBe('strong');
    expect(VERDICT.lexical.answered).not.toHaveProperty('backgroundCosine');
    expect(VERDICT.lexical.onTopic).not.toHaveProperty('passageCosine');
  });
});

describe('the evidence', () => {
  it.each([
    'Will the ECB cut rates in 2025',
    'Bitcoin price',
    'Does Tesla buy Bitcoin',
    'unheard words',
  ])('of "%s" is the same in any case of letters', async (text) => {
    const evidence = await evidenceFor(text);
    expect(await evidenceFor(text.toLowerCase())).toEqual(evidence);
    expect(await evidenceFor(text.toUpperCase())).toEqual(evidence);
  });

  it('tells the rarest word that the first match lacks', async () => {
    expect((await evidenceFor('fed rate cuts'))?.missingTerm).toBe(0);
    const common = (await evidenceFor('bitcoin price 2025'))?.missingTerm ?? 0;
    const unheard = (await evidenceFor('bitcoin price tesla'))?.missingTerm ?? 0;
    expect(common).toBeGreaterThan(0);
    expect(unheard).toBeGreaterThan(common);
  });

  it('tells what a rare word that the first paper lacks is of the question', async () => {
    const papers = (count: number) =>
      shelf(...Array.from({ length: count }, (_, at) => `Fed rate cuts ${at}`));
    const shareOf = async (text: string, db: ReturnType<typeof shelf>, isProse = true) =>
      (await search(db, { ...index, isProse }, { text, vector: null, limit: 10 })).evidence
        ?.missingShare ?? 0;
    const large = papers(400);
    expect(await shareOf('rate cuts', large)).toBe(0);
    expect(await shareOf('rate cuts of a volcano', large)).toBeGreaterThan(0.5);
    expect(await shareOf('rate cuts of a volcano', large, false)).toBe(0);
    expect(await shareOf('rate cuts of a volcano', papers(60))).toBeLessThan(0.2);
  });

  it('tells the share of the words that no card holds, on a shelf that should hold them', async () => {
    const titles = Array.from({ length: 400 }, (_, at) => `Fed rate cuts ${at}`);
    const large = shelf(...titles);
    expect((await evidenceFor('rate cuts', large))?.unheldTerms).toBe(0);
    const some = (await evidenceFor('rate cuts of a volcano', large))?.unheldTerms ?? 0;
    const most = (await evidenceFor('rate of lava in a volcano', large))?.unheldTerms ?? 0;
    expect(some).toBeGreaterThan(0);
    expect(most).toBeGreaterThan(some);
    // Three cards lack most words of any field.
    expect((await evidenceFor('rate of lava in a volcano'))?.unheldTerms).toBe(0);
  });

  it('of words that no card holds makes none likelier without the model', async () => {
    const asked: Evidence = { ...answered, passageCosine: null, score: 0.25, specificity: 1.2 };
    expect(judge(asked)).toBe('weak');
    expect(judge({ ...asked, unheldTerms: 0.7 })).toBe('none');
  });

  it('is null without a match', async () => {
    expect(await evidenceFor('zebra')).toBeNull();
  });
});
