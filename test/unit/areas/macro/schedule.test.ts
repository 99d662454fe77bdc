import { describe, expect, it } from 'vitest';
import { isDue, nextReleaseAfter, retryAfter } from '../../../../src/areas/macro/schedule.ts';

describe('the next query', () => {
  const at = (seriesId: string, frequency: string, last: string, now: string) =>
    nextReleaseAfter({ seriesId, frequency }, last, new Date(now)).toISOString();

  it.each([
    // Of FRED, for a release that has no time of an agency.
    ['the Thursday after', 'ICSA', 'Weekly', '2026-10-17', '2026-10-23', '2026-10-29T16:00'],
    ['the next business day', 'VIXCLS', 'Daily', '2026-11-18', '2026-11-19', '2026-11-20T17:00'],
    [
      'a release that is late',
      'UMCSENT',
      'Monthly',
      '2026-08-01',
      '2026-11-04',
      '2026-11-04T15:00',
    ],
    ['the second estimate', 'GDPC1', 'Quarterly', '2026-07-01', '2026-11-02', '2026-11-27T17:00'],
    [
      'a month, at the latest',
      'GDPC1',
      'Quarterly',
      '2025-10-01',
      '2026-04-10',
      '2026-04-30T16:00',
    ],
    ['a month, of an annual figure', 'X', 'Annual', '2025-01-01', '2026-05-01', '2026-06-01T12:00'],
  ])('is for %s', (_, seriesId, frequency, last, today, due) => {
    expect(at(seriesId, frequency, last, `${today}T12:00:00Z`)).toBe(`${due}:00.000Z`);
  });
});

describe('due', () => {
  it.each([
    [null, true],
    ['2026-11-21T19:59:59Z', true],
    ['2026-11-21T20:00:00Z', true],
    ['2026-11-21T20:00:01Z', false],
    // Written by a clock that has since been set back.
    ['2031-01-01T00:00:00Z', true],
  ])('%s: %s', (due, expected) => {
    expect(isDue(due, new Date('2026-11-21T20:00:00Z'))).toBe(expected);
  });
});

it('tries again later the longer it has failed, within bounds', () => {
  const now = new Date('2026-11-21T20:00:00Z');
  const minutes = (due: string | null) => (retryAfter(due, now).getTime() - now.getTime()) / 60_000;
  expect(minutes(null)).toBe(15);
  expect(minutes('2026-11-21T19:50:00Z')).toBe(15);
  expect(minutes('2026-11-21T16:00:00Z')).toBe(120);
  expect(minutes('2026-09-01T00:00:00Z')).toBe(360);
});
