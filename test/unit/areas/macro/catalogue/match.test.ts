import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import synonyms from '../../../../../data/macro-synonyms.json' with { type: 'json' };
import { parseCatalogue } from '../../../../../scripts/starter/macro-catalogue.ts';
import { matchIndicators, normalise } from '../../../../../src/areas/macro/catalogue/match.ts';
import { DATA_DIR } from '../shelf.ts';

const catalogue = parseCatalogue(join(DATA_DIR, 'indicators.csv')).map((row) => ({
  indicator: row.indicator,
  seriesId: row.series_id,
  title: row.title,
}));

function found(query: string): string[] {
  return matchIndicators(catalogue, query).map((row) => row.indicator);
}

describe('what a query finds first', () => {
  it.each([
    ['10 year treasury', 'us.yield.10y'],
    ['unemployment', 'us.unemployment_rate'],
    ['core inflation', 'us.cpi.core'],
    ['fed balance sheet', 'us.fed.total_assets'],
    ['DGS10', 'us.yield.10y'],
    ['us.yield.10y', 'us.yield.10y'],
    ['US.Yield.10Y', 'us.yield.10y'],
    ['  retail   sales ', 'us.retail_sales'],
    ['fed funds', 'us.rates.fed_funds'],
    ['Real Gross Domestic Product', 'us.gdp.real'],
    ['M2', 'us.money_supply.m2'],
    ['jobs report', 'us.nonfarm_payrolls'],
    ['ＤＧＳ１０', 'us.yield.10y'],
    ['10-2 spread', 'us.yield_curve.10y_2y'],
    ['2s10s', 'us.yield_curve.10y_2y'],
  ])('%s: %s', (query, indicator) => {
    expect(found(query)[0]).toBe(indicator);
  });
});

describe('the rule', () => {
  it('puts an exact alias before the aliases that begin with it', () => {
    expect(found('us.rates.fed_funds')).toEqual(['us.rates.fed_funds', 'us.rates.fed_funds_daily']);
  });

  it('finds every row whose title is meant exactly, in catalogue order', () => {
    const title = 'Federal Funds Effective Rate';
    expect(found(title)).toEqual(['us.rates.fed_funds', 'us.rates.fed_funds_daily']);
  });

  it('puts a prefix of an alias part before words of the title', () => {
    const rows = found('credit');
    expect(rows.slice(0, 3)).toEqual([
      'us.credit.consumer',
      'us.credit.card_delinquency',
      'us.credit.hy_spread',
    ]);
  });

  it('takes the beginning of an alias part but no part of any other word', () => {
    expect(found('unemp')).toEqual(['us.unemployment_rate']);
    expect(found('employment')).not.toContain('us.labor.initial_claims');
    expect(found('constan')).toEqual([]);
    expect(found('DGS')).toEqual([]);
  });

  it('wants all words, in any order', () => {
    expect(found('maturity treasury 30 year')).toEqual(['us.yield.30y']);
    expect(found('treasury zebra')).toEqual([]);
  });

  it('does not guess at misspelt words', () => {
    expect(found('unemployement')).toEqual([]);
    expect(found('inflaton')).toEqual([]);
  });

  it('finds nothing for what the catalogue does not hold, however well it is known', () => {
    for (const query of ['sp500', 's&p 500', 'ISM PMI', 'case shiller']) {
      expect(found(query)).toEqual([]);
    }
  });

  it('finds nothing in signs alone', () => {
    for (const query of ['%', '_', '"', "'; DROP TABLE", '.*', '...', '\u0000']) {
      expect(found(query)).toEqual([]);
    }
  });
});

describe('the synonyms', () => {
  const aliases = catalogue.map((row) => row.indicator);

  it.each(Object.entries(synonyms))('%s', (query, named) => {
    expect(query).toBe(normalise(query));
    expect(aliases).toEqual(expect.arrayContaining(named));
    expect(new Set(named).size).toBe(named.length);
    // Fails too where the rule itself finds something: then the entry would never be asked.
    expect(found(query)).toEqual(named);
  });
});
