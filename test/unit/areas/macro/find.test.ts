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
    const { aliases, isPartial } = search(query);
    expect(aliases[0]).toBe(alias);
    expect(isPartial).toBe(false);
  });

  it('ranks exact names first, then prefixes of an alias part, then rows with all words', () => {
    expect(search('cpi').aliases).toEqual(['us.cpi.headline', 'us.cpi.core']);
    expect(search('fed funds').aliases).toEqual([
      ...['us.rates.fed_funds', 'us.rates.fed_funds_daily'],
    ]);
    const { aliases } = search('treasury securities');
    expect(aliases).toContain('us.yield.2y');
    expect(aliases).not.toContain('us.yield_curve.10y_2y');
  });

  it('puts rows with figures before empty ones, unless the name is exact', () => {
    const { aliases } = search('sentiment');
    expect(aliases.length).toBeGreaterThan(1);
    expect(aliases.at(-1)).toBe('us.sentiment.umich');
    expect(search('UMCSENT').aliases[0]).toBe('us.sentiment.umich');
  });

  it('does not match core prices for food prices', () => {
    expect(search('cpi less food and energy').aliases[0]).toBe('us.cpi.core');
    expect(search('food').aliases).not.toContain('us.pce.core');
  });

  it.each([
    ['unemploymet rate', 'us.unemployment_rate'],
    ['unemplyoment rate', 'us.unemployment_rate'],
    ['nemployment rate', 'us.unemployment_rate'],
  ])('forgives one edit in a long word: %s', (query, alias) => {
    expect(search(query)).toMatchObject({ aliases: [alias], isPartial: false });
  });

  it.each([
    ['dgs', ['us.yield.2y', 'us.yield.10y']],
    ['UNR', ['us.unemployment_rate']],
    ['treas', ['us.yield.2y', 'us.yield.10y']],
    ['indust prod', ['us.industrial_production']],
  ])('finds series by the prefix of an id or a word: %s', (query, aliases) => {
    expect(search(query).aliases).toEqual(expect.arrayContaining(aliases));
    expect(search(query).isPartial).toBe(false);
  });

  it('forgives no edit in a short word', () => {
    expect(search('cpj').aliases).toEqual([]);
    expect(search('gdb').aliases).toEqual([]);
  });

  it.each([
    ['how much is a dollar in yen', 'us.fx.usd_jpy'],
    ['how high is inflation', 'us.cpi.headline'],
  ])('puts the subject of a question first, however it is phrased: %s', (query, alias) => {
    expect(search(query).aliases[0]).toBe(alias);
  });

  it('does not confuse productivity with product', () => {
    expect(search('labor productivity').aliases).not.toContain('us.gdp.real');
  });

  it('finds an id among unrelated words', () => {
    expect(search('fred series RSAFS').aliases).toEqual(['us.retail_sales']);
  });

  it.each(['ECB rate', 'bitcoin price', 'german inflation'])(
    'does not match on one common word, but names the nearest series: %s',
    (query) => {
      const { rows: matches, nearest } = searchCatalogue(rows, query);
      expect(matches).toEqual([]);
      expect(nearest.length).toBeGreaterThan(0);
    },
  );

  it('returns series with most of the words, but at least half, if none has all', () => {
    const { aliases, isPartial } = search('payrolls forecast');
    expect(aliases).toEqual(['us.nonfarm_payrolls']);
    expect(isPartial).toBe(true);
    expect(search('bitcoin miners hash rate in Texas').aliases).toEqual([]);
  });

  it.each(['bitcoin', '...', 'us'])('finds nothing for %s', (query) => {
    expect(search(query).aliases).toEqual([]);
  });

  it('finds every indicator by its own synonyms', () => {
    for (const { indicator, synonyms } of INDICATORS) {
      const [synonym = indicator] = synonyms.slice(-1);
      expect(search(synonym).aliases, synonym).toContain(indicator);
    }
  });
});

describe('an unknown name', () => {
  const messageFor = (name: string) => {
    try {
      return resolveSeries(rows, 'indicator', name).indicator;
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  };

  it.each([
    ['words in another order', 'us.core_cpi', 'mean "us.cpi.core"?'],
    ['a synonym', 'us.dxy', 'mean "us.fx.broad_dollar"?'],
    ['a slip of an alias', 'us.unemployment_rat', 'mean "us.unemployment_rate"?'],
    ['a slip of an id', 'cpiauscl', 'mean "us.cpi.headline"?'],
    ['one of its words', 'us.rates.mortgage', '"us.mortgage.30y"'],
  ])('gets the suggestion implied by %s: %s', (_, name, hint) => {
    expect(messageFor(name)).toContain(hint);
  });

  it.each(['us.sp500', 'aapl', 'us.', '...'])('gets no suggestion: %s', (name) => {
    expect(messageFor(name)).toMatch(
      /^No series in the catalogue is called "[^"]+"\. Find one with/,
    );
  });
});
