import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import synonyms from '../../../../../data/macro-synonyms.json' with { type: 'json' };
import { parseCatalogue } from '../../../../../scripts/starter/macro-catalogue.ts';
import { findByParts, matchIndicators } from '../../../../../src/areas/macro/catalogue/match.ts';
import { keyWordsOf, normalise } from '../../../../../src/areas/macro/catalogue/words.ts';
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

it.each(['what does the Fed pay on reserves', 'investment grade spread'])(
  'what is not held suggests nothing by a vague word: %s',
  (query) => {
    const { rows } = findByParts(catalogue, query);
    expect(rows.filter(({ indicator }) => /hourly|yield_curve/.test(indicator))).toEqual([]);
  },
);

describe('what a quant asks for', () => {
  // The first row, and where they are named the next ones.
  it.each([
    ['cpi inflation', 'us.cpi.headline', 'us.cpi.core'],
    ['CPI yoy', 'us.cpi.headline', 'us.cpi.core'],
    ['cpi y/y', 'us.cpi.headline'],
    ['US CPI', 'us.cpi.headline', 'us.cpi.core'],
    ['U.S. inflation rate', 'us.cpi.headline', 'us.cpi.core', 'us.pce.headline'],
    ['inflation', 'us.cpi.headline', 'us.cpi.core'],
    ['inflation rate', 'us.cpi.headline'],
    ['core CPI', 'us.cpi.core'],
    ['core pce', 'us.pce.core'],
    ['PCE core inflation', 'us.pce.core'],
    ['inflation ex food and energy', 'us.cpi.core'],
    ['how fast are wages growing', 'us.labor.avg_hourly_earnings'],
    ['is the yield curve inverted', 'us.yield_curve.10y_2y'],
    ['how big is the Fed balance sheet', 'us.fed.total_assets'],
    ['gdp growth last quarter', 'us.gdp.real_growth'],
    ['how many jobs were added last month', 'us.nonfarm_payrolls'],
    ['how many people lost their jobs last week', 'us.labor.initial_claims'],
    ['how fast are prices rising', 'us.cpi.headline'],
    ['consumer confidence michigan', 'us.sentiment.umich'],
    ['what inflation do markets expect over ten years', 'us.breakeven.10y'],
    ['PCE inflation', 'us.pce.headline', 'us.pce.core'],
    ['consumer price index', 'us.cpi.headline', 'us.cpi.core'],
    ['ppi', 'us.ppi.final_demand'],
    ['producer price index', 'us.ppi.final_demand'],
    ['yields', 'us.yield.3m', 'us.yield.2y'],
    ['treasury yields', 'us.yield.3m', 'us.yield.2y'],
    ['10 year', 'us.yield.10y'],
    ['10y', 'us.yield.10y'],
    ['10yr treasury', 'us.yield.10y'],
    ['10-Year Treasury yield', 'us.yield.10y'],
    ['ten-year yield', 'us.yield.10y'],
    ['2 year note', 'us.yield.2y'],
    ['2y treasury', 'us.yield.2y'],
    ['5yr', 'us.yield.5y'],
    ['30y bond', 'us.yield.30y'],
    ['3 month t-bill', 'us.yield.3m'],
    ['3m bill', 'us.yield.3m'],
    ['real rates', 'us.yield.real_10y'],
    ['real yield', 'us.yield.real_10y'],
    ['10y real yield', 'us.yield.real_10y'],
    ['TIPS yields', 'us.yield.real_10y'],
    ['spread', 'us.yield_curve.10y_2y', 'us.yield_curve.10y_3m', 'us.credit.hy_spread'],
    ['yield spread', 'us.yield_curve.10y_2y'],
    ['yield curve', 'us.yield_curve.10y_2y', 'us.yield_curve.10y_3m'],
    ['2s10s', 'us.yield_curve.10y_2y'],
    ['10y-3m spread', 'us.yield_curve.10y_3m'],
    ['10 year minus 3 month', 'us.yield_curve.10y_3m'],
    ['fed funds', 'us.rates.fed_funds', 'us.rates.fed_funds_daily'],
    ['fed funds target', 'us.rates.fed_funds', 'us.rates.fed_funds_daily'],
    ['Fed funds rate', 'us.rates.fed_funds'],
    ['daily fed funds', 'us.rates.fed_funds_daily'],
    ['federal funds effective rate', 'us.rates.fed_funds'],
    ['fomc', 'us.rates.fed_funds'],
    ['interest rates', 'us.rates.fed_funds'],
    ['SOFR', 'us.rates.sofr'],
    ['repo', 'us.rates.sofr', 'us.fed.overnight_rrp'],
    ['risk-free rate', 'us.yield.3m'],
    ['unemployment', 'us.unemployment_rate'],
    ['unemploymnet', 'us.unemployment_rate'],
    ['unemployement rate', 'us.unemployment_rate'],
    ['US unemployment rate latest', 'us.unemployment_rate'],
    ['payrolls', 'us.nonfarm_payrolls'],
    ['nonfarm payrolls', 'us.nonfarm_payrolls'],
    ['NFP', 'us.nonfarm_payrolls'],
    ['non-farm payroll', 'us.nonfarm_payrolls'],
    ['jobs', 'us.nonfarm_payrolls'],
    ['jobless claims', 'us.labor.initial_claims'],
    ['initial claims', 'us.labor.initial_claims'],
    ['JOLTS', 'us.labor.job_openings'],
    ['wages', 'us.labor.avg_hourly_earnings'],
    ['average hourly earnings', 'us.labor.avg_hourly_earnings'],
    ['participation', 'us.labor.participation_rate'],
    ['labour force participation', 'us.labor.participation_rate'],
    ['GDP', 'us.gdp.real', 'us.gdp.real_growth'],
    ['gdp growth', 'us.gdp.real_growth'],
    ['real GDP', 'us.gdp.real'],
    ['gdp qoq', 'us.gdp.real'],
    ['industrial production', 'us.industrial_production'],
    ['industrial prodution', 'us.industrial_production'],
    ['housing starts', 'us.housing_starts'],
    ['building permits', 'us.housing.permits'],
    ['home prices', 'us.housing.price_index'],
    ['new home sales', 'us.housing.new_home_sales'],
    ['mortgage rate', 'us.mortgage.30y'],
    ['30-year mortgage', 'us.mortgage.30y'],
    ['morgage rates', 'us.mortgage.30y'],
    ['m2', 'us.money_supply.m2'],
    ['money supply', 'us.money_supply.m2'],
    ['fed balance sheet', 'us.fed.total_assets'],
    ['reverse repo', 'us.fed.overnight_rrp'],
    ['bank reserves', 'us.fed.reserve_balances'],
    ['financial conditions', 'us.financial_conditions.nfci'],
    ['VIX', 'us.volatility.vix'],
    ['volatility', 'us.volatility.vix'],
    ['volatilty', 'us.volatility.vix'],
    ['dollar index', 'us.fx.broad_dollar'],
    ['DXY', 'us.fx.broad_dollar'],
    ['EURUSD', 'us.fx.eur_usd'],
    ['eur/usd', 'us.fx.eur_usd'],
    ['yen', 'us.fx.usd_jpy'],
    ['high yield spread', 'us.credit.hy_spread'],
    ['credit spreads', 'us.credit.hy_spread'],
    ['HY OAS', 'us.credit.hy_spread'],
    ['consumer credit', 'us.credit.consumer'],
    ['credit card delinquency', 'us.credit.card_delinquency'],
    ['consumer sentiment', 'us.sentiment.umich'],
    ['sentement', 'us.sentiment.umich'],
    ['policy uncertainty', 'us.sentiment.policy_uncertainty'],
    ['wti', 'us.oil.wti_spot'],
    ['WTI crude oil price', 'us.oil.wti_spot'],
    ['brent', 'us.oil.brent_spot'],
    ['oil', 'us.oil.wti_spot', 'us.oil.brent_spot'],
    ['natural gas', 'us.gas.henry_hub'],
    ['henry hub', 'us.gas.henry_hub'],
    ['breakeven', 'us.breakeven.5y', 'us.breakeven.10y'],
    ['inflation expectations', 'us.breakeven.5y', 'us.breakeven.10y'],
    ['10y breakeven', 'us.breakeven.10y'],
    ['5y5y', 'us.inflation_expectations.5y5y'],
    ['retail sales', 'us.retail_sales'],
    ['retial sales', 'us.retail_sales'],
    ['saving rate', 'us.saving_rate'],
    ['personal savings rate', 'us.saving_rate'],
    ['real consumption', 'us.pce.real'],
    ['consumer spending', 'us.pce.real'],
  ])('%s: %s', (query, ...expected) => {
    expect(found(query).slice(0, expected.length)).toEqual(expected);
  });

  it('puts series with figures before empty ones, after exact names', () => {
    const empty = new Set(['us.cpi.headline', 'us.rates.fed_funds', 'us.gdp.real']);
    const rows = catalogue.map((row) => ({
      ...row,
      observationEnd: empty.has(row.indicator) ? null : '2026-07-01',
    }));
    const aliases = (query: string) => matchIndicators(rows, query).map((row) => row.indicator);
    expect(aliases('cpi')).toEqual(['us.cpi.core', 'us.cpi.headline']);
    expect(aliases('us.rates.fed_funds')[0]).toBe('us.rates.fed_funds');
    expect(aliases('Real Gross Domestic Product')[0]).toBe('us.gdp.real_growth');
  });
});

describe('questions in whole sentences', () => {
  it.each([
    ['How has unemployment changed since 2020?', 'us.unemployment_rate'],
    ['What is the current US inflation rate year over year?', 'us.cpi.headline'],
    ['I need the latest CPI print', 'us.cpi.headline'],
    ['find me data on treasury yields for 10 years', 'us.yield.10y'],
    ['show me the 10-year Treasury yield over the last 5 years', 'us.yield.10y'],
    ['What was nonfarm payrolls in July 2026?', 'us.nonfarm_payrolls'],
    ['Fed funds rate history from 2015 to today', 'us.rates.fed_funds'],
    ['how many people are out of work', 'us.unemployment_rate'],
    ['what did the VIX do in March 2020', 'us.volatility.vix'],
    ['US real GDP quarter over quarter', 'us.gdp.real'],
    ['month-over-month core CPI', 'us.cpi.core'],
    ['the last 10 year yield', 'us.yield.10y'],
    ['unemployment claims weekly', 'us.labor.initial_claims'],
    ['jobless claims 4 week average', 'us.labor.initial_claims'],
    ['4-week moving average of initial claims', 'us.labor.initial_claims'],
    ['money supply growth', 'us.money_supply.m2'],
    ['are mortgage rates falling', 'us.mortgage.30y'],
    ['how expensive are houses', 'us.housing.price_index'],
    ['price of a barrel of crude', 'us.oil.wti_spot'],
    ['percent change in industrial production from a year ago', 'us.industrial_production'],
    ['highest fed funds rate ever', 'us.rates.fed_funds'],
    ['is the job market cooling', 'us.unemployment_rate'],
    ['unemployment (not seasonally adjusted)', 'us.unemployment_rate'],
    ['why has inflation not fallen', 'us.cpi.headline'],
    ['are companies hiring?', 'us.nonfarm_payrolls'],
    ['is unemployment rising or not', 'us.unemployment_rate'],
    ['how much does oil cost?', 'us.oil.wti_spot'],
    ['inflation less food and energy', 'us.cpi.core'],
  ])('%s: %s', (query, indicator) => {
    expect(found(query)[0]).toBe(indicator);
  });

  it.each([
    'What is the price of gold?',
    'S&P 500',
    'ISM services',
    'How is the weather?',
    'MOVE index',
    'moving average',
    // Not the indices that leave food out.
    'food prices',
    'gold price falling',
    'how fast is it rising',
    'share prices',
    'company investment',
    'cost of capital',
    'constructor',
  ])('finds nothing for what the catalogue lacks: %s', (query) => {
    expect(found(query)).toEqual([]);
    expect(findByParts(catalogue, query).rows).toEqual([]);
  });
});

it.each(['heating oil', 'labor share', 'wage share', 'employment cost', 'company earnings'])(
  'gives no other series for one that the catalogue lacks: %s',
  (query) => {
    expect(found(query)).toEqual([]);
    expect(findByParts(catalogue, query).isWhole).toBe(false);
  },
);

it.each(['cpi NOT core', 'cpi, but not core', 'cpi other than core', 'cpi except core'])(
  'leaves out what is denied: %s',
  (query) => {
    expect(found(query)).toContain('us.cpi.headline');
    expect(found(query)).not.toContain('us.cpi.core');
  },
);

describe('several indicators in one query', () => {
  it.each([
    ['housing starts and permits', 'us.housing_starts', 'us.housing.permits'],
    ['sofr OR vix', 'us.rates.sofr', 'us.volatility.vix'],
    ['breakevens and real rates', 'us.breakeven.5y', 'us.breakeven.10y', 'us.yield.real_10y'],
    ['is sofr rising and the vix falling', 'us.rates.sofr', 'us.volatility.vix'],
    [
      'How have house prices and mortgage rates moved since 2022?',
      'us.housing.price_index',
      'us.mortgage.30y',
    ],
    [
      'Treasury yields and the dollar',
      'us.yield.3m',
      'us.yield.2y',
      'us.fx.broad_dollar',
      'us.fx.eur_usd',
    ],
  ])('%s: %s', (query, ...expected) => {
    expect(found(query)).toEqual([]);
    const { rows, isWhole } = findByParts(catalogue, query);
    expect(rows.map((row) => row.indicator)).toEqual(expected);
    expect(isWhole).toBe(true);
  });

  it.each([
    ['PMI manufacturing', 'us.industrial_production'],
    ['continuing unemployment claims', 'us.labor.initial_claims'],
    ['real wage growth', 'us.labor.avg_hourly_earnings'],
    ['consumer inflation expectations', 'us.breakeven.5y', 'us.breakeven.10y'],
  ])('are not all that was asked for where a word belongs to none: %s', (query, ...expected) => {
    expect(found(query)).toEqual([]);
    const { rows, isWhole } = findByParts(catalogue, query);
    expect(rows.map((row) => row.indicator)).toEqual(expected);
    expect(isWhole).toBe(false);
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
    expect(found('consta')).toEqual([]);
    expect(found('DGS')).toEqual([]);
  });

  it('wants all words, in any order', () => {
    expect(found('maturity treasury 30 year')).toEqual(['us.yield.30y']);
    expect(found('treasury zebra')).toEqual([]);
  });

  it('forgives one edit in a word of five letters or more, and only where nothing else matches', () => {
    expect(found('inflaton')).toEqual(found('inflation'));
    expect(found('unemploymnet')).toEqual(['us.unemployment_rate']);
    expect(found('nonfarm payrols')).toEqual(['us.nonfarm_payrolls']);
    // Two edits; a word that is too short; a number, which is another series.
    for (const query of ['inflatn', 'unemplymnt', 'gpd', 'DGS11', 'UNRATE2']) {
      expect(found(query)).toEqual([]);
    }
    // A word that means something is never taken for its neighbour.
    expect(found('starts')).not.toEqual(found('states'));
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
    expect(found(query).slice(0, named.length)).toEqual(named);
  });

  it('stands once for each meaning', () => {
    const keys = Object.keys(synonyms).map((phrase) => keyWordsOf(phrase).join(' '));
    expect(keys).not.toContain('');
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });
});

it('finds a series id in a longer query or an address, where nothing else matches', () => {
  expect(found('what is the latest print of UNRATE?')).toEqual(['us.unemployment_rate']);
  expect(found('https://fred.stlouisfed.org/series/DGS10')).toEqual(['us.yield.10y']);
  expect(found('what is the latest print of unratewhatever')).toEqual([]);
});
