import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { PULLS, readPull } from '../../../scripts/starter/extract-events.ts';
import { pullEvents } from '../../../src/areas/markets/pull.ts';
import { isFinance } from '../../../src/areas/markets/scope.ts';
import { parseGammaEvent } from '../../../src/areas/markets/source.ts';
import { makeShelf, SHARED } from './shelf.ts';
import { startSource } from './start-polymarket.ts';

const wireEvents = z.array(z.looseObject({ id: z.string() }));

describe.skipIf(SHARED === undefined)('the two recorded pulls in their order', () => {
  let db: Database;
  beforeEach(() => {
    db = makeShelf();
  });
  afterEach(() => db.close());

  const recorded = () =>
    PULLS.map((file) => readPull(SHARED ?? '', file))
      .sort((a, b) => (a.pulledAt < b.pulledAt ? -1 : 1))
      .map(({ pulledAt, events }) => ({ at: new Date(pulledAt), wires: wireEvents.parse(events) }));

  it('move prices, close, and leave what vanished in its place', async () => {
    const [first, second] = recorded();
    if (first === undefined || second === undefined) throw new Error('two pulls were recorded');
    const { standIn, source } = await startSource(first.wires);
    const run = (at: Date) => pullEvents({ db, source, now: () => at });
    const finance = (wires: readonly unknown[]) =>
      wires
        .map(parseGammaEvent)
        .filter(isFinance)
        .map(({ id }) => Number(id));
    const held = () => db.prepare('SELECT id FROM market_event').pluck().all();

    const one = await run(first.at);
    expect(one).toMatchObject({ whole: true, faults: [], unreadable: 0, removed: 0 });
    expect(new Set(held())).toEqual(new Set(finance(first.wires)));

    standIn.events = second.wires;
    const two = await run(second.at);
    expect(two).toMatchObject({ whole: true, faults: [], removed: 0 });
    expect(two.changed).toBeGreaterThan(30);
    expect(new Set(held())).toEqual(new Set([...finance(first.wires), ...finance(second.wires)]));
    const lost = finance(first.wires).filter((id) => !finance(second.wires).includes(id));
    expect(two.missing).toBe(lost.length);
    const moved = db.prepare('SELECT count(*) FROM market WHERE past IS NOT NULL').pluck().get();
    expect(Number(moved)).toBeGreaterThan(100);

    const dump = () =>
      ['market', 'market_event_sight', 'market_event_tag', 'market_event_text'].map((table) =>
        db.prepare(`SELECT * FROM ${table}`).all(),
      );
    const before = dump();
    expect(await run(new Date(second.at.getTime() + 60_000))).toMatchObject({
      added: 0,
      changed: 0,
    });
    expect(dump()).toEqual(before);
  });

  it('close one event and leave the others as they are', async () => {
    const [first] = recorded();
    if (first === undefined) throw new Error('two pulls were recorded');
    const { standIn, source } = await startSource(first.wires);
    await pullEvents({ db, source, now: () => first.at });
    const closing = first.wires.find((wire) => isFinance(parseGammaEvent(wire)));
    standIn.events = first.wires.map((wire) =>
      wire.id === closing?.id ? { ...wire, closed: true } : wire,
    );
    const later = new Date(first.at.getTime() + 60_000);
    const summary = await pullEvents({ db, source, now: () => later });
    expect(summary).toMatchObject({ changed: 1, whole: true });
    const status = db.prepare('SELECT status FROM market_event WHERE id = ?').pluck();
    expect(status.get(Number(closing?.id))).toBe('closed');
  });
});
