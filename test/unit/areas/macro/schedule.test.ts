import { describe, expect, it } from 'vitest';
import { isDue, nextDue, retryAfter } from '../../../../src/areas/macro/schedule.ts';

const at = (day: string, hour = 20) => new Date(`${day}T${String(hour).padStart(2, '0')}:00:00Z`);

describe('the next release', () => {
  it.each<[string, string, string[], string, string]>([
    [
      'a month after the last, by the releases there were',
      'Monthly',
      ['2026-06-05', '2026-07-02', '2026-08-07', '2026-09-04'],
      '2026-09-05',
      '2026-10-02T14:00:00.000Z',
    ],
    [
      'a week after the last',
      'Weekly',
      ['2026-10-01', '2026-10-08', '2026-10-15', '2026-10-22'],
      '2026-10-23',
      '2026-10-29T14:00:00.000Z',
    ],
    [
      'the day after, of a daily series',
      'Daily',
      ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19'],
      '2026-11-19',
      '2026-11-20T14:00:00.000Z',
    ],
    [
      'where little is known, what is usual',
      'Monthly',
      ['2026-09-04'],
      '2026-09-05',
      '2026-10-04T14:00:00.000Z',
    ],
    ['where nothing is known, soon', 'Monthly', [], '2026-09-05', '2026-09-06T08:00:00.000Z'],
  ])('%s', (_, frequency, days, today, due) => {
    expect(nextDue(frequency, days, at(today)).toISOString()).toBe(due);
  });

  it('that has not come is asked for again in some hours, not at every call', () => {
    const days = ['2026-06-05', '2026-07-02', '2026-08-07', '2026-09-04'];
    expect(nextDue('Monthly', days, at('2026-10-20')).toISOString()).toBe(
      '2026-10-21T08:00:00.000Z',
    );
    expect(nextDue('Daily', ['2026-10-19'], at('2026-10-25')).toISOString()).toBe(
      '2026-10-26T00:00:00.000Z',
    );
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
    expect(isDue(due, at('2026-11-21'))).toBe(expected);
  });
});

it('tries again later the longer it has failed, within bounds', () => {
  const minutes = (due: string | null) =>
    (retryAfter(due, at('2026-11-21')).getTime() - at('2026-11-21').getTime()) / 60_000;
  expect(minutes(null)).toBe(15);
  expect(minutes('2026-11-21T19:50:00Z')).toBe(15);
  expect(minutes('2026-11-21T16:00:00Z')).toBe(120);
  expect(minutes('2026-09-01T00:00:00Z')).toBe(360);
});
