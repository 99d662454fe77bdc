import { expect, it, onTestFinished } from 'vitest';
import { classify } from '../../../src/areas/markets/scope.ts';
import { gammaEvent } from '../../../src/areas/markets/sources/polymarket-event.ts';
import { PULLS, readPull } from '../../pulls.ts';
import { describeShared } from '../../shared.ts';
import { pullOnce, readEvent, storedIds } from '../../unit/areas/markets/pulls.ts';
import { makeShelf } from '../../unit/areas/markets/shelf.ts';
import { makeSource } from '../../unit/areas/markets/start-polymarket.ts';

const listFinance = (wires: readonly unknown[]) =>
  wires.map((wire) => gammaEvent.parse(wire)).filter((event) => classify(event).isFinance);

/** Prices of the finance events of a recorded pull, by market and token. */
function pricesOf(wires: readonly unknown[]): Map<string, number> {
  const markets = listFinance(wires).flatMap((event) => event.markets);
  return new Map(
    markets.flatMap(({ market_card_id: id, outcomes }) =>
      outcomes.map((each) => [`${id} ${each.outcome_token_id}`, each.current_probability] as const),
    ),
  );
}

describeShared('the two recorded pulls, applied in order', 'data/markets', (folder) => {
  it('update prices, store new events, and keep events that have vanished', async () => {
    const db = makeShelf();
    onTestFinished(() => void db.close());
    const recorded = PULLS.map((file) => readPull(folder, file));
    const [first, second] = recorded.sort((a, b) => +a.at - +b.at);
    if (first === undefined || second === undefined) throw new Error('two pulls were recorded');
    const { standIn, venue } = await makeSource(first.wires);
    const run = (at: Date) => pullOnce({ db, venue, now: () => at });
    const idsOf = (wires: readonly unknown[]) =>
      listFinance(wires).map(({ sourceId }) => Number(sourceId));
    const [before, after] = [idsOf(first.wires), idsOf(second.wires)];

    expect(await run(first.at)).toMatchObject({ faults: [], unreadable: 0 });
    expect(new Set(storedIds(db))).toEqual(new Set(before));

    standIn.events = second.wires;
    const two = await run(second.at);
    expect(two).toMatchObject({ faults: [] });
    expect(two.changed).toBeGreaterThan(30);
    expect(new Set(storedIds(db))).toEqual(new Set([...before, ...after]));
    const lost = before.filter((id) => !after.includes(id));
    expect(two.missing).toBe(lost.length);

    // Odds come from the last pull that had the event, moves from the first.
    const [was, is] = [pricesOf(first.wires), pricesOf(second.wires)];
    let moves = 0;
    for (const id of storedIds(db)) {
      for (const { market_card_id, outcomes } of (await readEvent(db, id)).markets) {
        for (const { outcome_token_id, ...outcome } of outcomes) {
          const key = `${market_card_id} ${outcome_token_id}`;
          const price = is.get(key) ?? was.get(key);
          // Closed markets settle at 0 or 1, and some prices come from the book.
          if (price !== undefined) expect(outcome.current_probability).toBeCloseTo(price, 2);
          const earlier = was.get(key);
          if (outcome.previous_probability === undefined || earlier === undefined) continue;
          expect(outcome.previous_probability).toBeCloseTo(earlier, 2);
          if (earlier !== price) moves += 1;
        }
      }
    }
    expect(moves).toBeGreaterThan(100);

    const again = await run(new Date(second.at.getTime() + 60_000));
    expect(again).toMatchObject({ added: 0, changed: 0 });
  });
});
