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
    ['a synonym with a title word', 'jobless rate', 'us.unemployment_rate'],
    ['the words of a synonym in another order', 'prices producer', 'us.ppi.final_demand'],
    ['an alias word in the singular', 'building permit', 'us.housing.permits'],
    ['a number with an abbreviated unit', '10yr treasuries', 'us.yield.10y'],
    ['a number in words', 'Ten-Year yield', 'us.yield.10y'],
    ['a title of two characters', 'M2', 'us.money_supply.m2'],
  ])('for %s, such as "%s", returns %s first', (_, query, alias) => {
    expect(search(query)).toMatchObject({ aliases: { 0: alias }, isPartial: false });
  });

  it.each([
    ['a part of two aliases', 'cpi', ['us.cpi.headline', 'us.cpi.core']],
    ['a prefix of an alias part', 'fed funds', ['us.rates.fed_funds', 'us.rates.fed_funds_daily']],
    ['an id among unrelated words', 'fred series RSAFS', ['us.retail_sales']],
    ['a prefix of an id', 'UNR', ['us.unemployment_rate']],
    ['a word that lacks a letter', 'unemploymet rate', ['us.unemployment_rate']],
    ['a word with two letters swapped', 'unemplyoment rate', ['us.unemployment_rate']],
    ['a word without its first letter', 'nemployment rate', ['us.unemployment_rate']],
  ])('for %s, such as "%s", finds only %j', (_, query, aliases) => {
    expect(search(query)).toEqual({ aliases, isPartial: false });
  });

  it.each([
    ['a prefix of an id', 'dgs', ['us.yield.2y', 'us.yield.10y']],
    ['a prefix of a word', 'treas', ['us.yield.2y', 'us.yield.10y']],
    ['prefixes of two words', 'indust prod', ['us.industrial_production']],
    ['words of a title', 'treasury securities', ['us.yield.2y', 'us.yield.10y']],
  ])('for %s, such as "%s", finds %j, among others', (_, query, aliases) => {
    const some = expect.arrayContaining(aliases);
    expect(search(query)).toEqual({ aliases: some, isPartial: false });
  });

  it.each([
    ['how much is a dollar in yen', 'us.fx.usd_jpy'],
    ['how high is inflation', 'us.cpi.headline'],
    ['cpi less food and energy', 'us.cpi.core'],
  ])('for "%s" puts its subject first: %s', (query, alias) => {
    expect(search(query).aliases[0]).toBe(alias);
  });

  it.each([
    ['food', 'us.pce.core'],
    ['labor productivity', 'us.gdp.real'],
    ['treasury securities', 'us.yield_curve.10y_2y'],
  ])('for "%s" omits %s, which is on another subject', (query, alias) => {
    expect(search(query).aliases).not.toContain(alias);
  });

  it('puts rows with figures before empty ones, unless the query is the exact name of an empty one', () => {
    const { aliases } = search('sentiment');
    expect(aliases.length).toBeGreaterThan(1);
    expect(aliases.at(-1)).toBe('us.sentiment.umich');
    expect(search('UMCSENT').aliases[0]).toBe('us.sentiment.umich');
  });

  it.each([
    ['a misspelt short word', 'cpj'],
    ['words that mostly match nothing', 'bitcoin miners hash rate in Texas'],
    ['an unknown word', 'bitcoin'],
    ['punctuation', '...'],
    ['a word that every alias has', 'us'],
  ])('for %s, such as "%s", finds nothing', (_, query) => {
    expect(search(query).aliases).toEqual([]);
  });

  it.each(['ECB rate', 'bitcoin price', 'german inflation'])(
    'for "%s" finds nothing by one common word, but names the nearest series',
    (query) => {
      const { rows: matches, nearest } = searchCatalogue(rows, query);
      expect(matches).toEqual([]);
      expect(nearest.length).toBeGreaterThan(0);
    },
  );

  it('does not name a series on another subject as nearest: "ECB rate" is not about prices', () => {
    const { nearest } = searchCatalogue(rows, 'ECB rate');
    expect(nearest[0]?.indicator).toBe('us.rates.fed_funds');
    expect(nearest.map(({ indicator }) => indicator)).not.toContain('us.cpi.headline');
  });

  it('finds every indicator by its last synonym', () => {
    for (const { indicator, synonyms } of INDICATORS) {
      expect(search(synonyms.at(-1) ?? '').aliases, indicator).toContain(indicator);
    }
  });
});

describe('an unknown name', () => {
  const resolve = (name: string) => () => resolveSeries(rows, 'indicator', name);

  it.each([
    ['an alias with its words in another order', 'us.core_cpi', 'Did you mean "us.cpi.core"?'],
    ['a synonym after "us."', 'us.dxy', 'Did you mean "us.fx.broad_dollar"?'],
    ['a misspelt alias', 'us.unemployment_rat', 'Did you mean "us.unemployment_rate"?'],
    ['a misspelt id', 'cpiauscl', 'Did you mean "us.cpi.headline"?'],
    ['partly an alias', 'us.rates.mortgage', '"us.mortgage.30y"'],
  ])('that is %s, such as "%s", gets the hint %s', (_, name, hint) => {
    expect(resolve(name)).toThrow(hint);
  });

  it.each(['us.sp500', 'aapl', 'us.foo', 'foo', 'us.', '...'])(
    'such as "%s" gets no hint',
    (name) => {
      expect(resolve(name)).toThrow(
        /^No series in the catalogue is called "[^"]+"\. Find one with/,
      );
    },
  );
});
