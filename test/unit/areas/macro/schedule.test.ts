import { describe, expect, it } from 'vitest';
import type { Released } from '../../../../src/areas/macro/facts/releases.ts';
import { isTurn, nextReleaseAfter, retryTime } from '../../../../src/areas/macro/schedule.ts';

const cpi = { seriesId: 'CPIAUCSL', frequency: 'Monthly' };
const daily = (seriesId: string) => ({ seriesId, frequency: 'Daily' });
const due = (...[name, series, last, now]: [string, Released, string, string]) =>
  nextReleaseAfter({ ...series, feed: { name } }, last, new Date(now)).toISOString();

describe('a source', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  const [past, soon] = ['2026-11-21T11:00:00.000Z', '2026-11-21T13:00:00.000Z'];

  it.each([
    ['is queried by calls and syncs once it is due', past, null, { call: true, sync: true }],
    ['is not queried before it is due', soon, null, { call: false, sync: false }],
    ['is queried by a sync alone soon after a failure', past, soon, { call: false, sync: true }],
    ['is queried again by calls long after a failure', past, past, { call: true, sync: true }],
    ['is not queried before it is due after a failure', soon, past, { call: false, sync: false }],
  ])('%s', (_, nextDue, retryAt, turns) => {
    const series = { lastVintage: '2026-10-01', nextDue, retryAt };
    expect({
      call: isTurn(true, series, false, now),
      sync: isTurn(true, series, true, now),
    }).toEqual(turns);
  });

  it('is due at FRED until its first fill, whatever an agency has sent', () => {
    const series = { lastVintage: null, nextDue: soon, retryAt: null };
    expect(isTurn(true, series, false, now)).toBe(true);
    expect(isTurn(false, series, false, now)).toBe(false);
  });
});

describe('a release', () => {
  it('is requested when it is due', () => {
    expect(due('bls', cpi, '2026-10-01', '2026-11-21T12:00:00Z')).toBe('2026-12-10T13:35:00.000Z');
    const jolts = { seriesId: 'JTSJOL', frequency: 'Monthly' };
    expect(due('bls', jolts, '2026-09-01', '2026-11-21T12:00:00Z')).toBe(
      '2026-12-07T15:05:00.000Z',
    );
    expect(due('treasury', daily('DGS10'), '2026-11-20', '2026-11-21T12:00:00Z')).toBe(
      '2026-11-23T23:05:00.000Z',
    );
    expect(due('sofr', daily('SOFR'), '2026-11-19', '2026-11-21T12:00:00Z')).toBe(
      '2026-11-23T13:05:00.000Z',
    );
  });

  it('that comes out weekly is requested a week later', () => {
    const assets = { seriesId: 'WALCL', frequency: 'Weekly' };
    // The Thursday is Thanksgiving.
    expect(due('h41', assets, '2026-11-18', '2026-11-21T12:00:00Z')).toBe(
      '2026-11-27T21:35:00.000Z',
    );
  });

  it('that is late is requested again, but at most twice a day from the BLS', () => {
    expect(due('bls', cpi, '2026-09-01', '2026-11-17T14:00:00Z')).toBe('2026-11-18T02:00:00.000Z');
    expect(due('sofr', daily('SOFR'), '2026-11-16', '2026-11-19T14:00:00Z')).toBe(
      '2026-11-19T17:00:00.000Z',
    );
  });

  it('that is late on a weekend is requested again on Monday', () => {
    expect(due('sofr', daily('SOFR'), '2026-11-18', '2026-11-21T14:00:00Z')).toBe(
      '2026-11-23T17:00:00.000Z',
    );
  });
});

it('the delay after a failure grows with its duration, within bounds', () => {
  const now = new Date('2026-11-21T20:00:00Z');
  const minutes = (due: string | null) =>
    (Date.parse(retryTime(new Error(), { due }, now)) - now.getTime()) / 60_000;
  expect(minutes(null)).toBe(15);
  expect(minutes('2026-11-21T16:00:00Z')).toBe(120);
  expect(minutes('2026-09-01T00:00:00Z')).toBe(360);
});
