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

type Figures = ReadonlyMap<string, number | null>;
type Options = Partial<Omit<Parameters<typeof expectContinuation>[1], 'stored'>>;

function compare(stored: Figures, sent: Figures, options: Options = {}) {
  const total = [...stored.values()].filter((value) => value !== null).length;
  const usual = { total, isRevised: true, isRate: false, isSameUnit: false };
  return () => expectContinuation(listOf(sent), { ...usual, ...options, stored: listOf(stored) });
}

/** Some values are 1 in place of about 300. */
const changed = (count: number, wild: readonly number[]) =>
  values(count, (index) => (wild.includes(index) ? 1 : 300 + index));
const without = (figures: Figures, isLeftOut: (index: number) => boolean): Figures =>
  new Map([...figures].filter((_, index) => !isLeftOut(index)));
const BENCHMARK = values(61, (index) => (300 + index) * 1.05);

describe('figures sent by an agency', () => {
  it.each<[string, Figures, Figures, Options]>([
    ['continue the stored ones by a month', values(60), values(61), {}],
    ['have small revisions', values(60), values(61, (index) => 301 + index), {}],
    ['fill in a missing value', new Map([...values(60), [monthOf(59), null]]), values(61), {}],
    ['lack a few dates', values(60), without(values(61), (index) => index === 7), {}],
    ['have a benchmark revision in the same units', values(60), BENCHMARK, { isSameUnit: true }],
    ['correct one rate', values(40), changed(41, [39]), { isRevised: false }],
  ])('are accepted if they %s', (_, stored, sent, options) => {
    expect(compare(stored, sent, options)).not.toThrow();
  });

  it.each<[string, Figures, Figures, string, Options]>([
    ['have another base', values(60), values(61, (i) => (300 + i) / 3), 'base or unit', {}],
    ['have another unit', values(60), values(61, (i) => (300 + i) * 1000), 'base or unit', {}],
    ['are all 5 % larger, in unknown units', values(60), BENCHMARK, 'base or unit', {}],
    ['lack every fourth date', values(60), without(values(61), (i) => i % 4 === 0), 'many', {}],
    ['change throughout', values(60), values(61, (i) => (i % 2 ? 300 + i : 200)), 'revision', {}],
    [
      'overlap the stored ones in only ten months',
      without(values(60), (i) => i < 50),
      values(60),
      'overlap',
      { total: 500 },
    ],
    ['correct many rates', values(40), changed(41, [1, 2, 3]), 'revision', { isRevised: false }],
  ])('are refused if they %s', (_, stored, sent, message, options) => {
    expect(compare(stored, sent, options)).toThrow(message);
  });
});

describeShared('six years of recorded revisions', 'data/macro/fred-md', (directory) => {
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
    'of %s are accepted, whether the figures begin in 2010 or earlier',
    (series) => {
      const [stored, sent] = [read('2019-09', series), read('2026-01', series)];
      expect(stored.size).toBeGreaterThan(700);
      expect(compare(stored, sent)).not.toThrow();
      const isLate = ([date]: readonly [string, number]) => date >= '2010-01-01';
      const late = new Map([...stored].filter(isLate));
      expect(compare(late, new Map([...sent].filter(isLate)))).not.toThrow();
    },
  );

  it('are rejected for industrial production, which was rebased', () => {
    expect(compare(read('2019-09', 'INDPRO'), read('2026-01', 'INDPRO'))).toThrow(
      /different base or unit/,
    );
  });
});
