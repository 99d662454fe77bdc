import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  predictionMarketEventBrowse,
  predictionMarketEventRead,
  predictionMarketEventSearch,
} from '../../../../src/areas/markets/operations.ts';
import { makeWireEvent, makeWireMarket } from '../../../stand-ins/polymarket.ts';
import { readEvent, startPulls, storedIds } from './pulls.ts';
import { answer, makeShelf, SHARED } from './shelf.ts';

let db: Database;
beforeEach(() => {
  db = makeShelf();
});
afterEach(() => db.close());

describe('a closed event', () => {
  const settled = (id: number, price: number) =>
    makeWireMarket(id, price, { closed: true, acceptingOrders: false });
  const closed = (id: number, prices: readonly number[]) =>
    makeWireEvent({
      id,
      title: 'Will rates be cut?',
      closed: true,
      closedTime: '2026-11-20T10:00:00Z',
      markets: prices.map((price, index) => settled(id * 1_000 + index, price)),
    });
  const notice = async (id: number) => {
    const input = { event_card_id: `pme_${id}` };
    return (await answer(db, predictionMarketEventRead, input)).meta.notice;
  };

  it('says what it settled at, or that this is not stored', async () => {
    const { pull } = await startPulls(db, [
      closed(101, [1]),
      closed(102, [0, 1]),
      closed(103, [0.37]),
      closed(104, [1, 0.37, 0.4]),
    ]);
    await pull();
    expect((await readEvent(db, 102)).markets.map((each) => each.winning_outcome)).toEqual([
      'No',
      'Yes',
    ]);
    expect(await notice(101)).toMatch(/^Closed 2026-11-20: winning_outcome is the result/);
    expect(await notice(103)).toMatch(/^Closed 2026-11-20: the result of one market is not stored/);
    expect(await notice(104)).toMatch(/^Closed 2026-11-20: the result of 2 markets is not stored/);
    const { data, meta } = await answer(db, predictionMarketEventBrowse, { status: 'closed' });
    const card = data.events.find(({ alias }) => alias === 'pme_101');
    expect(card?.markets[0]?.winning_outcome).toBe('Yes');
    expect(meta.notice).toBe('Closed, but the result is not stored: pme_104, pme_103.');
  });

  it('says that older odds are not stored, and so does a search of a past window', async () => {
    const { pull } = await startPulls(db, [closed(101, [1]), closed(102, [0]), makeWireEvent()]);
    await pull();
    expect(await notice(101)).toContain('no history of odds');
    const window = { start_time: '2026-11-19T00:00:00Z', end_time: '2026-11-21T00:00:00Z' };
    const search = await answer(db, predictionMarketEventSearch, { query: 'rates', ...window });
    expect(search.meta.notice).toMatch(/no history of odds/i);
    const open = { start_time: '2026-12-01T00:00:00Z', end_time: '2027-01-01T00:00:00Z' };
    const ahead = await answer(db, predictionMarketEventSearch, { query: 'question', ...open });
    expect(ahead.data.count).toBe(1);
    expect(ahead.meta.notice ?? '').not.toMatch(/history of odds/i);
  });
});

describe('a card', () => {
  it('has no description where the source gives a quoted nothing', async () => {
    const { pull } = await startPulls(db, [makeWireEvent({ description: ' "" ' })]);
    await pull();
    expect((await readEvent(db)).description).toBeNull();
  });
});

describe.skipIf(SHARED === undefined)('recorded events', () => {
  const file = join(SHARED ?? '', 'data', 'markets', 'gamma-events-100-b.json');
  const wire = z.array(z.looseObject({ id: z.string() }));

  beforeEach(async () => {
    const { pull } = await startPulls(db, wire.parse(JSON.parse(readFileSync(file, 'utf8'))));
    await pull();
  });

  it('show their ladders in the order of the outcomes', async () => {
    const labels = async (id: number) =>
      (await readEvent(db, id)).markets.map((each) => each.group_label);
    expect(await labels(16085)).toEqual(
      ['0', 25, 50, 75, 100, 125, 150, 175]
        .map((points, cuts) => (cuts === 0 ? '0' : `${cuts} (${points} bps)`))
        .concat('8 or more (200+ bps)'),
    );
    const bitcoin = await labels(16096);
    const prices = bitcoin.map((label) => Number(label?.replace(/[$,]/g, '')));
    expect(prices).toEqual(prices.toSorted((a, b) => b - a));
  });

  it('show no tags that are marks for machines', async () => {
    const { tags } = await readEvent(db, 16092);
    expect(tags).toContain('economic-policy');
    expect(tags).not.toContain('xtrd-1');
    expect(tags).not.toContain('macro-graph');
  });

  it('are not stored where they are contests of AI models', () => {
    expect(storedIds(db)).toContain(16087);
    expect(storedIds(db)).not.toContain(16094);
    expect(storedIds(db)).not.toContain(16095);
  });
});
