import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { beginPull, endPull, nextPull } from '../../../../src/areas/markets/pulls.ts';
import type { PullStamp } from '../../../../src/areas/markets/queries.ts';
import { createMarketRefresher } from '../../../../src/areas/markets/refresh.ts';
import { withProcessLock } from '../../../../src/store/lock.ts';
import { temporaryDirectory } from '../../../temporary.ts';
import { db, putTitled, useFreshShelves } from './fresh-shelf.ts';
import { at } from './pulls.ts';

const full = { source: 'polymarket', scope: 'full' } as const;
const served = { source: 'polymarket', scope: 'served' } as const;
let clock: Date;
let home: string;

useFreshShelves();
beforeEach(() => {
  clock = at(0);
  home = temporaryDirectory();
  putTitled(['1', '2', '3']);
});

/** A command that records its arguments, and then keeps running or exits. */
const RECORD = `
  const { appendFileSync } = require('node:fs');
  appendFileSync(process.env.REFRESH_LOG, process.argv.slice(2).join(' ') + '\\n');`;

/** A process that shares the shelf. */
function joinShelf(more = 'setInterval(() => {}, 1000);') {
  const command = join(home, `command-${more.length}.cjs`);
  writeFileSync(command, RECORD + more);
  process.env.REFRESH_LOG = join(home, 'started');
  const said: string[] = [];
  const lock = join(home, 'sync-markets.lock');
  const refresh = createMarketRefresher({
    db,
    command,
    lockPath: lock,
    now: () => clock,
    log: (line) => said.push(line),
  });
  onTestFinished(() => refresh.close());
  return { said, lock, request: (ids: number[] = []) => refresh.request(ids) };
}
const started = () => {
  const path = join(home, 'started');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};
const until = async (isDone: () => boolean) => {
  await expect.poll(isDone).toBe(true);
};
/** A full pull that has just ended. */
const pullAll = () => {
  beginPull(db, full, clock);
  endPull(db, full, clock, true);
};
const pass = (minutes: number) => {
  clock = new Date(clock.getTime() + minutes * 60_000);
};

it('all processes on a store share one refresh, and no other follows immediately', async () => {
  const [first, second] = [joinShelf(), joinShelf()];
  expect(first.request([1])).toBe('full');
  expect(second.request([2])).toBeNull();
  await until(() => started().length > 0);
  expect(first.request([1])).toBe('full');
  endPull(db, full, clock, true);
  for (const { request } of [joinShelf(), first, second]) expect(request([3])).toBeNull();
  await delay(100);
  expect(started()).toEqual(['sync markets --source polymarket --refresh full']);
  // The process is still embedding, so the next refresh must wait although it is due.
  pass(16);
  expect(first.request([1])).toBeNull();
});

it('an enabled optional venue is refreshed after the others', async () => {
  const { request } = joinShelf('');
  beginPull(db, { source: 'kalshi', scope: 'full' }, at(-7));
  expect(request([1])).toBe('full');
  await until(() => started().length === 2);
  expect(started()).toEqual(
    ['polymarket', 'kalshi'].map((name) => `sync markets --source ${name} --refresh full`),
  );
});

it('a refresh that fails is logged once, and not repeated immediately', async () => {
  const { request, said } = joinShelf('setTimeout(() => process.exit(1), 300)');
  pullAll();
  pass(2);
  expect(request([1, 2])).toBe('served');
  await until(() => started().length === 1);
  pass(2);
  await until(() => said.length > 0);
  await delay(300);
  expect(said).toEqual(['markets: the refresh failed; run `quantshelf sync markets` to see why']);
  expect(started()).toEqual(['sync markets --source polymarket --refresh 1,2']);
});

it('a refresh by another process is reported while its pull runs', async () => {
  const { request, lock } = joinShelf();
  pullAll();
  pass(0.1);
  beginPull(db, served, clock);
  pass(0.5);
  // The pull has begun, but nobody holds the lock: its process died.
  expect(request([1])).toBeNull();
  await withProcessLock(lock, async () => {
    expect(request([1, 3])).toBe('served');
    expect(request()).toBe('served');
    endPull(db, served, clock, true);
    expect(request([2])).toBeNull();
  });
  expect(started()).toEqual([]);
});

it('a refresh that cannot be claimed does not fail the call', () => {
  const { request, said } = joinShelf();
  db.exec('DROP TABLE market_pull');
  expect(request([1])).toBeNull();
  expect(said[0]).toContain('no refresh');
});

const minutes = (count: number) => at(count / 60);
const ms = (count: number) => minutes(count).getTime();
const whole = (begun: number, more: Partial<PullStamp> = {}): PullStamp => ({
  source: 'polymarket',
  scope: 'full',
  begunAt: ms(begun),
  overAt: ms(begun + 2),
  finishedAt: ms(begun + 2),
  ...more,
});
const failed = whole(0, { finishedAt: null });
const part = (begun: number): PullStamp => ({ ...whole(begun), scope: 'served' });

describe('the next pull', () => {
  it.each<[string, PullStamp[], number, 'full' | 'served' | null]>([
    ['is full on a new shelf', [], 0, 'full'],
    ['waits for a minute after the last one', [whole(-5), part(0)], 0.9, null],
    ['has only the served events after a minute', [whole(-5), part(0)], 1, 'served'],
    ['is full six hours after the last full one', [whole(0), part(345)], 362, 'full'],
    ['is not full until six hours after the last full one', [whole(0), part(345)], 361, 'served'],
    ['is not full within an hour of one that failed', [failed], 59, 'served'],
    ['is full an hour after one that failed', [failed], 60, 'full'],
    ['ignores pulls dated in the future', [whole(600), part(600)], 0, 'full'],
  ])('%s', (_, pulls, minute, scope) => {
    expect(nextPull(pulls, ['polymarket'], minutes(minute))?.scope ?? null).toBe(scope);
  });

  it('takes each venue in turn, including an optional one once it is enabled', () => {
    const kalshi = (begun: number) => whole(begun, { source: 'kalshi' });
    const next = (pulls: PullStamp[]) => nextPull(pulls, ['kalshi'], minutes(14));
    expect(next([whole(0)])).toBeNull();
    expect(next([whole(0), kalshi(-30)])).toEqual({ source: 'kalshi', scope: 'served' });
    expect(next([whole(-400), kalshi(10)])).toEqual({ source: 'polymarket', scope: 'full' });
  });
});
