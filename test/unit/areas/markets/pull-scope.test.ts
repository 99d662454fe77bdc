import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeWireEvent } from '../../../stand-ins/polymarket.ts';
import { at, readEvent, startPulls } from './pulls.ts';
import { event, keyOf, makeShelf, put } from './shelf.ts';

let db: Database;
beforeEach(() => {
  db = makeShelf();
});
afterEach(() => db.close());

const closed = (id: number, more: object) => makeWireEvent({ id, closed: true, ...more });
const asked = (requests: readonly { path: string }[], part: string) =>
  requests.filter(({ path }) => path.includes(part)).length;

describe('closed events', () => {
  it('that reopen are taken back, through a list or asked for alone', async () => {
    const past = { endDate: '2026-11-10T00:00:00Z', closedTime: '2026-11-11T00:00:00Z' };
    const { standIn, pull } = await startPulls(db, [
      makeWireEvent(),
      closed(1, past),
      closed(2, { ...past, tagSlugs: ['gold'] }),
    ]);
    expect(await pull()).toMatchObject({ added: 3 });
    standIn.events = [
      makeWireEvent(),
      makeWireEvent({ id: 1 }),
      makeWireEvent({ id: 2, tagSlugs: ['gold'] }),
    ];
    // The list of one of them is refused, as that of a tag that is no more.
    standIn.fault('tag_slug=gold', [{ kind: 'status', status: 422 }]);
    expect(await pull(1)).toMatchObject({ changed: 2, reread: 1 });
    const open = await readEvent(db, 2, 1);
    expect(open).toMatchObject({ status: 'active' });
    expect(open).not.toHaveProperty('closed_time');
  });

  it('that vanish are asked for: closed they stay, but stale', async () => {
    const past = { endDate: '2026-11-10T00:00:00Z', closedTime: '2026-11-11T00:00:00Z' };
    const old = event({ id: '2', status: 'closed', closed_time: '2026-01-01T00:00:00.000Z' });
    const { standIn, pull } = await startPulls(db, [makeWireEvent(), closed(1, past)]);
    await pull();
    put(db, [old], at(-1).toISOString());
    standIn.events = [makeWireEvent()];
    expect(await pull(1)).toMatchObject({ missing: 1 });
    expect(await pull(26)).toMatchObject({ missing: 1 });
    expect(await readEvent(db, 1, 26)).toMatchObject({
      ...{ status: 'closed', coverage_status: 'stale', closed_time: '2026-11-11T00:00:00.000Z' },
      markets: [{ status: 'active' }],
    });
    // What closed long ago is in no list any more, and nobody asks for it.
    expect(asked(standIn.requests, '/events/2')).toBe(0);
  });
});

it('a pull of what was served asks for that alone, and leaves the moment of the rest', async () => {
  const { standIn, pull } = await startPulls(
    db,
    [7, 8, 9].map((id) => makeWireEvent({ id })),
  );
  await pull();
  standIn.requests.length = 0;
  const served = [7, 9].map((id) => keyOf(db, id));
  expect(await pull(1, { served })).toMatchObject({ unchanged: 2, reread: 2 });
  expect(standIn.requests.map(({ path }) => path)).toEqual(['/events/7', '/events/9']);
  const moments = [7, 8, 9].map((id) => readEvent(db, id, 1));
  expect((await Promise.all(moments)).map(({ synced_at }) => synced_at)).toEqual(
    [1, 0, 1].map((hour) => at(hour).toISOString()),
  );
});

it('events that cannot be read are asked for after all others', async () => {
  const { standIn, pull } = await startPulls(
    db,
    Array.from({ length: 210 }, (_, index) => makeWireEvent({ id: index + 1 })),
  );
  await pull();
  standIn.events = [makeWireEvent({ id: 300 })];
  // All but the last ten are permanently unreadable.
  standIn.fault(
    (path) => /^\/events\/\d+$/.test(path) && Number(path.slice(8)) <= 200,
    Array.from({ length: 400 }, () => ({ kind: 'html' }) as const),
  );
  expect(await pull(1)).toMatchObject({ reread: 0, missing: 0 });
  expect(await pull(2)).toMatchObject({ missing: 10 });
});
