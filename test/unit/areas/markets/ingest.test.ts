import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { insertEvents } from '../../../../scripts/starter/insert-events.ts';
import { cardIdOf } from '../../../../src/areas/markets/event-ids.ts';
import {
  predictionMarketEventBrowse,
  predictionMarketEventRead,
} from '../../../../src/areas/markets/operations.ts';
import { DIMENSIONS } from '../../../../src/search/float32.ts';
import { answer, delivery, event, makeShelf, market, put } from './shelf.ts';

let db: Database;
beforeEach(() => {
  db = makeShelf();
});
afterEach(() => db.close());

const read = async (event_card_id = 'pme_100') =>
  (await answer(db, predictionMarketEventRead, { event_card_id })).data;
const count = async (input: object) =>
  (await answer(db, predictionMarketEventBrowse, input)).data.count;
/** Everything that the store holds, but for the search index's own tables. */
const dump = () =>
  ['market_event', 'market_event_text', 'market_event_tag', 'market_event_asset', 'market'].map(
    (table) => db.prepare(`SELECT * FROM ${table}`).all(),
  );

it('gives an event the same id on every machine', () => {
  // Computed apart, with Python's uuid.uuid5 over the same namespace.
  expect(cardIdOf(16085)).toBe('2841b620-6e60-568f-8237-a9a72ca94fcf');
});

it('takes a delivery twice without a trace', () => {
  const facts = [event({ tags: ['crypto', 'bitcoin'] }), event({ id: '101', closed: true })];
  put(db, facts);
  const once = dump();
  put(db, facts);
  expect(dump()).toEqual(once);
});

it('replaces a known event whole: prices move, markets and words come and go', async () => {
  put(db, [
    event({ title: 'Bitcoin up?', tags: ['crypto'], markets: [market(), market({ id: '7' })] }),
  ]);
  const before = await read();
  put(db, [
    event({
      title: 'Ether up?',
      tags: ['crypto', 'defi'],
      markets: [market({ prices: [0.9, 0.1] })],
    }),
  ]);
  const after = await read();
  expect(after.event_card_id).toBe(before.event_card_id);
  expect(after.market_count).toBe(1);
  expect(after.markets[0]?.outcomes[0]?.current_probability).toBe(0.9);
  expect(await count({ q: 'bitcoin' })).toBe(0);
  expect(await count({ asset: 'BTC' })).toBe(0);
  expect(await count({ asset: 'ETH' })).toBe(1);
  expect(await count({ tag: 'defi' })).toBe(1);
});

it('moves an event through its states, and back when the source reopens it', async () => {
  put(db, [event()]);
  put(db, [event({ closed: true })]);
  const closed = await read();
  expect(closed).toMatchObject({ status: 'closed', closed_time: '2026-11-21T11:50:00.000Z' });
  // No time of closing was told: the first sight stays, however often it is seen again.
  put(db, [event({ closed: true })], '2026-11-21T11:55:00.000Z');
  expect((await read()).closed_time).toBe(closed.closed_time);
  put(db, [event()]);
  const open = await read();
  expect(open.status).toBe('active');
  expect(open).not.toHaveProperty('closed_time');
});

it('keeps one market that two events share', async () => {
  put(db, [event(), event({ id: '101' })]);
  expect((await read()).markets).toEqual((await read('pme_101')).markets);
});

it('takes all events of a call or none', () => {
  const bad = { ...delivery(event({ id: '101' })), vector: new Float32Array(DIMENSIONS) };
  expect(() => insertEvents(db, [delivery(event()), bad])).toThrow('unit length');
  expect(dump().flat()).toEqual([]);
});
