import { describe, expect, it } from 'vitest';
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

/** Dates on which a computed series differs from FRED's. */
function differences(computed: ReadonlyMap<string, number | null>, id: string) {
  const common = [...computed].filter(([date]) => typeof of(id).get(date) === 'number');
  const wrong = common.filter(([date, value]) => of(id).get(date) !== value);
  return { common: common.length, wrong: wrong.map(([date]) => date) };
}

describe("a computed series equals FRED's", () => {
  it('for 5-year forward inflation', () => {
    const { common, wrong } = differences(forwardInflation(of('T10YIE'), of('T5YIE')), 'T5YIFR');
    expect(common).toBeGreaterThan(5_800);
    expect(wrong).toEqual([]);
  });

  it.each([
    ['T10Y2Y', 'DGS2'],
    ['T10Y3M', 'DGS3MO'],
  ])('for %s since 2000', (id, short) => {
    const { common, wrong } = differences(subtract(of('DGS10'), of(short)), id);
    expect(common).toBeGreaterThan(8_000);
    expect(wrong.filter((date) => date >= '2000-01-01')).toEqual([]);
  });

  it('for the 10-year breakeven', () => {
    const { common, wrong } = differences(subtract(of('DGS10'), of('DFII10')), 'T10YIE');
    expect(common).toBeGreaterThan(5_800);
    expect(wrong).toEqual([]);
  });

  it('for the monthly funds rate', () => {
    const { common, wrong } = differences(
      new Map(monthlyMeans(of('DFF')).map(({ date, value }) => [date, value])),
      'FEDFUNDS',
    );
    expect(common).toBeGreaterThan(850);
    expect(wrong).toEqual([]);
  });
});
