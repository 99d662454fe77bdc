import { describe, expect, it } from 'vitest';
import { hasFailed, listPulls } from '../../../../src/areas/markets/queries.ts';
import type { Fault } from '../../../stand-ins/faults.ts';
import { makeWireEvent, makeWireMarket } from '../../../stand-ins/polymarket.ts';
import { browse, db, read as readShelf, useFreshShelves } from './fresh-shelf.ts';
import { at, readEvent, startPulls, startPullsByHttp, storedIds } from './pulls.ts';
import { keyOf } from './shelf.ts';

useFreshShelves();

const three = (fault: Fault) => [fault, fault, fault];
const loop = JSON.stringify({ events: [makeWireEvent({ id: 101 })], next_cursor: 'again' });
const lists = (requests: readonly { path: string }[]) =>
  new Set(requests.map(({ path }) => path.replace(/&after_cursor=[^&]*/, '')));

describe('a pull with a failing list', () => {
  it.each<[string, Fault[]]>([
    ['an HTTP status of 500', three({ kind: 'status', status: 500 })],
    ['an HTTP status of 403', [{ kind: 'status', status: 403 }]],
    ['a cursor loop', [1, 2].map(() => ({ kind: 'body', body: loop }))],
  ])('reports %s, but reads all other lists and treats no event as gone', async (_, faults) => {
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

describe('an event whose request fails', () => {
  const proposed = makeWireEvent({
    markets: [makeWireMarket(1, 0.97, { umaResolutionStatus: 'proposed' })],
  });
  const other = makeWireEvent({ id: 101 });

  /** A reader's notice, and whether the read requests the event from its venue. */
  async function readOld(hours: number) {
    let isRequested = false;
    const freshenEvent = async () => {
      isRequested = true;
      return 'unreachable' as const;
    };
    const { meta } = await readShelf('pme_100', { now: at(hours), freshenEvent });
    return { isRequested, notice: meta.notice };
  }

  it.each<[string, Fault]>([
    ['an HTTP status of 500', { kind: 'status', status: 500 }],
    ['an unreadable response', { kind: 'html' }],
    ["a proxy's own 404", { kind: 'status', status: 404, body: '<h1>Not Found</h1>' }],
    ['a rejection', { kind: 'status', status: 422 }],
  ])('with %s is not mistaken for one that the venue no longer has', async (_, fault) => {
    const { standIn, pull } = await startPullsByHttp(db, [proposed, other]);
    await pull();
    standIn.fault('/events/100', three(fault));
    const { faults } = await pull(1, { served: [keyOf(db, 100)] });
    expect(faults).toEqual([expect.stringMatching(/^pme_100: /)]);
    // The pull did not finish, and a read says so and requests the event again.
    expect(hasFailed(listPulls(db), 'polymarket')).toBe(true);
    expect(await readOld(2)).toEqual({
      isRequested: true,
      notice: expect.stringMatching(/^Trading is over.*Polymarket cannot be reached/),
    });
    const refreshMarkets = () => null;
    const { notice } = (await browse({}, { now: at(2), refreshMarkets })).meta;
    expect(notice).toMatch(/^The last refresh of Polymarket did not finish/);
    db.exec("UPDATE market_event SET origin = 'starter'");
    expect((await readOld(2)).notice).toMatch(/Starter data.*; these .* because Polymarket cannot/);
  });

  it('is requested again by the next full pull, even if it has ended', async () => {
    const { standIn, pull } = await startPullsByHttp(db, [proposed, other]);
    await pull();
    standIn.events = [other];
    standIn.fault('/events/100', three({ kind: 'status', status: 500 }));
    expect(await pull(1)).toMatchObject({ reread: 0, missing: 0 });
    expect(await pull(2)).toMatchObject({ reread: 1, missing: 1 });
    expect(await readOld(3)).toEqual({
      isRequested: false,
      notice: expect.stringMatching(/^Polymarket no longer has the markets of this event/),
    });
  });

  it('comes last in the next pull of served events', async () => {
    const { standIn, pull } = await startPullsByHttp(db, [proposed, other]);
    await pull();
    const served = [keyOf(db, 100), keyOf(db, 101)];
    standIn.fault('/events/100', three({ kind: 'status', status: 500 }));
    await pull(1, { served });
    standIn.requests.length = 0;
    await pull(2, { served });
    expect(standIn.requests.map(({ path }) => path)).toEqual(['/events/101', '/events/100']);
  });
});
