import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectContinuation } from '../../../../src/areas/macro/facts/continuation.ts';
import { describeShared } from '../../../shared.ts';

const monthOf = (index: number) => new Date(Date.UTC(2020, index, 1)).toISOString().slice(0, 10);
/** `count` months of an index that rises by one a month. */
const values = (count: number, of = (index: number) => 300 + index) =>
  new Map<string, number | null>(
    Array.from({ length: count }, (_, index) => [monthOf(index), of(index)]),
  );

const listOf = (figures: ReadonlyMap<string, number | null>) =>
  [...figures].map(([date, value]) => ({ date, value }));

function compare(
  stored: ReadonlyMap<string, number | null>,
  sent: ReadonlyMap<string, number | null>,
  {
    isRevised = true,
    isRate = false,
    isSameUnit = false,
    total = [...stored.values()].filter((value) => value !== null).length,
  } = {},
) {
  const options = { stored: listOf(stored), total, isRevised, isRate, isSameUnit };
  return () => expectContinuation(listOf(sent), options);
}

const changed = (count: number, changes: Readonly<Record<number, number>>) =>
  values(count, (index) => changes[index] ?? 300 + index);

describe('figures that continue those stored', () => {
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
  ])('are accepted: %s', (_, stored, sent) => {
    expect(compare(stored, sent)).not.toThrow();
  });

  it('are accepted after a benchmark revision of 5 % in the same units', () => {
    const benchmark = values(61, (index) => (300 + index) * 1.05);
    expect(compare(values(60), benchmark, { isSameUnit: true })).not.toThrow();
    expect(compare(values(60), benchmark)).toThrow(/different base or unit/);
  });

  it('are accepted for rates with a single correction', () => {
    expect(compare(values(40), changed(41, { 39: 1 }), { isRevised: false })).not.toThrow();
  });
});

describe('figures that do not continue those stored', () => {
  it.each([
    ['on another base', values(60), values(61, (i) => (300 + i) / 3), /different base or unit/],
    ['in another unit', values(60), values(61, (i) => (300 + i) * 1000), /different base or unit/],
    [
      'without a fifth',
      values(60),
      new Map([...values(61)].filter((_, i) => i % 4 > 0)),
      /dropped many/,
    ],
    [
      'changed throughout',
      values(60),
      values(61, (i) => (i % 2 ? 300 + i : 200)),
      /more than a revision/,
    ],
  ])('are refused: %s', (_, stored, sent, message) => {
    expect(compare(stored, sent)).toThrow(message);
  });

  it('are refused with too few dates in common', () => {
    const later = new Map([...values(60)].slice(50));
    expect(compare(later, values(60), { total: 500 })).toThrow(/overlap too little/);
  });

  it('are refused for rates if many differ', () => {
    const sent = changed(41, { 1: 1, 2: 1, 3: 1 });
    expect(compare(values(40), sent, { isRevised: false })).toThrow(/more than a revision/);
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
      const [stored, sent] = [read('2019-09', series), read('2026-01', series)];
      expect(stored.size).toBeGreaterThan(700);
      expect(compare(stored, sent)).not.toThrow();
      const isLate = ([date]: readonly [string, number]) => date >= '2010-01-01';
      const late = new Map([...stored].filter(isLate));
      expect(compare(late, new Map([...sent].filter(isLate)))).not.toThrow();
    },
  );

  it('include industrial production on its new base', () => {
    expect(compare(read('2019-09', 'INDPRO'), read('2026-01', 'INDPRO'))).toThrow(
      /different base or unit/,
    );
  });
});
