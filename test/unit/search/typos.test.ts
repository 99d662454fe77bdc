import { afterAll, describe, expect, it } from 'vitest';
import { indexText } from '../../../src/search/profile.ts';
import { correctTypos } from '../../../src/search/typos.ts';
import { Database } from '../../../src/store/sqlite.ts';
import { createSearchIndex } from '../../search.ts';

const INDEX = { name: 'card', columns: { body: 1 } };
const CARDS = 20;
const LARGE = 1_000;
const db = new Database(':memory:');
createSearchIndex(db, INDEX);
const BODY =
  'volatility forecasting of option portfolios with hedging, market impact and liquidity; the estimation of premiums';
for (let id = 1; id <= CARDS; id += 1) indexText(db, INDEX, id, { body: BODY });
indexText(db, INDEX, CARDS + 1, { body: 'a mention of sonification' });
indexText(db, INDEX, CARDS + 2, { body: 'a mention of dilution' });
afterAll(() => db.close());

const VOCABULARY = new Set(
  'the hedonic volatility dilution forecasting hedging options market liquidity estimation hike'.split(
    ' ',
  ),
);
const correct = (text: string, cards = CARDS, words = VOCABULARY) =>
  correctTypos({ db, isWord: async (word) => words.has(word) }, { name: 'card', cards }, text);

describe('a question', () => {
  it.each([
    ['volatilty of returns', 'volatility of returns'],
    ['forecatsing the volatility', 'forecasting the volatility'],
    ['how to do hedgnig of optoins', 'how to do hedging of options'],
    ['what is liqudity?', 'what is liquidity?'],
    ['hedging optiosn', 'hedging options'], // not to "option" or "optios", of the same stem
    ['dilutoin', 'dilution'], // on one card only, but a word of the model's vocabulary
  ])('is corrected from "%s" to "%s"', async (text, corrected) => {
    expect((await correct(text)).text).toBe(corrected);
  });

  it('has each corrected word reported once', async () => {
    expect((await correct('volatilty and volatilty')).corrections).toEqual([
      { from: 'volatilty', to: 'volatility' },
    ]);
  });

  it.each([
    'volatility forecasting', // as it should be
    'Volatilty and VOLATILTY', // names
    'hedonic', // a word of the model's vocabulary
    'hikes', // a form of one
    'sonificaton', // not in the vocabulary, on a small shelf
    'qvolatilty zyzzyva', // another first letter, or nothing near
    'volatilty_2024 @volatilty volatilty.com $volatilty',
    'vol4tilty',
    'voltatiltiy', // two errors in one word
    'near notin "matchh" andor', // what an index could take for operators
  ])('is not corrected if it is "%s"', async (text) => {
    expect(await correct(text)).toEqual({ text, corrections: [] });
  });

  it('is corrected without a vocabulary only on a large shelf, to words that several cards contain', async () => {
    const none = new Set<string>();
    expect((await correct('volatilty', CARDS, none)).text).toBe('volatilty');
    expect((await correct('volatilité', LARGE, none)).text).toBe('volatility'); // not "volatiliti"
    expect((await correct('sonificaton', LARGE, none)).text).toBe('sonificaton');
    // Without its last letter it would have the stem of "hedges".
    expect((await correct('hedgest', LARGE, none)).text).toBe('hedgest');
  });
});
