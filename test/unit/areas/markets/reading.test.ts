import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { makeWireEvent, makeWireMarket } from '../../../stand-ins/polymarket.ts';
import { readEvent, startPulls, storedIds } from './pulls.ts';
import { makeShelf, SHARED } from './shelf.ts';

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

  it('says what each market settled at, where that is stored', async () => {
    const { pull } = await startPulls(db, [closed(101, [0, 1, 0.37])]);
    await pull();
    const winners = (await readEvent(db, 101)).markets.map((each) => each.winning_outcome);
    expect(winners).toEqual(['No', 'Yes', undefined]);
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
