import { expect, it } from 'vitest';
import { monthlyMeans } from '../../../../../src/areas/macro/sources/new-york-fed.ts';
import { forwardInflation, subtract } from '../../../../../src/areas/macro/sources/treasury.ts';
import { starterMacro } from '../../../../starter.ts';

const bundled = new Map(
  (await starterMacro()).series.map(({ seriesId, observations }) => [
    seriesId,
    new Map(observations.map(({ date, value }) => [date, value])),
  ]),
);
const of = (id: string) => bundled.get(id) ?? new Map<string, number | null>();

it.each([
  ['T5YIFR', '', 5_800, forwardInflation(of('T10YIE'), of('T5YIE'))],
  ['T10YIE', '', 5_800, subtract(of('DGS10'), of('DFII10'))],
  ['T10Y2Y', '2000-01-01', 6_000, subtract(of('DGS10'), of('DGS2'))],
  ['T10Y3M', '2000-01-01', 6_000, subtract(of('DGS10'), of('DGS3MO'))],
  ['FEDFUNDS', '', 850, new Map(monthlyMeans(of('DFF')).map((each) => [each.date, each.value]))],
])("computed values of %s equal FRED's, at least since 2000", (id, since, count, computed) => {
  const isCompared = (date: string) => date >= since && typeof of(id).get(date) === 'number';
  const common = [...computed].filter(([date]) => isCompared(date));
  expect(common.length).toBeGreaterThan(count);
  expect(common.filter(([date, value]) => of(id).get(date) !== value)).toEqual([]);
});
