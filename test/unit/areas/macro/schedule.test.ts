import { describe, expect, it } from 'vitest';
import { INDICATOR_OF } from '../../../../src/areas/macro/facts/indicators.ts';
import { isTurn, nextReleaseAfter, retryTime } from '../../../../src/areas/macro/schedule.ts';

const utc = (text: string) => new Date(`2026-${text}:00Z`);

describe('a source', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  const [past, soon] = ['2026-11-21T11:00:00.000Z', '2026-11-21T13:00:00.000Z'];

  it.each([
    ['is queried by calls and syncs once it is due', past, null, { call: true, sync: true }],
    ['is not queried before it is due', soon, null, { call: false, sync: false }],
    ['is queried only by a sync soon after a failure', past, soon, { call: false, sync: true }],
    ['is queried by calls again long after a failure', past, past, { call: true, sync: true }],
    ['is not queried early, even after a failure', soon, past, { call: false, sync: false }],
  ])('%s', (_, nextDue, retryAt, turns) => {
    const series = { lastVintage: '2026-10-01', nextDue, retryAt };
    expect({
      call: isTurn(true, series, false, now),
      sync: isTurn(true, series, true, now),
    }).toEqual(turns);
  });

  it('is queried at once if it is FRED and has never filled the series, whatever an agency has sent', () => {
    const series = { lastVintage: null, nextDue: soon, retryAt: null };
    expect(isTurn(true, series, false, now)).toBe(true);
    expect(isTurn(false, series, false, now)).toBe(false);
  });
});

describe('the next release', () => {
  it.each([
    ['CPIAUCSL', '2026-10-01', '11-21T12:00', '12-10T13:35', 'when it is due'],
    ['JTSJOL', '2026-09-01', '11-21T12:00', '12-07T15:05', 'when it is due'],
    ['DGS10', '2026-11-20', '11-21T12:00', '11-23T23:05', 'when it is due'],
    ['SOFR', '2026-11-19', '11-21T12:00', '11-23T13:05', 'when it is due'],
    ['WALCL', '2026-11-18', '11-21T12:00', '11-27T21:35', 'a day late, after Thanksgiving'],
    ['SOFR', '2026-11-16', '11-19T14:00', '11-19T17:00', 'in three hours, as it is late'],
    ['CPIAUCSL', '2026-09-01', '11-17T14:00', '11-18T02:00', 'in 12 hours, as the BLS is late'],
    ['SOFR', '2026-11-18', '11-21T14:00', '11-23T17:00', 'on Monday, as it is late on a Saturday'],
  ])('of %s after %s, as of %s, is requested at %s, %s', (seriesId, last, now, due) => {
    const { frequency = '', agency } = INDICATOR_OF.get(seriesId) ?? {};
    const series = { seriesId, frequency, feed: { name: agency?.feed ?? '' } };
    expect(nextReleaseAfter(series, last, utc(now))).toEqual(utc(due));
  });
});

it('the delay after a failure grows with the time overdue, from 15 minutes to 6 hours', () => {
  const now = new Date('2026-11-21T20:00:00Z');
  const minutes = (due: string | null) =>
    (Date.parse(retryTime(new Error(), { due }, now)) - now.getTime()) / 60_000;
  expect(minutes(null)).toBe(15);
  expect(minutes('2026-11-21T16:00:00Z')).toBe(120);
  expect(minutes('2026-09-01T00:00:00Z')).toBe(360);
});
