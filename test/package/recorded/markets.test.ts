import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { classify } from '../../../src/areas/markets/scope.ts';
import type { VenueEvent } from '../../../src/areas/markets/sources/event-card.ts';
import { gammaEvent } from '../../../src/areas/markets/sources/polymarket-event.ts';
import { PULLS, readPull } from '../../pulls.ts';
import { pullOnce, readEvent, storedIds } from '../../unit/areas/markets/pulls.ts';
import { makeShelf, SHARED } from '../../unit/areas/markets/shelf.ts';
import { makeSource } from '../../unit/areas/markets/start-polymarket.ts';

const isFinance = (event: VenueEvent) => classify(event).outside === null;

/** Prices of the finance events of a recorded pull, by market and token. */
function pricesOf(wires: readonly unknown[]): Map<string, number> {
  const markets = wires
    .map((wire) => gammaEvent.parse(wire))
    .filter(isFinance)
    .flatMap((event) => event.markets);
  return new Map(
    markets.flatMap(({ market_card_id: id, outcomes }) =>
      outcomes.map((each) => [`${id} ${each.outcome_token_id}`, each.current_probability] as const),
    ),
  );
}

describe.skipIf(SHARED === undefined)('the two recorded pulls in their order', () => {
  let db: Database;
  beforeEach(() => {
    db = makeShelf();
  });
  afterEach(() => db.close());

  const recorded = () =>
    PULLS.map((file) => readPull(SHARED ?? '', file)).sort((a, b) => +a.at - +b.at);

  /** Reads every event: odds are those of the last pull that held them, moves those since the first. */
  async function countMoves(first: readonly unknown[], second: readonly unknown[]) {
    const [before, after] = [pricesOf(first), pricesOf(second)];
    let moves = 0;
    for (const id of storedIds(db)) {
      const { markets } = await readEvent(db, id);
      for (const { market_card_id, outcomes } of markets) {
        for (const { outcome_token_id, ...outcome } of outcomes) {
          const key = `${market_card_id} ${outcome_token_id}`;
          const [was, is] = [before.get(key), after.get(key) ?? before.get(key)];
          // Closed markets settle at 0 or 1, and some prices come from the book.
          if (is !== undefined) expect(outcome.current_probability).toBeCloseTo(is, 2);
          if (outcome.previous_probability === undefined || was === undefined) continue;
          expect(outcome.previous_probability).toBeCloseTo(was, 2);
          if (was !== is) moves += 1;
        }
      }
    }
    return moves;
  }

  it('update prices, close events, and keep events that vanished', async () => {
    const [first, second] = recorded();
    if (first === undefined || second === undefined) throw new Error('two pulls were recorded');
    const { standIn, venue } = await makeSource(first.wires);
    const run = (at: Date) => pullOnce({ db, venue, now: () => at });
    const finance = (wires: readonly unknown[]) =>
      wires
        .map((wire) => gammaEvent.parse(wire))
        .filter(isFinance)
        .map(({ sourceId }) => Number(sourceId));

    const one = await run(first.at);
    expect(one).toMatchObject({ faults: [], unreadable: 0 });
    expect(new Set(storedIds(db))).toEqual(new Set(finance(first.wires)));

    standIn.events = second.wires;
    const two = await run(second.at);
    expect(two).toMatchObject({ faults: [] });
    expect(two.changed).toBeGreaterThan(30);
    expect(new Set(storedIds(db))).toEqual(
      new Set([...finance(first.wires), ...finance(second.wires)]),
    );
    const lost = finance(first.wires).filter((id) => !finance(second.wires).includes(id));
    expect(two.missing).toBe(lost.length);
    const moved = db
      .prepare(`
        SELECT count(*) FROM market_event_prices p, json_each(p.history) h
        WHERE json_array_length(h.value, '$.past') > 0`)
      .pluck()
      .get();
    expect(Number(moved)).toBeGreaterThan(80);
    expect(await countMoves(first.wires, second.wires)).toBeGreaterThan(100);

    // Row by row as text, since matchers take seconds over so many objects.
    const dump = () =>
      ['market_event', 'market_event_tag', 'market_event_text'].flatMap((table) =>
        db
          .prepare(`SELECT * FROM ${table}`)
          .all()
          .map((row) => JSON.stringify(row)),
      );
    const before = dump();
    expect(await run(new Date(second.at.getTime() + 60_000))).toMatchObject({
      added: 0,
      changed: 0,
    });
    expect(dump()).toEqual(before);

    // What vanished is asked for again a day later: then it is gone, with the odds that it had.
    const late = new Date(second.at.getTime() + 25 * 3_600_000);
    const past = await Promise.all(lost.map((id) => readEvent(db, id)));
    expect(await run(late)).toMatchObject({ missing: lost.length });
    for (const [index, id] of lost.entries()) {
      const now = await readEvent(db, id);
      const odds = (card: typeof now) => card.markets.map(({ outcomes }) => outcomes);
      expect(now).toMatchObject({ coverage_status: 'stale', synced_at: past[index]?.synced_at });
      expect(now.status).toBe(past[index]?.status === 'closed' ? 'closed' : 'inactive');
      expect(odds(now)).toEqual(past[index] && odds(past[index]));
    }
  });
});
