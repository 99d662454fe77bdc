import { describe, expect, it } from 'vitest';
import { INDICATORS } from '../../../../src/areas/macro/facts/indicators.ts';
import { resolveSeries, searchCatalogue } from '../../../../src/areas/macro/find.ts';

const rows = INDICATORS.map((row) => ({
  indicator: row.indicator,
  seriesId: row.series_id,
  title: row.title,
  category: row.category,
  observationEnd: row.copyright_status.startsWith('Copyrighted') ? null : '2026-07-01',
}));

function search(query: string) {
  const { rows: matches, isPartial } = searchCatalogue(rows, query);
  return { aliases: matches.map(({ indicator }) => indicator), isPartial };
}

describe('a search of the catalogue', () => {
  it.each([
    ['an alias', 'us.cpi.core', 'us.cpi.core'],
    ['a series id, in any case', 'dgs10', 'us.yield.10y'],
    ['a title', 'Unemployment Rate', 'us.unemployment_rate'],
    ['a synonym', 'jobless rate', 'us.unemployment_rate'],
    ['the words of a synonym in another order', 'prices producer', 'us.ppi.final_demand'],
    ['a plural', 'building permit', 'us.housing.permits'],
    ['a number with its unit in short', '10yr treasuries', 'us.yield.10y'],
    ['a number in words', 'Ten-Year yield', 'us.yield.10y'],
    ['a number in words', 'three-month treasury', 'us.yield.3m'],
    ['an id of two letters and a number', 'M2', 'us.money_supply.m2'],
  ])('accepts %s: %s', (_, query, alias) => {
    expect(search(query)).toMatchObject({ aliases: { 0: alias }, isPartial: false });
  });

  it.each([
    ['an exact name of both', 'cpi', ['us.cpi.headline', 'us.cpi.core']],
    ['a prefix of an alias part', 'fed funds', ['us.rates.fed_funds', 'us.rates.fed_funds_daily']],
    ['an id among unrelated words', 'fred series RSAFS', ['us.retail_sales']],
    ['a prefix of an id', 'UNR', ['us.unemployment_rate']],
    ['a missing letter', 'unemploymet rate', ['us.unemployment_rate']],
    ['two swapped letters', 'unemplyoment rate', ['us.unemployment_rate']],
    ['a missing first letter', 'nemployment rate', ['us.unemployment_rate']],
  ])('finds nothing else for %s: %s', (_, query, aliases) => {
    expect(search(query)).toEqual({ aliases, isPartial: false });
  });

  it.each([
    ['a prefix of an id', 'dgs', ['us.yield.2y', 'us.yield.10y']],
    ['a prefix of a word', 'treas', ['us.yield.2y', 'us.yield.10y']],
    ['prefixes of two words', 'indust prod', ['us.industrial_production']],
    ['all words', 'treasury securities', ['us.yield.2y', 'us.yield.10y']],
  ])('finds every series with %s: %s', (_, query, aliases) => {
    const some = expect.arrayContaining(aliases);
    expect(search(query)).toEqual({ aliases: some, isPartial: false });
  });

  it.each([
    ['how much is a dollar in yen', 'us.fx.usd_jpy'],
    ['how high is inflation', 'us.cpi.headline'],
    ['cpi less food and energy', 'us.cpi.core'],
  ])('puts the subject of a question first, however it is phrased: %s', (query, alias) => {
    expect(search(query).aliases[0]).toBe(alias);
  });

  it.each([
    ['core prices for food prices', 'food', 'us.pce.core'],
    ['output for productivity', 'labor productivity', 'us.gdp.real'],
    ['a spread for securities', 'treasury securities', 'us.yield_curve.10y_2y'],
  ])('does not mistake one subject for another, such as %s: %s', (_, query, alias) => {
    expect(search(query).aliases).not.toContain(alias);
  });

  it('puts rows with figures before empty ones, unless the query is the exact name of an empty one', () => {
    const { aliases } = search('sentiment');
    expect(aliases.length).toBeGreaterThan(1);
    expect(aliases.at(-1)).toBe('us.sentiment.umich');
    expect(search('UMCSENT').aliases[0]).toBe('us.sentiment.umich');
  });

  it.each([
    ['an edit in a short word', 'cpj'],
    ['an edit in a short word', 'gdb'],
    ['less than half of the words', 'bitcoin miners hash rate in Texas'],
    ['an unknown word', 'bitcoin'],
    ['no word', '...'],
    ['a word that every alias has', 'us'],
  ])('finds nothing for %s: %s', (_, query) => {
    expect(search(query).aliases).toEqual([]);
  });

  it.each(['ECB rate', 'bitcoin price', 'german inflation'])(
    'does not match on one common word, but names the nearest series: %s',
    (query) => {
      const { rows: matches, nearest } = searchCatalogue(rows, query);
      expect(matches).toEqual([]);
      expect(nearest.length).toBeGreaterThan(0);
    },
  );

  it('names no series as near whose subject is another: "ECB rate" is not about prices', () => {
    const { nearest } = searchCatalogue(rows, 'ECB rate');
    expect(nearest[0]?.indicator).toBe('us.rates.fed_funds');
    expect(nearest.map(({ indicator }) => indicator)).not.toContain('us.cpi.headline');
  });

  it('finds every indicator by its own synonyms', () => {
    for (const { indicator, synonyms } of INDICATORS) {
      const [synonym = indicator] = synonyms.slice(-1);
      expect(search(synonym).aliases, synonym).toContain(indicator);
    }
  });
});

describe('an unknown name', () => {
  const resolve = (name: string) => () => resolveSeries(rows, 'indicator', name);

  it.each([
    ['words in another order', 'us.core_cpi', 'mean "us.cpi.core"?'],
    ['a synonym', 'us.dxy', 'mean "us.fx.broad_dollar"?'],
    ['a slip of an alias', 'us.unemployment_rat', 'mean "us.unemployment_rate"?'],
    ['a slip of an id', 'cpiauscl', 'mean "us.cpi.headline"?'],
    ['one of its words', 'us.rates.mortgage', '"us.mortgage.30y"'],
  ])('gets the suggestion implied by %s: %s', (_, name, hint) => {
    expect(resolve(name)).toThrow(hint);
  });

  it.each(['us.sp500', 'aapl', 'us.foo', 'foo', 'us.', '...'])('gets no suggestion: %s', (name) => {
    expect(resolve(name)).toThrow(/^No series in the catalogue is called "[^"]+"\. Find one with/);
  });
});
