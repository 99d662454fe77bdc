import { describe, expect, it } from 'vitest';
import {
  easternDay,
  easternInstant,
  periodEnd,
  shiftWeekdays,
} from '../../../../../src/areas/macro/agencies/calendar.ts';
import {
  estimateRelease,
  nextFigureDue,
} from '../../../../../src/areas/macro/agencies/schedule.ts';

const cpi = { seriesId: 'CPIAUCSL', frequency: 'Monthly', lagDays: 13 };
const daily = (seriesId: string) => ({ seriesId, frequency: 'Daily', lagDays: 1 });
const due = (...[feed, timing, last, now]: [string, typeof cpi, string, string]) =>
  nextFigureDue({ name: feed }, timing, last, new Date(now)).toISOString();

describe('the calendar of New York', () => {
  it.each([
    ['2026-07-14', '08:35', '2026-07-14T12:35:00.000Z'],
    ['2026-12-10', '08:35', '2026-12-10T13:35:00.000Z'],
    ['2026-03-08', '18:05', '2026-03-08T22:05:00.000Z'],
    ['2026-11-01', '18:05', '2026-11-01T23:05:00.000Z'],
  ])('%s %s', (day, time, instant) => {
    expect(easternInstant(day, time).toISOString()).toBe(instant);
  });

  it('has its own day', () => {
    expect(easternDay(new Date('2026-11-21T04:59:00Z'))).toBe('2026-11-20');
    expect(easternDay(new Date('2026-11-21T05:00:00Z'))).toBe('2026-11-21');
  });

  it('counts weekdays and ends of periods', () => {
    expect(shiftWeekdays('2026-11-20', 1)).toBe('2026-11-23');
    expect(shiftWeekdays('2026-11-21', 0)).toBe('2026-11-23');
    expect(periodEnd('Quarterly', '2026-01-01')).toBe('2026-03-31');
    expect(periodEnd('Monthly', '2028-02-01')).toBe('2028-02-29');
  });
});

describe('a release', () => {
  it('is estimated on a weekday', () => {
    // 13 June 2026 is a Saturday.
    expect(estimateRelease({ name: 'bls' }, cpi, '2026-05-01')).toBe('2026-06-15');
    expect(estimateRelease({ name: 'treasury_nominal' }, daily('DGS10'), '2026-11-20')).toBe(
      '2026-11-20',
    );
    expect(estimateRelease({ name: 'sofr' }, daily('SOFR'), '2026-11-20')).toBe('2026-11-23');
    // Exchange rates of a week come out on the Monday after.
    const euro = { seriesId: 'DEXUSEU', frequency: 'Daily', lagDays: 5 };
    expect(estimateRelease({ name: 'h10' }, euro, '2026-11-16')).toBe('2026-11-23');
  });

  it('is asked for when it is due', () => {
    expect(due('bls', cpi, '2026-10-01', '2026-11-21T12:00:00Z')).toBe('2026-12-14T13:35:00.000Z');
    const jolts = { seriesId: 'JTSJOL', frequency: 'Monthly', lagDays: 35 };
    expect(due('bls', jolts, '2026-09-01', '2026-11-21T12:00:00Z')).toBe(
      '2026-12-07T15:05:00.000Z',
    );
    expect(due('treasury_nominal', daily('DGS10'), '2026-11-20', '2026-11-21T12:00:00Z')).toBe(
      '2026-11-23T23:05:00.000Z',
    );
    expect(due('sofr', daily('SOFR'), '2026-11-19', '2026-11-21T12:00:00Z')).toBe(
      '2026-11-23T13:05:00.000Z',
    );
  });

  it('of a week is asked for a week later', () => {
    const assets = { seriesId: 'WALCL', frequency: 'Weekly', lagDays: 1 };
    expect(due('h41', assets, '2026-11-18', '2026-11-21T12:00:00Z')).toBe(
      '2026-11-26T21:35:00.000Z',
    );
  });

  it('that is late is asked for again, the BLS twice a day at most', () => {
    expect(due('bls', cpi, '2026-09-01', '2026-11-17T14:00:00Z')).toBe('2026-11-18T02:00:00.000Z');
    expect(due('sofr', daily('SOFR'), '2026-11-16', '2026-11-19T14:00:00Z')).toBe(
      '2026-11-19T17:00:00.000Z',
    );
  });

  it('that is late on a weekend waits for Monday', () => {
    expect(due('sofr', daily('SOFR'), '2026-11-18', '2026-11-21T14:00:00Z')).toBe(
      '2026-11-23T17:00:00.000Z',
    );
  });
});
