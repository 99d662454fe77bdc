import { describe, expect, it } from 'vitest';
import {
  easternDay,
  easternInstant,
  isBusinessDay,
  periodEnd,
  shiftBusinessDays,
} from '../../../../src/areas/macro/facts/calendar.ts';
import { INDICATOR_OF } from '../../../../src/areas/macro/facts/indicators.ts';
import {
  estimatePublication,
  isFirstPublished,
  isOverdue,
  listReleaseDays,
  nextRelease,
  type Released,
} from '../../../../src/areas/macro/facts/releases.ts';
import { shiftDay } from '../../../../src/core/time.ts';
import { vintage } from './model.ts';

/** A series of the catalogue, without the feed of an agency. */
const of = (seriesId: string): Released => {
  return { seriesId, frequency: INDICATOR_OF.get(seriesId)?.frequency ?? '' };
};

describe('the New York calendar', () => {
  it.each([
    ['2026-07-14', '08:35', '2026-07-14T12:35:00.000Z'],
    ['2026-12-10', '08:35', '2026-12-10T13:35:00.000Z'],
    ['2026-11-01', '18:05', '2026-11-01T23:05:00.000Z'],
  ])('converts %s %s to %s', (day, time, instant) => {
    expect(easternInstant(day, time).toISOString()).toBe(instant);
  });

  it('begins a day at midnight in New York', () => {
    expect(easternDay(new Date('2026-11-21T04:59:00Z'))).toBe('2026-11-20');
    expect(easternDay(new Date('2026-11-21T05:00:00Z'))).toBe('2026-11-21');
  });

  it('finds the next business day and the end of a period', () => {
    expect(shiftBusinessDays('2026-11-20', 1)).toBe('2026-11-23');
    expect(shiftBusinessDays('2026-11-21', 0)).toBe('2026-11-23');
    expect(shiftBusinessDays('2026-11-25', 1)).toBe('2026-11-27');
    expect(periodEnd('Quarterly', '2026-01-01')).toBe('2026-03-31');
    expect(periodEnd('Monthly', '2028-02-01')).toBe('2028-02-29');
  });
});

/** The years 2021 and 2027 have the same holidays. */
const SAME = '01-01 01-18 02-15 05-31 06-18 07-05 09-06 10-11 11-11 11-25 12-24 12-31';

// As the Office of Personnel Management lists them.
it.each([
  [2021, SAME],
  [2026, '01-01 01-19 02-16 05-25 06-19 07-03 09-07 10-12 11-11 11-26 12-25'],
  [2027, SAME],
])('the federal holidays of %i are the only weekdays without releases', (year, listed) => {
  const off: string[] = [];
  for (let day = `${year}-01-01`; day <= `${year}-12-31`; day = shiftDay(day, 1)) {
    if (new Date(day).getUTCDay() % 6 !== 0 && !isBusinessDay(day)) off.push(day.slice(5));
  }
  expect(off.join(' ')).toBe(listed);
});

it.each([
  ['CPIAUCSL', '2026-10-01', 'not yet'],
  ['CPIAUCSL', '2026-09-01', 'already'],
  ['DGS10', '2026-11-18', 'not yet'],
  ['DGS10', '2026-11-13', 'already'],
  ['GDPC1', '2026-07-01', 'not yet'],
  ['GDPC1', '2026-01-01', 'already'],
])('the next figure of %s after %s is %s overdue on 2026-11-23', (id, observationEnd, state) => {
  const now = new Date('2026-11-23T12:00:00Z');
  expect(isOverdue({ ...of(id), observationEnd }, now)).toBe(state === 'already');
});

describe('a release', () => {
  it.each([
    ['CPIAUCSL', '2027-01-01', '2027-02-16', 'after a Saturday and a holiday'],
    ['DGS10', '2026-11-20', '2026-11-20', 'on the same day at the Treasury'],
    ['SOFR', '2026-11-25', '2026-11-27', 'on the next business day at the New York Fed'],
    ['DEXUSEU', '2026-11-16', '2026-11-23', 'on the Monday after a week of exchange rates'],
    ['DEXUSEU', '2026-09-04', '2026-09-08', 'on the Tuesday after Labor Day'],
    ['M2SL', '2026-05-01', '2026-06-23', 'on the fourth Tuesday'],
    ['DCOILWTICO', '2026-05-11', '2026-05-13', 'on the Wednesday after a Monday'],
    ['DCOILWTICO', '2026-05-12', '2026-05-20', 'on the Wednesday of the next week'],
    ['DCOILWTICO', '2026-05-22', '2026-05-28', 'a day later after Memorial Day'],
    ['DCOILWTICO', '2026-06-15', '2026-06-17', 'on the Wednesday before Juneteenth, a Friday'],
    // Federal offices often close on the days beside Christmas too.
    ['DCOILWTICO', '2025-12-22', '2025-12-29', 'after Christmas and the days beside it'],
    ['ICSA', '2026-06-27', '2026-07-02 and 2026-07-09', 'on two Thursdays'],
    ['ICSA', '2026-11-21', '2026-11-25 and 2026-12-03', 'first a day early, before Thanksgiving'],
  ])('of %s for %s is expected on %s, %s', (id, date, days) => {
    const feed = { name: INDICATOR_OF.get(id)?.agency?.feed ?? '' };
    expect(listReleaseDays({ ...of(id), feed }, date)).toEqual(days.split(' and '));
  });

  it.each([
    ['2026-06-01', '2026-07-14', ['CPIAUCSL', 'CPILFESL']],
    ['1999-03-01', '1999-04-02', ['PAYEMS', 'UNRATE', 'CIVPART', 'CES0500000003']],
    ['2026-06-01', '2026-07-30', ['PCEPI', 'PCEPILFE', 'PCEC96', 'PSAVERT']],
  ])('for %s falls on %s for all its series: %j', (date, day, ids) => {
    const days = ids.map((id) => listReleaseDays(of(id), date)[0]);
    expect(days).toEqual(ids.map(() => day));
  });

  it.each([
    ['PAYEMS', '2026-11-28', '2026-12-04', true, 'as announced'],
    ['ICSA', '2026-11-28', '2026-12-03', false, 'by estimate'],
    ['DGS10', '2026-11-26', '2026-11-27', false, 'by estimate'],
    ['A191RL1A225NBEA', '2026-11-28', '2027-02-01', false, 'by estimate'],
    ['MORTGAGE30US', '2026-11-23', '2026-11-25', false, 'a day early for Thanksgiving'],
    ['MORTGAGE30US', '2026-11-28', '2026-12-03', false, 'a week after Thanksgiving'],
  ])('of %s after %s is next due on %s (exact: %s), %s', (id, day, date, exact) => {
    const observationEnd = id === 'MORTGAGE30US' ? null : '2026-07-04';
    expect(nextRelease({ ...of(id), observationEnd }, day)).toMatchObject({ date, exact });
  });

  it('republishes the whole history of an index that is re-estimated every week', () => {
    expect(estimatePublication(of('NFCI'), '2017-06-02', '2026-07-15')).toBe('2026-07-15');
  });

  it('that republishes a quarter sets the publication day of its current value', () => {
    const gdp = of('GDPC1');
    const on = (until: string) => estimatePublication(gdp, '2026-01-01', until);
    expect(on('2026-05-01')).toBe('2026-04-30');
    expect(on('2026-05-28')).toBe('2026-05-28');
    expect(on('2027-01-01')).toBe('2026-06-25');
    // No figure came out after it was seen, or on a weekend.
    expect(on('2026-04-26')).toBe('2026-04-24');
  });

  it('counts as the first of its period only if it was certainly near its usual day', () => {
    const payrolls = of('PAYEMS');
    const isFirst = (date: string, day: string, exact: 0 | 1 = 1) =>
      isFirstPublished(payrolls, vintage(date, 1, day, { exact, knownFrom: '2026-11-01' }));
    expect(isFirst('2026-04-01', '2026-05-08')).toBe(true);
    expect(isFirst('2026-04-01', '2026-05-08', 0)).toBe(false);
    expect(isFirst('2026-04-01', '2026-06-05')).toBe(false);
    expect(isFirst('2025-09-01', '2025-11-20')).toBe(true);
    expect(isFirst('2025-09-01', '2025-12-16')).toBe(false);
  });
});
