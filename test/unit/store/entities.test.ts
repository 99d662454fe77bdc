import { describe, expect, it } from 'vitest';
import { createSearchIndex, indexText } from '../../../src/store/search/index.ts';
import { findEntities } from '../../../src/store/search/lexical/entities.ts';
import { Synonyms } from '../../../src/store/search/lexical/synonyms.ts';
import { search } from '../../../src/store/search/search.ts';
import { judge } from '../../../src/store/search/verdict.ts';
import { Database } from '../../../src/store/sqlite.ts';

const index = {
  name: 'card',
  columns: { title: 3, text: 1 },
  synonyms: new Synonyms([['ecb', 'european central bank']]),
};

/** A shelf of titles; ids are their positions, starting at 1. */
function shelf(...titles: string[]) {
  const db = new Database(':memory:');
  createSearchIndex(db, index);
  for (const [at, title] of titles.entries()) indexText(db, index, at + 1, { title, text: '' });
  return db;
}

/** Entity coverage of each match, by id. */
async function coverages(db: Database.Database, text: string) {
  const { matches } = await search(db, index, { text, vector: null, limit: 10 });
  return Object.fromEntries(matches.map(({ id, entityCoverage }) => [id, entityCoverage]));
}

const count = (query: string) => findEntities(query, [], 1_000, []).length;

describe('findEntities', () => {
  it.each([
    ['will rates fall this year', 0],
    ['Will rates fall this year', 0],
    ['Will the ECB cut rates', 1],
    ['does Tesla buy Bitcoin', 2],
    ['recession in 2025 or 2026', 2],
    ['10Y yield above 5%', 0],
    ['USDC and JPMorgan', 2],
    ['ECB, again the ECB', 1],
    ["what I'm asking, as we've seen, is Tesla's odds", 1],
    ['will ETH hit $2000 by Dec 31', 1],
    ['P/E ratio of the market', 0],
    ['rates at Socie\u0301te\u0301 Generale', 2],
    ['price of Risk-Adjusted returns', 1],
  ])('"%s": %i', (query, expected) => {
    expect(count(query)).toBe(expected);
  });

  it('finds none in a heading or all-capitals text', () => {
    expect(count('A Survey of Deep Hedging With Transaction Costs')).toBe(0);
    expect(count('Pairs Trading Profitability')).toBe(0);
    expect(count('WILL RATES FALL')).toBe(0);
  });

  it('counts the first word of a sentence only if few cards contain it', () => {
    const kind = { isCompound: false, isSynonym: false, idf: 1 };
    const stems = (documentFrequency: number) => [
      { term: 'binanc', ...kind, documentFrequency },
      { term: 'forecast', ...kind, documentFrequency: 900 },
    ];
    expect(findEntities('Binance insolvent', stems(1), 1_000, [])).toHaveLength(1);
    expect(findEntities('Binance insolvent', stems(400), 1_000, [])).toHaveLength(0);
    expect(findEntities('Binance insolvent', stems(0), 1_000, [])).toHaveLength(0);
    expect(findEntities('Explain why rates fall. Current odds: high', [], 1_000, [])).toEqual([]);
    expect(findEntities('Forecasting volatility', stems(1), 1_000, [])).toHaveLength(0);
  });
});

describe('entity coverage', () => {
  const db = shelf(
    'How many Fed rate cuts in 2025',
    'ECB rate decision in 2025',
    'European Central Bank rate cut',
  );

  it('counts an entity under any of its names, but no other entity', async () => {
    expect(await coverages(db, 'will the ECB cut its rate')).toEqual({ 1: 0, 2: 1, 3: 1 });
  });

  it('counts the United States in any spelling', async () => {
    const country = shelf('US recession in 2025', 'Recession in 2025');
    for (const text of ['U.S. recession', 'US recession', 'USA recession', 'the U.S recession']) {
      expect(await coverages(country, text), text).toEqual({ 1: 1, 2: 0 });
    }
  });

  it('is the share of the entities that a card names', async () => {
    expect(await coverages(db, 'ECB rate 2025')).toEqual({ 1: 0.5, 2: 1, 3: 0.5 });
  });

  it('is full when the query names no entity', async () => {
    expect(await coverages(db, 'rate cuts')).toEqual({ 1: 1, 2: 1, 3: 1 });
  });
});

it('judges a match weak if it matches all but the entity', () => {
  const evidence = {
    maxPassageCosine: 0.95,
    zScore: 6,
    bm25: 0.8,
    scoreMargin: 0.5,
    idfCoverage: 1,
    specificity: 2,
  };
  expect(judge({ ...evidence, entityCoverage: 1 })).toBe('strong');
  expect(judge({ ...evidence, entityCoverage: 0.5 })).toBe('weak');
  expect(judge({ ...evidence, entityCoverage: 0 })).toBe('weak');
});
