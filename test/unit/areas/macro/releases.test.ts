import { describe, expect, it } from 'vitest';
import {
  easternDay,
  easternInstant,
  isBusinessDay,
  periodEnd,
  shiftBusinessDays,
} from '../../../../src/areas/macro/facts/calendar.ts';
import {
  estimatePublication,
  isFirstPublished,
  isOverdue,
  listReleaseDays,
  nextRelease,
} from '../../../../src/areas/macro/facts/releases.ts';
import { vintage } from './model.ts';

const cpi = { seriesId: 'CPIAUCSL', frequency: 'Monthly' };
const daily = (seriesId: string) => ({ seriesId, frequency: 'Daily' });
describe('the calendar of New York', () => {
  it.each([
    ['2026-07-14', '08:35', '2026-07-14T12:35:00.000Z'],
    ['2026-12-10', '08:35', '2026-12-10T13:35:00.000Z'],
    ['2026-11-01', '18:05', '2026-11-01T23:05:00.000Z'],
  ])('turns %s %s into %s', (day, time, instant) => {
    expect(easternInstant(day, time).toISOString()).toBe(instant);
  });

  it('changes day at midnight in New York', () => {
    expect(easternDay(new Date('2026-11-21T04:59:00Z'))).toBe('2026-11-20');
    expect(easternDay(new Date('2026-11-21T05:00:00Z'))).toBe('2026-11-21');
  });

  it('counts business days and ends of periods', () => {
    expect(shiftBusinessDays('2026-11-20', 1)).toBe('2026-11-23');
    expect(shiftBusinessDays('2026-11-21', 0)).toBe('2026-11-23');
    expect(shiftBusinessDays('2026-11-25', 1)).toBe('2026-11-27');
    expect(periodEnd('Quarterly', '2026-01-01')).toBe('2026-03-31');
    expect(periodEnd('Monthly', '2028-02-01')).toBe('2028-02-29');
  });
});

describe('federal holidays', () => {
  // As the Office of Personnel Management lists them.
  const listed: Readonly<Record<number, readonly string[]>> = {
    2021: '01-01 01-18 02-15 05-31 06-18 07-05 09-06 10-11 11-11 11-25 12-24 12-31'.split(' '),
    2026: '01-01 01-19 02-16 05-25 06-19 07-03 09-07 10-12 11-11 11-26 12-25'.split(' '),
    2027: '01-01 01-18 02-15 05-31 06-18 07-05 09-06 10-11 11-11 11-25 12-24 12-31'.split(' '),
  };

  it.each([2021, 2026, 2027])('of %i are the only weekdays without releases', (year) => {
    const off: string[] = [];
    for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += 86_400_000) {
      const day = new Date(at);
      const name = day.toISOString().slice(0, 10);
      if (day.getUTCDay() % 6 !== 0 && !isBusinessDay(name)) off.push(name.slice(5));
    }
    expect(off).toEqual(listed[year]);
  });
});

describe('the newest figure', () => {
  const now = new Date('2026-11-23T12:00:00Z');

  it.each([
    ['CPIAUCSL', 'Monthly', '2026-10-01', false],
    ['CPIAUCSL', 'Monthly', '2026-09-01', true],
    ['DGS10', 'Daily', '2026-11-18', false],
    ['DGS10', 'Daily', '2026-11-13', true],
    ['GDPC1', 'Quarterly', '2026-07-01', false],
    ['GDPC1', 'Quarterly', '2026-01-01', true],
  ])(
    'of %s (%s) for %s leaves the next one overdue: %s',
    (seriesId, frequency, observationEnd, isOld) => {
      expect(isOverdue({ seriesId, frequency, observationEnd }, now)).toBe(isOld);
    },
  );
});

describe('a release', () => {
  it('is estimated on a business day', () => {
    // 13 February 2027 is a Saturday, and the Monday after a holiday.
    expect(listReleaseDays(cpi, '2027-01-01')).toEqual(['2027-02-16']);
    const yields = { ...daily('DGS10'), feed: { name: 'treasury' } };
    expect(listReleaseDays(yields, '2026-11-20')).toEqual(['2026-11-20']);
    const rate = { ...daily('SOFR'), feed: { name: 'sofr' } };
    expect(listReleaseDays(rate, '2026-11-25')).toEqual(['2026-11-27']);
    // A week's exchange rates come out on the following Monday.
    expect(listReleaseDays(daily('DEXUSEU'), '2026-11-16')).toEqual(['2026-11-23']);
  });

  it('follows its weekly rule, and moves by a day at a federal holiday', () => {
    const oil = (day: string) => listReleaseDays(daily('DCOILWTICO'), day)[0];
    // Wednesday's release covers the days through Monday.
    expect(['2026-05-05', '2026-05-11', '2026-05-12'].map(oil)).toEqual([
      ...['2026-05-13', '2026-05-13', '2026-05-20'],
    ]);
    // Memorial Day; Juneteenth is a Friday; Labor Day.
    expect(['2026-05-22', '2026-06-15', '2026-09-04'].map(oil)).toEqual([
      ...['2026-05-28', '2026-06-17', '2026-09-10'],
    ]);
    // Offices are often also closed next to Christmas.
    expect(oil('2025-12-22')).toBe('2025-12-29');
    expect(listReleaseDays(daily('DEXUSEU'), '2026-09-04')).toEqual(['2026-09-08']);
    const m2 = { seriesId: 'M2SL', frequency: 'Monthly' };
    expect(listReleaseDays(m2, '2026-05-01')).toEqual(['2026-06-23']);
    const claims = (week: string) =>
      listReleaseDays({ seriesId: 'ICSA', frequency: 'Weekly' }, week);
    expect(claims('2026-06-27')).toEqual(['2026-07-02', '2026-07-09']);
    // A day earlier before Thanksgiving.
    expect(claims('2026-11-21')[0]).toBe('2026-11-25');
  });

  it('falls on the same day for all its series', () => {
    const days = (ids: string[], date: string) =>
      new Set(ids.map((seriesId) => listReleaseDays({ seriesId, frequency: 'Monthly' }, date)[0]));
    expect(days(['CPIAUCSL', 'CPILFESL'], '2026-06-01')).toEqual(new Set(['2026-07-14']));
    expect(days(['PAYEMS', 'UNRATE', 'CIVPART', 'CES0500000003'], '1999-03-01')).toEqual(
      new Set(['1999-04-02']),
    );
    expect(days(['PCEPI', 'PCEPILFE', 'PCEC96', 'PSAVERT'], '2026-06-01')).toEqual(
      new Set(['2026-07-30']),
    );
  });

  it.each([
    ['PAYEMS', 'Monthly', '2026-11-28', '2026-12-04', true],
    ['CPIAUCSL', 'Monthly', '2026-11-11', '2026-12-10', true],
    ['ICSA', 'Weekly', '2026-11-28', '2026-12-03', false],
    ['DGS10', 'Daily', '2026-11-26', '2026-11-27', false],
    ['A191RL1A225NBEA', 'Annual', '2026-11-28', '2027-02-01', false],
    // The week of Thanksgiving, and the one after it.
    ['MORTGAGE30US', 'Weekly', '2026-11-23', '2026-11-25', false],
    ['MORTGAGE30US', 'Weekly', '2026-11-28', '2026-12-03', false],
  ])('of %s (%s) after %s is next on %s: announced %s', (seriesId, frequency, day, date, exact) => {
    const observationEnd = seriesId === 'MORTGAGE30US' ? null : '2026-07-04';
    expect(nextRelease({ seriesId, frequency, observationEnd }, day)).toMatchObject({
      date,
      exact,
    });
  });

  it('dates the whole history of an index re-estimated every week', () => {
    const nfci = { seriesId: 'NFCI', frequency: 'Weekly' };
    expect(estimatePublication(nfci, '2017-06-02', '2026-07-15')).toBe('2026-07-15');
  });

  it('that republishes a quarter counts as the source of its value', () => {
    const gdp = { seriesId: 'GDPC1', frequency: 'Quarterly' };
    const on = (until: string) => estimatePublication(gdp, '2026-01-01', until);
    expect(on('2026-05-01')).toBe('2026-04-30');
    expect(on('2026-05-28')).toBe('2026-05-28');
    expect(on('2027-01-01')).toBe('2026-06-25');
    // No figure came out after it was seen, or on a weekend.
    expect(on('2026-04-26')).toBe('2026-04-24');
  });

  it('counts as a first release only near its usual day', () => {
    const payrolls = { seriesId: 'PAYEMS', frequency: 'Monthly' };
    const isFirst = (date: string, day: string, exact: 0 | 1 = 1) =>
      isFirstPublished(payrolls, vintage(date, 1, day, { exact, knownFrom: '2026-11-01' }));
    expect(isFirst('2026-04-01', '2026-05-08')).toBe(true);
    expect(isFirst('2026-04-01', '2026-05-08', 0)).toBe(false);
    expect(isFirst('2026-04-01', '2026-06-05')).toBe(false);
    expect(isFirst('2025-09-01', '2025-11-20')).toBe(true);
    expect(isFirst('2025-09-01', '2025-12-16')).toBe(false);
  });
});
