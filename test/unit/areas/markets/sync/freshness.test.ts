import { describe, expect, it } from 'vitest';
import {
  isOld,
  nextReach,
  openPull,
  type PullStamp,
} from '../../../../../src/areas/markets/sync/freshness.ts';
import { at } from './shelf.ts';

const minutes = (count: number) => at(count / 60);
const ms = (count: number) => minutes(count).getTime();
const whole = (begun: number, more: Partial<PullStamp> = {}): PullStamp => ({
  ...{ reach: 'whole', begunAt: ms(begun), overAt: ms(begun + 2), finishedAt: ms(begun + 2) },
  ...more,
});
const busiest = (begun: number): PullStamp => ({ ...whole(begun), reach: 'busiest' });

it('odds are old after a quarter of an hour, and when their moment is still to come', () => {
  const seen = at(0).toISOString();
  expect([0, 14.9, 15, 600, -1].map((minute) => isOld(seen, minutes(minute)))).toEqual([
    ...[false, false, true, true, true],
  ]);
});

describe('the next pull', () => {
  it.each<[string, PullStamp[], number, ReturnType<typeof nextReach>]>([
    ['is whole on a new shelf', [], 0, 'whole'],
    ['waits a quarter of an hour', [whole(0)], 14, null],
    ['is one of the busiest then', [whole(0)], 15, 'busiest'],
    ['waits for that of the other reach, too', [whole(0), busiest(30)], 44, null],
    ['is whole six hours after the last whole one', [whole(0), busiest(345)], 362, 'whole'],
    ['is not whole a minute sooner', [whole(0), busiest(345)], 361, 'busiest'],
    [
      'is not whole again soon after one that failed',
      [whole(0, { finishedAt: null })],
      59,
      'busiest',
    ],
    ['but within the hour', [whole(0, { finishedAt: null })], 60, 'whole'],
    ['does not wait for a clock that ran ahead', [whole(600), busiest(600)], 0, 'whole'],
  ])('%s', (_, pulls, minute, reach) => {
    expect(nextReach(pulls, minutes(minute))).toBe(reach);
  });
});

it('the pull under way is the last one that was begun, unless it is over', () => {
  const open = whole(30, { overAt: null });
  expect(openPull([])).toBeNull();
  expect(openPull([busiest(0), open])).toBe(open);
  expect(openPull([open, busiest(45)])).toBeNull();
});
