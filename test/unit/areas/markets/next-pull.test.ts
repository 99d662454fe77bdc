import { describe, expect, it } from 'vitest';
import { isOld } from '../../../../src/areas/markets/event-reply.ts';
import { nextPull } from '../../../../src/areas/markets/pull-ingest.ts';
import type { PullStamp } from '../../../../src/areas/markets/queries.ts';
import { at } from './pulls.ts';

const minutes = (count: number) => at(count / 60);
const ms = (count: number) => minutes(count).getTime();
const whole = (begun: number, more: Partial<PullStamp> = {}): PullStamp => ({
  ...{ source: 'polymarket', scope: 'full' },
  ...{ begunAt: ms(begun), overAt: ms(begun + 2), finishedAt: ms(begun + 2) },
  ...more,
});
const served = (begun: number): PullStamp => ({ ...whole(begun), scope: 'served' });

it('odds are old after a quarter of an hour, and when their moment is still to come', () => {
  const seen = at(0).toISOString();
  expect([0, 14.9, 15, 600, -1].map((minute) => isOld(seen, minutes(minute)))).toEqual([
    ...[false, false, true, true, true],
  ]);
});

describe('the next pull', () => {
  it.each<[string, PullStamp[], number, 'full' | 'served' | null]>([
    ['is full on a new shelf', [], 0, 'full'],
    ['waits a minute', [whole(-5), served(0)], 0.9, null],
    ['is one of what was served then', [whole(-5), served(0)], 1, 'served'],
    ['is full six hours after the last full one', [whole(0), served(345)], 362, 'full'],
    ['is not full a minute sooner', [whole(0), served(345)], 361, 'served'],
    ['is not full soon after one that failed', [whole(0, { finishedAt: null })], 59, 'served'],
    ['but within the hour', [whole(0, { finishedAt: null })], 60, 'full'],
    ['does not wait for a clock that ran ahead', [whole(600), served(600)], 0, 'full'],
  ])('%s', (_, pulls, minute, scope) => {
    expect(nextPull(pulls, ['polymarket'], minutes(minute))?.scope ?? null).toBe(scope);
  });

  it('is none while nothing waits for it', () => {
    expect(nextPull([whole(0)], [], minutes(30))).toBeNull();
  });

  it('is that of each venue in its turn, of an optional one once it is on', () => {
    const kalshi = (begun: number) => whole(begun, { source: 'kalshi' });
    const next = (pulls: PullStamp[]) => nextPull(pulls, ['kalshi'], minutes(14));
    expect(next([whole(0)])).toBeNull();
    expect(next([whole(0), kalshi(-30)])).toEqual({ source: 'kalshi', scope: 'served' });
    expect(next([whole(-400), kalshi(10)])).toEqual({ source: 'polymarket', scope: 'full' });
  });
});
