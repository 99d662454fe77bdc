import { describe, expect, it } from 'vitest';
import { insertEvents } from '../../../../scripts/starter/events.ts';
import { listUnembeddedEvents, storeEventVector } from '../../../../src/areas/markets/ingest.ts';
import { summariseMarkets } from '../../../../src/areas/markets/queries.ts';
import { makeWireEvent, makeWireMarket, type WireEvent } from '../../../stand-ins/polymarket.ts';
import { axis } from '../../../vectors.ts';
import { browse, db, useFreshShelves } from './fresh-shelf.ts';
import { at, readEvent, startPulls, storedIds } from './pulls.ts';
import { delivery, event, keyOf, market, put } from './shelf.ts';

useFreshShelves();

const start = (events: readonly WireEvent[]) => startPulls(db, events);
const read = (id?: number, hours?: number) => readEvent(db, id, hours);
const ids = () => storedIds(db);
const changes = () => Number(db.prepare('SELECT total_changes()').pluck().get());

describe('a pull', () => {
  it('stores only finance events, and updates only the time of unchanged ones', async () => {
    const { pull } = await start([
      makeWireEvent(),
      makeWireEvent({ id: 101, tagSlugs: ['crypto', 'sports'] }),
      makeWireEvent({ id: 102, tagSlugs: ['crypto'], slug: 'btc-updown-5m-1763725800' }),
      makeWireEvent({ id: 103, closed: true }),
    ]);
    expect(await pull()).toMatchObject({ added: 2, outside: 2, faults: [] });
    expect(ids()).toEqual([100, 103]);
    const before = changes();
    expect(await pull(1)).toMatchObject({ added: 0, changed: 0, unchanged: 2 });
    // The times of the two events, the start and end of the pull, and nothing else.
    expect(changes() - before).toBe(2 + 2);
    expect((await read(100, 1)).synced_at).toBe(at(1).toISOString());
  });

  it('records the odds before the last change, the odds a day and a week ago, and the closing odds of 14 days', async () => {
    const { standIn, pull } = await start([makeWireEvent({ prices: [0.1] })]);
    await pull();
    expect((await read()).markets[0]?.outcomes[0]).not.toHaveProperty('previous_probability');
    // From noon on, twice a day for twenty days.
    for (let half = 1; half < 40; half += 1) {
      standIn.events = [makeWireEvent({ prices: [(100 + half) / 1_000] })];
      await pull(half * 12, { served: [keyOf(db, 100)] });
    }
    const [market] = (await read(100, 39 * 12)).markets;
    expect(market?.outcomes[0]).toMatchObject({
      current_probability: 0.139,
      previous_probability: 0.138,
      previous_at: at(38 * 12).toISOString(),
      day_ago_probability: 0.137,
      week_ago_probability: expect.closeTo(0.125, 2),
    });
    const days = market?.history ?? [];
    expect(days[0]).toEqual({ date: '2026-11-28', odds: 0.114 });
    expect(days.at(-1)).toEqual({ date: '2026-12-11', odds: 0.139 });
    const numbers = days.map(({ date }) => Number(date.slice(8)));
    expect(numbers).toEqual([28, 29, 30, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('replaces bundled events, and keeps updating stored events that have left the scope', async () => {
    const facts = event({ id: '100', title: 'Old' });
    insertEvents(db, [
      { ...delivery(facts, '2025-06-24T00:00:00.000Z'), origin: 'starter' },
      { ...delivery(event({ id: '5' }), '2025-06-24T00:00:00.000Z'), origin: 'starter' },
    ]);
    const { standIn, pull } = await start([makeWireEvent()]);
    expect(await pull()).toMatchObject({ changed: 1, missing: 1 });
    expect(await read()).toMatchObject({
      title: 'Question 100 of the stand-in',
      coverage_status: 'complete',
    });
    expect(await read(5)).toMatchObject({ status: 'inactive', coverage_status: 'stale' });
    standIn.events = [makeWireEvent({ tagSlugs: ['economy', 'sports'], prices: [0.9] })];
    expect(await pull(26)).toMatchObject({ changed: 1 });
    expect((await read(100, 26)).markets[0]?.outcomes[0]?.current_probability).toBe(0.9);
  });

  it('queues an event for a new vector only if its words change', async () => {
    const { standIn, pull } = await start([makeWireEvent({ prices: [0.3, 0.4] })]);
    await pull();
    const [due] = listUnembeddedEvents(db, 10);
    expect(due?.text).toContain('Question 100');
    const { id = 0, wordsHash = '' } = due ?? {};
    storeEventVector(db, { id, wordsHash: 'other' }, axis(0));
    expect(listUnembeddedEvents(db, 10)).toHaveLength(1);
    storeEventVector(db, { id, wordsHash }, axis(0));
    expect(listUnembeddedEvents(db, 10)).toEqual([]);
    const turned = makeWireEvent({ prices: [0.5, 0.4], liquidity: 9 });
    standIn.events = [{ ...turned, markets: [turned.markets].flat().reverse() }];
    expect(await pull(1)).toMatchObject({ changed: 1 });
    expect(listUnembeddedEvents(db, 10)).toEqual([]);
    standIn.events = [makeWireEvent({ title: 'Other words' })];
    await pull(2);
    expect(listUnembeddedEvents(db, 10)).toHaveLength(1);
  });
});

/** Stays open throughout, since a venue with empty lists counts as faulty. */
const OTHER = makeWireEvent({ id: 101 });

/** A first pull of these events, and later pulls of the venue's events at that time. */
async function sync(...events: WireEvent[]) {
  const { standIn, pull } = await start([...events, OTHER]);
  await pull();
  const pullAgain = (hours: number, ...later: WireEvent[]) => {
    standIn.events = [...later, OTHER];
    return pull(hours);
  };
  return { standIn, pull: pullAgain };
}

describe('a stored event', () => {
  it('keeps its markets if a list sends it without them, and is fetched singly', async () => {
    const empty = makeWireEvent({ markets: [] });
    const { standIn, pull } = await sync(makeWireEvent());
    const body = JSON.stringify({ events: [empty, OTHER] });
    standIn.fault('closed=false&tag_id=100328', [{ kind: 'body', body }]);
    expect(await pull(1, makeWireEvent())).toMatchObject({ unreadable: 1, reread: 1, missing: 0 });
    expect(await read(100, 1)).toMatchObject({ status: 'active', synced_at: at(1).toISOString() });
    // Without markets even when fetched singly, it counts as unknown to the venue.
    expect(await pull(2, empty)).toMatchObject({ unreadable: 1, reread: 1, missing: 1 });
    expect(await read(100, 2)).toMatchObject({
      status: 'inactive',
      coverage_status: 'stale',
      markets: [{ status: 'inactive' }],
    });
  });

  it('keeps its stored markets, by which it is found, if it arrives closed without any', async () => {
    const markets = [makeWireMarket(1, 0.3, { question: 'Will Nvidia fall?' })];
    const { pull } = await sync(makeWireEvent({ markets }));
    const { volume } = await read(100, 0);
    const closedTime = '2026-11-20T10:00:00Z';
    const ended = makeWireEvent({ markets: [], closed: true, closedTime, volume: null });
    expect(await pull(1, ended)).toMatchObject({ unreadable: 0, missing: 0 });
    expect(await read(100, 1)).toMatchObject({
      status: 'closed',
      closed_time: '2026-11-20T10:00:00.000Z',
      coverage_status: 'complete',
      volume,
      settlement: { status: 'ended' },
      markets: [{ status: 'closed' }],
    });
    const { data } = await browse({ asset: 'NVDA', status: 'closed' }, { now: at(1) });
    expect(data.count).toBe(1);
  });

  it('keeps its results and is inactive while its venue no longer has it', async () => {
    const markets = [makeWireMarket(1, 1, { closed: true }), makeWireMarket(2, 0.4)];
    const { pull } = await sync(makeWireEvent({ markets }));
    expect(await pull(1)).toMatchObject({ missing: 1 });
    const card = await read(100, 1);
    expect(card).toMatchObject({ status: 'inactive', coverage_status: 'stale' });
    const states = card.markets.map(({ market_card_id, status, settlement }) =>
      [market_card_id, status, settlement?.winning_outcome].join(' '),
    );
    expect(states.sort()).toEqual(['pmm_1 closed Yes', 'pmm_2 inactive ']);
    // It is listed and counted under its real status.
    const { data } = await browse({ status: 'inactive' }, { now: at(1) });
    expect(data.events.map(({ alias }) => alias)).toEqual(['pme_100']);
    expect(summariseMarkets(db)).toMatchObject({ active: 1, closed: 0 });
    await pull(27, makeWireEvent());
    expect(await read(100, 27)).toMatchObject({
      status: 'active',
      coverage_status: 'complete',
      markets: [{ status: 'active' }, { status: 'closed' }],
    });
  });
});

describe('a closed event', () => {
  const past = { endDate: '2026-11-10T00:00:00Z', closedTime: '2026-11-11T00:00:00Z' };
  const closed = makeWireEvent({ id: 1, closed: true, tagSlugs: ['gold'], ...past });

  it('is reopened by a separate request if its list is refused', async () => {
    const { standIn, pull } = await sync(closed);
    standIn.fault('tag_slug=gold', [{ kind: 'status', status: 422 }]);
    expect(await pull(1, makeWireEvent({ id: 1, tagSlugs: ['gold'] }))).toMatchObject({
      changed: 1,
      reread: 1,
      faults: [],
      warnings: ['open events tagged gold: Polymarket rejected the request.'],
    });
    const open = await read(1, 1);
    expect(open).toMatchObject({ status: 'active' });
    expect(open).not.toHaveProperty('closed_time');
  });

  it('stays closed if its venue no longer has it, and is requested daily only if it has no result', async () => {
    const long = { status: 'closed', closed_time: '2026-01-01T00:00:00.000Z' } as const;
    const result = { status: 'settled', value: 1, winning_outcome: 'Yes' } as const;
    const old = event({ id: '2', ...long, markets: [market({ settlement: result })] });
    const { standIn, pull } = await sync(closed);
    put(db, [old, event({ id: '3', ...long })], at(-1).toISOString());
    expect(await pull(1)).toMatchObject({ missing: 1 });
    expect(await pull(26)).toMatchObject({ missing: 2 });
    expect(await read(1, 26)).toMatchObject({
      status: 'closed',
      coverage_status: 'stale',
      closed_time: '2026-11-11T00:00:00.000Z',
      markets: [{ status: 'inactive', settlement: { status: 'ended' } }],
    });
    // Of those closed long ago, only one without a result is requested, once a day.
    await pull(27);
    const paths = standIn.requests.map(({ path }) => path);
    expect(paths).not.toContain('/events/2');
    expect(paths.filter((path) => path === '/events/3')).toHaveLength(1);
  });
});

it('a pull of served events requests and updates no other events', async () => {
  const { standIn, pull } = await start([7, 8, 9].map((id) => makeWireEvent({ id })));
  await pull();
  standIn.requests.length = 0;
  const served = [7, 9].map((id) => keyOf(db, id));
  expect(await pull(1, { served })).toMatchObject({ unchanged: 2, reread: 2 });
  expect(standIn.requests.map(({ path }) => path)).toEqual(['/events/7', '/events/9']);
  const moments = [7, 8, 9].map((id) => read(id, 1));
  expect((await Promise.all(moments)).map(({ synced_at }) => synced_at)).toEqual(
    [1, 0, 1].map((hour) => at(hour).toISOString()),
  );
});

it('a pull with unreadable events is complete and warns of each, and the next pull requests them last', async () => {
  const { standIn, pull } = await start(
    Array.from({ length: 210 }, (_, index) => makeWireEvent({ id: index + 1 })),
  );
  await pull();
  standIn.events = [makeWireEvent({ id: 300 })];
  // All but the last ten are permanently unreadable.
  standIn.fault(
    (path) => /^\/events\/\d+$/.test(path) && Number(path.slice(8)) <= 200,
    Array.from({ length: 400 }, () => ({ kind: 'html' }) as const),
  );
  const { faults, warnings, missing } = await pull(1);
  expect([faults, warnings.length, missing]).toEqual([[], 200, 0]);
  expect(warnings[0]).toMatch(/^pme_\d+: /);
  expect(await pull(2)).toMatchObject({ missing: 10 });
});
