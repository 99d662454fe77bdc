import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectContinuation } from '../../../../src/areas/macro/facts/continuation.ts';
import { describeShared } from '../../../shared.ts';

const monthOf = (index: number) => new Date(Date.UTC(2020, index, 1)).toISOString().slice(0, 10);
/** So many months of an index that rises by one a month. */
const values = (count: number, of = (index: number) => 300 + index) =>
  new Map<string, number | null>(
    Array.from({ length: count }, (_, index) => [monthOf(index), of(index)]),
  );

function compare(
  held: ReadonlyMap<string, number | null>,
  told: ReadonlyMap<string, number | null>,
  {
    isRevised = true,
    isRate = false,
    total = [...held.values()].filter((value) => value !== null).length,
  } = {},
) {
  const figures = [...told].map(([date, value]) => ({ date, value }));
  return () => expectContinuation(figures, { values: held, total, isRevised, isRate });
}

const changed = (count: number, changes: Readonly<Record<number, number>>) =>
  values(count, (index) => changes[index] ?? 300 + index);

/** So many months of uneven growth, with `decimals`, each multiplied by what `of` gives for it. */
const grown = (count: number, decimals: number, of: (index: number) => number) =>
  values(count, (i) => Number(((90 + i / 7 + Math.sin(i)) * of(i)).toFixed(decimals)));
/** Factors of a season, each month another. */
const season = (index: number) => 1 + Math.cos((index % 12) * 2) / 500;

describe('figures that continue those held', () => {
  it.each([
    ['the same and one more', values(60), values(61)],
    ['revised by little', values(60), values(61, (index) => 301 + index)],
    [
      'a missing value known to be missing',
      new Map([...values(60), [monthOf(59), null]]),
      values(61),
    ],
    [
      'a few dates less',
      values(60),
      new Map([...values(61)].filter(([date]) => date !== monthOf(7))),
    ],
  ])('pass: %s', (_, held, told) => {
    expect(compare(held, told)).not.toThrow();
  });

  it.each([
    ['five years of new seasonal factors', 3, (i: number) => (i < 60 ? 1 : season(i))],
    ['all of them new', 3, season],
    ['a benchmark, and its wedge before', 0, (i: number) => 1 - Math.max(0, i - 90) / 4000],
    ['a level that moves from half of the dates on', 1, (i: number) => (i < 61 ? 1 : 1.004)],
  ])('pass after a revision of a year: %s', (_, decimals, of) => {
    const held = grown(120, decimals, () => 1000);
    expect(
      compare(
        held,
        grown(121, decimals, (i) => 1000 * of(i)),
      ),
    ).not.toThrow();
  });

  it('pass for percentages, which have no base', () => {
    const of = (factor: number) =>
      values(60, (i) => Number(((60 + (i % 5) / 10) * factor).toFixed(1)));
    expect(compare(of(1), of(1.01), { isRate: true })).not.toThrow();
  });

  it('pass for rates where one is corrected', () => {
    expect(compare(values(40), changed(41, { 39: 1 }), { isRevised: false })).not.toThrow();
  });
});

describe('figures that do not', () => {
  it.each([
    ['by a hundredth', 4, () => 0.99],
    ['by less than a hundredth', 4, () => 1.003],
    ['of few decimals', 1, () => 0.985],
    ['with its newest third revised', 4, (i: number) => (i < 80 ? 0.99 : 0.99 * season(i))],
  ])('are refused on a base near the old one: %s', (_, decimals, of) => {
    const held = grown(120, decimals, () => 1);
    expect(compare(held, grown(121, decimals, of))).toThrow(/another base or unit/);
  });

  it.each([
    ['on another base', values(60), values(61, (i) => (300 + i) / 3), /another base or unit/],
    ['in another unit', values(60), values(61, (i) => (300 + i) * 1000), /another base or unit/],
    [
      'without a fifth',
      values(60),
      new Map([...values(61)].filter((_, i) => i % 4 > 0)),
      /dropped many/,
    ],
    [
      'without the beginning',
      values(60),
      new Map([...values(61)].slice(8)),
      /only part of the requested range/,
    ],
    [
      'changed throughout',
      values(60),
      values(61, (i) => (i % 2 ? 300 + i : 200)),
      /more than a revision/,
    ],
  ])('are refused: %s', (_, held, told, message) => {
    expect(compare(held, told)).toThrow(message);
  });

  it('are refused with too little in common', () => {
    const later = new Map([...values(60)].slice(50));
    expect(compare(later, values(60), { total: 500 })).toThrow(/overlap too little/);
  });

  it('are refused for rates where many differ', () => {
    const told = changed(41, { 1: 1, 2: 1, 3: 1 });
    expect(compare(values(40), told, { isRevised: false })).toThrow(/another base or unit/);
  });
});

describeShared('recorded revisions of six years', 'data/macro/fred-md', (directory) => {
  const read = (edition: string, series: string) => {
    const [head = [], ...rows] = readFileSync(join(directory, `fred-md-${edition}.csv`), 'utf8')
      .split(/\r?\n/)
      .map((line) => line.split(','));
    const column = head.indexOf(series);
    return new Map(
      rows.flatMap(([day = '', ...cells]) => {
        const [, month = '', year] = /^(\d+)\/1\/(\d{4})$/.exec(day) ?? [];
        const value = cells[column - 1];
        if (year === undefined || !value) return [];
        return [[`${year}-${month.padStart(2, '0')}-01`, Number(value)] as const];
      }),
    );
  };

  it.each(['CPIAUCSL', 'CPIULFSL', 'PAYEMS', 'USTRADE', 'M2SL', 'HOUST', 'UNRATE', 'BUSLOANS'])(
    'pass, with and without the years before: %s',
    (series) => {
      const [held, told] = [read('2019-09', series), read('2026-01', series)];
      expect(held.size).toBeGreaterThan(700);
      expect(compare(held, told)).not.toThrow();
      const isLate = ([date]: readonly [string, number]) => date >= '2010-01-01';
      const late = new Map([...held].filter(isLate));
      expect(compare(late, new Map([...told].filter(isLate)))).not.toThrow();
    },
  );

  it('are told from the new base of industrial production', () => {
    expect(compare(read('2019-09', 'INDPRO'), read('2026-01', 'INDPRO'))).toThrow(
      /another base or unit/,
    );
  });
});
