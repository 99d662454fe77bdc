import { afterAll, describe, expect, it } from 'vitest';
import { createSearchIndex, indexText } from '../../../../src/store/search/index.ts';
import { correctTypos } from '../../../../src/store/search/query/typos.ts';
import { Database } from '../../../../src/store/sqlite.ts';

const INDEX = { name: 'card', columns: { body: 1 } };
const CARDS = 20;
const db = new Database(':memory:');
createSearchIndex(db, INDEX);
const BODY =
  'volatility forecasting of option portfolios with hedging, market impact and liquidity; the estimation of premiums';
for (let id = 1; id <= CARDS; id += 1) indexText(db, INDEX, id, { body: BODY });
indexText(db, INDEX, CARDS + 1, { body: 'a mention of sonification' });
indexText(db, INDEX, CARDS + 2, { body: 'a mention of dilution' });
afterAll(() => db.close());

const KNOWN = new Set(
  'the hedonic volatility dilution forecasting hedging options market liquidity estimation'.split(
    ' ',
  ),
);
const correct = (text: string) =>
  correctTypos(db, { name: 'card', cards: CARDS }, text, async (word) => KNOWN.has(word));

const CORRECT_FORMS = 'hikes hiking swapping surpluses lenders portfolios'.split(' ');
const FORMS = new Set(['the', 'hike', 'swap', 'surplus', 'lender', 'hides']);
const LARGE = 1_000;

describe('a word that is right, but on no card', () => {
  const shelf = new Database(':memory:');
  createSearchIndex(shelf, INDEX);
  const body = 'he hides snapping; surplices of senders, a sudden change, primates';
  for (let id = 1; id <= CARDS; id += 1) indexText(shelf, INDEX, id, { body });
  afterAll(() => shelf.close());
  const correctOn = (text: string, cards: number) =>
    correctTypos(shelf, { name: 'card', cards }, text, async (word) => FORMS.has(word));

  it.each(CORRECT_FORMS)('stays as an inflection of a word of the vocabulary: %s', async (text) => {
    expect(await correctOn(text, CARDS)).toEqual({ text, corrections: [] });
  });

  it('stays as an inflection of a word of the shelf', async () => {
    // Its stem is another than that of "sudden", but "suddenely", at one edit, has that one.
    expect((await correctOn('suddenly', LARGE)).corrections).toEqual([]);
  });

  it('gives way only to a common word where it looks right, to a rarer one where it does not', async () => {
    // On 20 of so many cards.
    expect((await correctOn('privates', 10_000)).corrections).toEqual([]);
    expect((await correctOn('privates', LARGE)).text).toBe('primates');
    expect((await correctOn('primatqes', 10_000)).text).toBe('primates');
  });
});

describe('a misspelt question', () => {
  it.each([
    ['volatilty of returns', 'volatility of returns'],
    ['forecatsing the volatility', 'forecasting the volatility'],
    ['how to do hedgnig of optoins', 'how to do hedging of options'],
    ['markat-impact of portfolios', 'market-impact of portfolios'],
    ['what is liqudity?', 'what is liquidity?'],
    ['estimaton', 'estimation'],
    ['dilutoin', 'dilution'], // on one card only, but a word of the model's vocabulary
  ])('%s', async (text, corrected) => {
    const found = await correct(text);
    expect(found.text).toBe(corrected);
    expect(found.corrections.length).toBeGreaterThan(0);
  });

  it('tells what was corrected, each word once', async () => {
    expect((await correct('volatilty and volatilty')).corrections).toEqual([
      { from: 'volatilty', to: 'volatility' },
    ]);
  });

  it.each([
    'volatility forecasting', // as it should be
    'Volatilty and VOLATILTY', // names
    'hedonic', // a word of the model's vocabulary
    'sonificaton', // too rare on the shelf
    'qvolatilty zyzzyva', // another first letter, or nothing near
    'volatilty_2024 @volatilty volatilty.com $volatilty',
    'vol4tilty',
    'voltatiltiy', // two errors in one word
  ])('stays as it is: %s', async (text) => {
    expect(await correct(text)).toEqual({ text, corrections: [] });
  });

  it('stays as it is on a small shelf without the vocabulary of a model', async () => {
    const text = 'volatilty';
    const without = (cards: number) =>
      correctTypos(db, { name: 'card', cards }, text, async () => false);
    expect((await without(CARDS)).text).toBe(text);
    expect((await without(1_000)).text).toBe('volatility');
  });

  it('survives words that an index could take for operators', async () => {
    expect((await correct('near notin "matchh" andor')).corrections).toEqual([]);
  });
});

describe('a name', () => {
  const names = new Set(['kraken', 'tokyo', 'january', 'chile', 'bond']);
  const correctNames = async (text: string) =>
    (await correctTypos(db, { name: 'card', cards: CARDS, names }, text, async (w) => KNOWN.has(w)))
      .text;

  it.each([
    ['kralken in jaunary', 'kraken in january'],
    ['Tkoyo and TKOYO', 'Tokyo and TKOYO'],
    ['volatilty of Kraken', 'volatility of Kraken'],
  ])('is mended though no card holds it: "%s"', async (text, right) => {
    expect(await correctNames(text)).toBe(right);
  });

  it('of few letters becomes no other that differs in one', async () => {
    expect(await correctNames('Chime, Bondi, Chlie and Karken')).toBe(
      'Chime, Bondi, Chile and Kraken',
    );
    expect(await correctNames('chime')).toBe('chile');
  });

  it('with a capital becomes no other word of the shelf', async () => {
    expect(await correctNames('Volatilty, and volatilty')).toBe('Volatilty, and volatility');
    expect((await correct('Tkoyo')).text).toBe('Tkoyo');
  });
});
