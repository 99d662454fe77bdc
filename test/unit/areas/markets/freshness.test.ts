import { describe, expect, it } from 'vitest';
import {
  isOld,
  nextPull,
  openPull,
  type PullStamp,
} from '../../../../src/areas/markets/freshness.ts';
import { at } from './pulls.ts';

const minutes = (count: number) => at(count / 60);
const ms = (count: number) => minutes(count).getTime();
const whole = (begun: number, more: Partial<PullStamp> = {}): PullStamp => ({
  ...{
    source: 'polymarket',
    scope: 'full',
    begunAt: ms(begun),
    overAt: ms(begun + 2),
    finishedAt: ms(begun + 2),
  },
  ...more,
});
const busiest = (begun: number): PullStamp => ({ ...whole(begun), scope: 'top' });

it('odds are old after a quarter of an hour, and when their moment is still to come', () => {
  const seen = at(0).toISOString();
  expect([0, 14.9, 15, 600, -1].map((minute) => isOld(seen, minutes(minute)))).toEqual([
    ...[false, false, true, true, true],
  ]);
});

describe('the next pull', () => {
  it.each<[string, PullStamp[], number, 'full' | 'top' | null]>([
    ['is whole on a new shelf', [], 0, 'full'],
    ['waits a quarter of an hour', [whole(0)], 14, null],
    ['is one of the busiest then', [whole(0)], 15, 'top'],
    ['waits for that of the other scope, too', [whole(0), busiest(30)], 44, null],
    ['is whole six hours after the last whole one', [whole(0), busiest(345)], 362, 'full'],
    ['is not whole a minute sooner', [whole(0), busiest(345)], 361, 'top'],
    ['is not whole again soon after one that failed', [whole(0, { finishedAt: null })], 59, 'top'],
    ['but within the hour', [whole(0, { finishedAt: null })], 60, 'full'],
    ['does not wait for a clock that ran ahead', [whole(600), busiest(600)], 0, 'full'],
  ])('%s', (_, pulls, minute, scope) => {
    expect(nextPull(pulls, minutes(minute))?.scope ?? null).toBe(scope);
  });
});

it('each venue is pulled in its turn, an optional one once it is on', () => {
  const kalshi = (begun: number) => whole(begun, { source: 'kalshi' });
  expect(nextPull([whole(0)], minutes(14))).toBeNull();
  expect(nextPull([whole(0), kalshi(-30)], minutes(14))).toEqual({
    source: 'kalshi',
    scope: 'top',
  });
  expect(nextPull([whole(-400), kalshi(10)], minutes(14))).toEqual({
    source: 'polymarket',
    scope: 'full',
  });
});

it('the pull under way is the last one that was begun, unless it is over', () => {
  const open = whole(30, { overAt: null });
  expect(openPull([])).toBeNull();
  expect(openPull([busiest(0), open])).toBe(open);
  expect(openPull([open, busiest(45)])).toBeNull();
});
