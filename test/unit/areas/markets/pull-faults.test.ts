import { describe, expect, it } from 'vitest';
import { listPulls } from '../../../../src/areas/markets/queries.ts';
import type { Fault } from '../../../stand-ins/faults.ts';
import { makeWireEvent } from '../../../stand-ins/polymarket.ts';
import { db, useFreshShelves } from './fresh-shelf.ts';
import { at, readEvent, startPulls, startPullsByHttp, storedIds } from './pulls.ts';

useFreshShelves();

const three = (fault: Fault) => [fault, fault, fault];
const loop = JSON.stringify({ events: [makeWireEvent({ id: 101 })], next_cursor: 'again' });
const lists = (requests: readonly { path: string }[]) =>
  new Set(requests.map(({ path }) => path.replace(/&after_cursor=[^&]*/, '')));

describe('a pull with a failing list', () => {
  it.each<[string, Fault[]]>([
    ['a status 500', three({ kind: 'status', status: 500 })],
    ['a status 403', [{ kind: 'status', status: 403 }]],
    ['a cursor loop', [1, 2].map(() => ({ kind: 'body', body: loop }))],
  ])('reports %s, reads all other lists, and treats no event as gone', async (_, faults) => {
    const before = await startPulls(db, [makeWireEvent(), makeWireEvent({ id: 101 })]);
    expect(await before.pull()).toMatchObject({ faults: [] });
    const listed = lists(before.standIn.requests);
    const later = [makeWireEvent({ id: 101, prices: [0.9] })];
    const { standIn, pull } = await startPullsByHttp(db, later);
    standIn.fault('tag_id=604', faults);
    const stocks = expect.stringContaining('open events tagged stocks: ');
    expect(await pull(30)).toMatchObject({ reread: 0, faults: [stocks] });
    expect(standIn.faultsLeft).toBe(0);
    // The windows of 45 and 30 days for closed events move with the clock.
    expect(lists(standIn.requests).size).toBe(listed.size);
    // The unseen event keeps its time, so its odds stay dated.
    const unseen = { status: 'active', synced_at: at(0).toISOString() };
    expect(await readEvent(db)).toMatchObject(unseen);
    expect((await readEvent(db, 101)).markets[0]?.outcomes[0]?.current_probability).toBe(0.9);
    expect(listPulls(db)).toMatchObject([
      { begunAt: at(30).getTime(), overAt: at(30).getTime(), finishedAt: at(0).getTime() },
    ]);
  });

  it('keeps the pages before the fault', async () => {
    const many = Array.from({ length: 250 }, (_, index) => makeWireEvent({ id: index + 1 }));
    const { standIn, pull } = await startPullsByHttp(db, many);
    const third = (path: string) => path.includes('tag_id=100328') && path.includes('after_cursor');
    standIn.fault(third, [{ kind: 'none' }, ...three({ kind: 'html' })]);
    // No other list contains the same events under the tag's slug.
    expect(await pull()).toMatchObject({ added: 200, faults: [expect.any(String)] });
    expect(storedIds(db)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
  });
});

describe('a pull from a faulty venue', () => {
  it('gives up after three failing lists in a row', async () => {
    const { standIn, pull } = await startPullsByHttp(db, [makeWireEvent()]);
    standIn.fault(() => true, new Array(600).fill({ kind: 'status', status: 500 }));
    await expect(pull()).rejects.toMatchObject({ name: 'HttpError', status: 500 });
    expect(standIn.requests).toHaveLength(9);
    expect(listPulls(db)).toMatchObject([{ overAt: at(0).getTime(), finishedAt: null }]);
  });

  it('stops immediately if the venue limits the rate', async () => {
    const { standIn, pull } = await startPullsByHttp(db, [makeWireEvent()]);
    standIn.fault('tag_id=604', three({ kind: 'status', status: 429 }));
    await expect(pull()).rejects.toMatchObject({ name: 'HttpError', status: 429 });
    expect(standIn.requests.at(-1)?.path).toContain('tag_id=604');
    expect(storedIds(db)).toEqual([100]);
  });
});
