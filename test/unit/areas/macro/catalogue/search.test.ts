import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import absent from '../../../../../data/macro-absent.json' with { type: 'json' };
import synonyms from '../../../../../data/macro-synonyms.json' with { type: 'json' };
import { parseCatalogue } from '../../../../../scripts/starter/macro-catalogue.ts';
import { searchCatalogue } from '../../../../../src/areas/macro/catalogue/match.ts';
import {
  correctSpelling,
  keyWordsOf,
  QUALIFIERS,
} from '../../../../../src/areas/macro/catalogue/words.ts';
import { DATA_DIR } from '../shelf.ts';

const catalogue = parseCatalogue(join(DATA_DIR, 'indicators.csv')).map((row) => ({
  indicator: row.indicator,
  seriesId: row.series_id,
  title: row.title,
}));

function search(query: string) {
  const { rows, near, ...rest } = searchCatalogue(catalogue, query);
  const names = (some: typeof rows) => some.map(({ indicator }) => indicator);
  return { ...rest, rows: names(rows), near: names(near) };
}

describe('words that no series is named by', () => {
  it.each([
    ['nonfarm payrolls revisions', ['us.nonfarm_payrolls'], ['revision']],
    ['initial claims consensus forecast', ['us.labor.initial_claims'], ['consensus', 'forecast']],
    ['brent futures', ['us.oil.brent_spot'], ['future']],
    ['correlation of vix and sofr', ['us.volatility.vix', 'us.rates.sofr'], ['correlation']],
  ])('are told, and the others answered: %s', (query, rows, unmatched) => {
    expect(search(query)).toMatchObject({ rows, unmatched });
  });

  it('are no answer alone, nor beside words that name nothing', () => {
    for (const query of ['revisions', 'price forecast', 'zebra revisions', 'asset prices']) {
      expect(search(query)).toMatchObject({ rows: [], near: [] });
    }
  });

  it('still count in the name of a series', () => {
    expect(search('house prices')).toMatchObject({
      rows: ['us.housing.price_index'],
      unmatched: [],
    });
  });
});

describe('several names in a query', () => {
  it.each([
    ['dollar index DXY', ['us.fx.broad_dollar']],
    ['liquidity fed balance sheet', ['us.fed.total_assets']],
    ['DGS10 10-year treasury yield', ['us.yield.10y']],
  ])('of one series find only that: %s', (query, rows) => {
    expect(search(query)).toMatchObject({ rows, unmatched: [] });
  });

  it.each([
    ['core pce and core cpi', ['us.pce.core', 'us.cpi.core']],
    ['wti vs brent', ['us.oil.wti_spot', 'us.oil.brent_spot']],
    ['dgs2 versus dgs30', ['us.yield.2y', 'us.yield.30y']],
  ])('of several find them in its order: %s', (query, rows) => {
    expect(search(query).rows).toEqual(rows);
  });

  it('that nothing joins are suggested, not returned', () => {
    expect(search('oil volatility smile')).toMatchObject({ rows: [] });
    expect(search('unemployment sofr')).toMatchObject({
      rows: [],
      near: ['us.unemployment_rate', 'us.rates.sofr'],
      isAbsent: false,
    });
  });

  it('do not hide a word beside an id that is a word itself', () => {
    expect(search('SOFR curve').rows).toEqual([]);
    expect(search('https://fred.stlouisfed.org/series/SOFR').rows).toEqual(['us.rates.sofr']);
  });
});

describe('words for how a figure moves', () => {
  it.each([
    ['economic growth by month', 'us.gdp.real_growth'],
    ['why is the high yield spread so high', 'us.credit.hy_spread'],
    ['why are oil prices rising', 'us.oil.wti_spot'],
  ])('belong to a name that has them: %s', (query, first) => {
    expect(search(query).rows[0]).toBe(first);
  });
});

it('takes a name from words that stand together', () => {
  expect(search('core PCE, CPI, and PPI').rows).toEqual([
    'us.pce.core',
    'us.cpi.headline',
    'us.cpi.core',
    'us.ppi.final_demand',
  ]);
});

it('reads a span of time as no maturity', () => {
  expect(search('us.yield.3m history 10 years').rows[0]).toBe('us.yield.3m');
  expect(search('10-year history of SOFR').rows).toEqual(['us.rates.sofr']);
  expect(search('10-year treasury history').rows[0]).toBe('us.yield.10y');
});

it('knows a title beside other words', () => {
  expect(search('Real Gross Domestic Product forecast').rows).toContain('us.gdp.real');
});

describe('what the catalogue lacks', () => {
  it.each([
    ['20 year treasury', ['us.yield.10y', 'us.yield.30y']],
    ['what is the seven year yield', ['us.yield.5y', 'us.yield.10y']],
    ['underemployment U6', ['us.unemployment_rate']],
    ['corporate bond yields', ['us.credit.hy_spread']],
    ['debt to GDP', []],
    ['Apple quarterly earnings', []],
    ['bitcoin price', []],
  ])('is not returned, and only what is near is named: %s', (query, near) => {
    expect(search(query)).toMatchObject({ rows: [], near, isAbsent: true });
  });

  it('does not hide what is named beside it', () => {
    expect(search('guidance on which unemployment series to use').near).toEqual([
      'us.unemployment_rate',
    ]);
    expect(search('S&P 500 vs VIX')).toMatchObject({
      rows: [],
      near: ['us.volatility.vix'],
      isAbsent: false,
    });
  });

  it('is not mistaken for what is held by a typing error', () => {
    expect(search('bitconi')).toMatchObject({ rows: [], near: [] });
  });

  it.each(Object.entries(absent))('%s', (phrase, nearest) => {
    expect(search(phrase)).toEqual({ rows: [], near: nearest, unmatched: [], isAbsent: true });
  });

  it('is no synonym of what is held', () => {
    const keyOf = (phrase: string) => keyWordsOf(phrase).sort().join(' ');
    const held = new Set(Object.keys(synonyms).map(keyOf));
    expect(Object.keys(absent).filter((phrase) => held.has(keyOf(phrase)))).toEqual([]);
  });
});

it('forgives a letter that is missing at the end of a word', () => {
  expect(search('jobles claims').rows).toEqual(['us.labor.initial_claims']);
});

it('reads many misspelt words, each of which could be several, in few ways', () => {
  const known = new Set(['share', 'state', 'stage', 'store', 'spare']);
  expect(correctSpelling(['stare'], known).length).toBeGreaterThan(1);
  expect(correctSpelling(Array(30).fill('stare'), known).length).toBeLessThan(100);
});

it('lists the catalogue without a query', () => {
  expect(searchCatalogue(catalogue, undefined).rows).toEqual(catalogue);
});

it('the words that are told are in the form in which they are looked up', () => {
  expect([...QUALIFIERS].filter((word) => !keyWordsOf(word).includes(word))).toEqual([]);
});
