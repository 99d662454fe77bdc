import { expect, it } from 'vitest';
import { datesBelow } from '../../../../src/doors/views/axes.ts';
import { changeInYear, formsOf, inForm, rangesOf } from '../../../../src/doors/views/changes.ts';

/** Monthly observations, the newest in July 2026. */
function months(count: number, valueAt: (age: number) => number | null = () => 1) {
  return Array.from({ length: count }, (_, index) => {
    const age = count - 1 - index;
    const date = new Date(Date.UTC(2026, 6 - age)).toISOString().slice(0, 10);
    return { date, value: valueAt(age) };
  });
}

const YEARLY = Array.from({ length: 8 }, (_, at) => ({ date: `${2018 + at}-01-01`, value: 1 }));

it.each([
  ['no range of a one-year history', months(13), []],
  ['the one range that is shorter than the history', months(14), ['1Y 2025-07-01']],
  ['up to three ranges', months(400), ['1Y 2025-07-01', '5Y 2021-07-01', '10Y 2016-07-01']],
  ['only ranges with enough values', YEARLY, ['5Y 2020-01-01']],
  ['no range without values', months(30, (age) => (age < 12 ? null : 1)), []],
])('a chart offers %s', (_, observations, ranges) => {
  expect(rangesOf(observations).map(({ label, from }) => `${label} ${from}`)).toEqual(ranges);
});

it.each([
  ['in percent between positive values', 200, 210, 'Index', { change: 5, kind: '%' }],
  ['in points for a percentage', 4, 4.5, 'Percent', { change: 0.5, kind: 'points' }],
  ['absolute if the earlier value is negative', -2, 1, 'Index', { change: 3, kind: '' }],
  ['absolute if the later value is negative', 2, -1, 'Index', { change: -3, kind: '' }],
])('the change over a year is %s', (_, before, now, units, change) => {
  const observations = months(13, (age) => (age === 12 ? before : now));
  expect(changeInYear(observations, 12, units)).toEqual(change);
  expect(changeInYear(observations, 11, units)).toBeUndefined();
});

it('the change over a year bridges a gap of one month, but not of nine', () => {
  const short = months(14, (age) => (age === 12 ? null : 100 + age));
  expect(changeInYear(short, 13, 'Index')?.change).toBeCloseTo((100 * -13) / 113);
  const long = months(30, (age) => (age > 10 && age < 20 ? null : 100));
  expect(changeInYear(long, 29, 'Index')).toBeUndefined();
});

const series = {
  indicator: 'us.cpi.core',
  series_id: 'CPILFESL',
  title: 'Prices',
  frequency: 'Monthly',
  attribution: '',
  stale: false,
  units: 'Index',
};
const formsIn = (more: object) =>
  formsOf([{ ...series, observations: months(36), ...more }]).map(({ value }) => value);

it('a yearly change begins a year after the first value, and keeps gaps', () => {
  const observations = months(15, (age) => (age === 1 ? null : age > 11 ? 100 : 110));
  const changes = inForm({ ...series, observations }, 'percent', '');
  expect(changes.units).toBe('Percent');
  expect(changes.observations).toEqual([
    { date: '2026-05-01', value: 10 },
    { date: '2026-06-01', value: null },
    { date: '2026-07-01', value: 10 },
  ]);
  const points = inForm({ ...series, units: 'Percent', observations }, 'year', '');
  expect(points.units).toBe('Percentage points');
});

it('a change from the previous period is missing in and after a gap', () => {
  const observations = months(4, (age) => (age === 1 ? null : 100 - age));
  expect(inForm({ ...series, observations }, 'change', '').observations).toEqual([
    { date: '2026-05-01', value: 1 },
    { date: '2026-06-01', value: null },
    { date: '2026-07-01', value: null },
  ]);
});

it('a series shown as an index is 100 at the left edge of its chart', () => {
  const observations = months(13, (age) => 200 + 10 * (12 - age));
  const index = inForm({ ...series, observations }, 'index', '2026-01-15');
  expect(index.observations.find(({ date }) => date === '2026-02-01')?.value).toBe(100);
  expect(index.note).toBe('February 2026 = 100');
});

it('the forms in which a series can be drawn depend on its units, signs, length and thinning', () => {
  expect(formsIn({})).toEqual(['level', 'change', 'year', 'percent', 'log', 'index']);
  expect(formsIn({ units: 'Percent' })).toEqual(['level', 'change', 'year']);
  const negative = months(36, (age) => age - 5);
  expect(formsIn({ observations: negative })).toEqual(['level', 'change', 'year', 'percent']);
  expect(formsIn({ observations: months(12) })).toEqual(['level', 'change', 'log', 'index']);
  // Thinning may omit the values that the others compare.
  expect(formsIn({ isThinned: true })).toEqual(['level', 'log', 'index']);
});

it('the dates below a plot are days, months or years, and never more than fit', () => {
  const labels = (from: string, to: string, most: number) =>
    datesBelow(Date.parse(from), Date.parse(to), most).map(({ label }) => label);
  expect(labels('2025-03-03', '2025-03-07', 6)).toContain('5 Mar');
  expect(labels('2025-01-01', '2025-10-01', 4)).toContain('Apr 2025');
  const decades = labels('1947-01-01', '2026-01-01', 5);
  expect(decades.length).toBeLessThanOrEqual(5);
  for (const label of decades) expect(label).toMatch(/^(19|20)\d0$/);
});
