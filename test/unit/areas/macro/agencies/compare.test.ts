import { describe, expect, it } from 'vitest';
import { expectContinuation } from '../../../../../src/areas/macro/agencies/compare.ts';

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
  return () =>
    expectContinuation(
      { seriesId: 'X', from: '2020-01-01', figures },
      { values: held, total, isRevised, isRate },
    );
}

const changed = (count: number, changes: Readonly<Record<number, number>>) =>
  values(count, (index) => changes[index] ?? 300 + index);

describe('figures that continue those held', () => {
  it.each([
    ['the same and one more', values(60), values(61)],
    ['revised by little', values(60), values(61, (index) => 301 + index)],
    ['one revised by much', values(60), changed(61, { 59: 500 })],
    ['all of the few that are held', values(3), values(4)],
    ['where nothing is held', new Map(), values(4)],
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

  it('pass for rates where one is corrected', () => {
    expect(compare(values(40), changed(41, { 39: 1 }), { isRevised: false })).not.toThrow();
  });
});

describe('figures that do not', () => {
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
      /only part of the range/,
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
