import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseCatalogue } from '../../../../../scripts/starter/macro-catalogue.ts';
import { suggestSeries } from '../../../../../src/areas/macro/catalogue/naming.ts';
import { DATA_DIR } from '../shelf.ts';

const catalogue = parseCatalogue(join(DATA_DIR, 'indicators.csv')).map((row) => ({
  indicator: row.indicator,
  seriesId: row.series_id,
  category: row.category,
  title: row.title,
}));

function suggested(name: string): string[] {
  return suggestSeries(catalogue, name).map((row) => row.indicator);
}

it.each([
  ['the beginning of aliases', 'us.cpi', ['us.cpi.headline', 'us.cpi.core']],
  ['a word alone', 'cpi', ['us.cpi.headline', 'us.cpi.core']],
  ['its category', 'us.inflation', ['us.cpi.headline', 'us.cpi.core', 'us.pce.headline']],
  ['words in another order', 'us.core_cpi', ['us.cpi.core']],
  ['a synonym', 'us.dxy', ['us.fx.broad_dollar']],
  ['the parts of which it is made', 'us.labor.nfp', ['us.nonfarm_payrolls']],
  ['a slip of an alias', 'us.unemployment_rat', ['us.unemployment_rate']],
  ['a slip of an id', 'cpiauscl', ['us.cpi.headline']],
  ['a part in the wrong place', 'us.inflation.cpi', ['us.cpi.headline', 'us.cpi.core']],
  ['its rarer word', 'us.rates.mortgage', ['us.mortgage.30y']],
  ['words of one stem', 'us.claim.initially', ['us.labor.initial_claims']],
  ['a synonym before words of one stem', 'us.spread.10y2y', ['us.yield_curve.10y_2y']],
])('a name is read by %s: %s', (_, name, meant) => {
  expect(suggested(name)).toEqual(meant);
});

it.each(['us.sp500', 'us.pmi', 'bitcoin', 'aapl', 'us.', 'us', '...'])(
  'nothing is guessed of %s',
  (name) => {
    expect(suggested(name)).toEqual([]);
  },
);

it('names three at most', () => {
  expect(suggested('us.yield')).toHaveLength(3);
});
