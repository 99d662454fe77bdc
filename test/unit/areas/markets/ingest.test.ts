import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { storeSeenEvents } from '../../../../src/areas/markets/ingest.ts';
import { marketMigrations } from '../../../../src/areas/markets/tables.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { openForWriting } from '../../../../src/store/open.ts';
import { Database as Sqlite } from '../../../../src/store/sqlite.ts';
import { temporaryDirectory } from '../../../temporary.ts';
import { browse, db, read as readShelf, useFreshShelves } from './fresh-shelf.ts';
import { event, market, NOW, put, SEEN_AT } from './shelf.ts';

useFreshShelves();

const read = async (id?: string) => (await readShelf(id)).data;
const count = async (input: object) => (await browse(input)).data.count;

it('an event gets the same id on every machine', async () => {
  put(db, [event({ id: '16085' })]);
  // Computed independently, with Python's uuid.uuid5 and the same namespace.
  expect((await read('pme_16085')).event_card_id).toBe('2841b620-6e60-568f-8237-a9a72ca94fcf');
});

it('events with the same number at two venues stay separate', async () => {
  const other = { source: 'kalshi', alias: 'kalshi:100', url: 'https://kalshi.com/100' } as const;
  put(db, [event(), { ...event({ title: 'Of another venue' }), ...other }]);
  expect(await read('kalshi:100')).toMatchObject({ ...other, title: 'Of another venue' });
  expect(await read()).toMatchObject({ source: 'polymarket', title: 'An event' });
  expect((await read('kalshi:100')).event_card_id).not.toBe((await read()).event_card_id);
});

it('an ingest replaces a stored event completely: prices, markets and words', async () => {
  const markets = [market(), market({ market_card_id: 'pmm_7' })];
  put(db, [event({ title: 'Bitcoin up?', tags: ['crypto'], markets })]);
  const before = await read();
  const moved = [market({ prices: [0.9, 0.1] })];
  put(db, [event({ title: 'Ether up?', tags: ['crypto', 'defi'], markets: moved })]);
  const after = await read();
  expect(after.event_card_id).toBe(before.event_card_id);
  expect(after.market_count).toBe(1);
  expect(after.markets[0]?.outcomes[0]?.current_probability).toBe(0.9);
  expect(await count({ q: 'bitcoin' })).toBe(0);
  expect(await count({ asset: 'BTC' })).toBe(0);
  expect(await count({ asset: 'ETH' })).toBe(1);
  expect(await count({ tag: 'defi' })).toBe(1);
});

it('an event can be stored even if a newer version has added columns to its tables', async () => {
  for (const kind of ['text', 'tag', 'asset', 'strike']) {
    db.exec(`ALTER TABLE market_event_${kind} ADD COLUMN later TEXT`);
  }
  const markets = [market({ strike: '>1', end_time: SEEN_AT })];
  put(db, [event({ title: 'Bitcoin up?', tags: ['crypto'], markets })]);
  expect(await count({ asset: 'BTC', tag: 'crypto', q: 'bitcoin' })).toBe(1);
  expect(db.prepare('SELECT strike FROM market_event_strike').all()).toHaveLength(1);
});

it('an event that arrives closed without a closing time keeps the time at which it was first seen closed', async () => {
  put(db, [event()]);
  put(db, [event({ status: 'closed' })]);
  const closed = await read();
  expect(closed).toMatchObject({ status: 'closed', closed_time: '2026-11-21T11:50:00.000Z' });
  put(db, [event({ status: 'closed' })], '2026-11-21T11:55:00.000Z');
  expect((await read()).closed_time).toBe(closed.closed_time);
});

it('other processes can write while a page of events is stored', async () => {
  const path = join(temporaryDirectory(), 'store.sqlite');
  const store = openForWriting(path);
  migrate(store, marketMigrations, NOW);
  // Another process that does not wait for locks, and so would fail under one.
  const other = new Sqlite(path, { timeout: 0 });
  other.exec('CREATE TABLE turn (events INTEGER)');
  const events = Array.from({ length: 50 }, (_, index) => event({ id: String(index + 1) }));
  let isOver = false;
  const storing = storeSeenEvents(store, events, NOW).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    other.exec('INSERT INTO turn SELECT count(*) FROM market_event');
    await delay(0);
  }
  expect(await storing).toMatchObject({ added: 50 });
  const turns = other.prepare('SELECT DISTINCT events FROM turn').pluck().all();
  expect(turns.length).toBeGreaterThan(4);
  other.close();
  store.close();
});
