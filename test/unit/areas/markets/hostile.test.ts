import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeWireEvent, type WireEvent } from '../../../stand-ins/polymarket.ts';
import { at, readEvent, startPulls } from './pulls.ts';
import { makeShelf } from './shelf.ts';

type Shelf = ReturnType<typeof makeShelf>;

const far = fc.constantFrom('0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z', 'never', null);
const amount = fc.constantFrom('1e300', '-5', 'NaN', 0, null);
const flag = fc.boolean();
const some = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { requiredKeys: [] });

const both = { closed: flag, active: flag, archived: flag, closedTime: far, volume: amount };
/** Changes to an event and its markets. */
const changes = fc.record({
  event: some({
    ...both,
    endDate: far,
    liquidity: amount,
    title: fc.constantFrom('', 'x', 'y'.repeat(3_000)),
  }),
  market: some({
    ...both,
    acceptingOrders: flag,
    umaResolutionStatus: fc.constantFrom('resolved', 'disputed', 'proposed'),
    outcomePrices: fc.constantFrom('["1", "0"]', '["0", "1"]', '["7", "-6"]', '[]'),
  }),
  isBare: flag,
});

const GOOD = [1, 2, 3].map((id) => makeWireEvent({ id, prices: [0.3, 0.6] }));
/** A list of the three events, each changed or left out. */
const hostileList = fc.tuple(...GOOD.map(() => fc.option(changes, { freq: 4 }))).map((list) =>
  list.flatMap((change, index): WireEvent[] => {
    const own = GOOD[index];
    if (change === null || own === undefined) return [];
    const markets = change.isBare ? [] : [own.markets].flat();
    const changed = markets.map((each) => Object.assign({}, each, change.market));
    return [{ ...own, ...change.event, markets: changed }];
  }),
);

/** States and odds of the events and their markets, as a caller reads them after some hours. */
function readGood(db: Shelf, hours: number) {
  const states = GOOD.map(async ({ id }) => {
    const { status, markets, ...times } = await readEvent(db, Number(id), hours);
    const { synced_at, closed_time = synced_at } = times;
    for (const time of [synced_at, closed_time]) expect(time <= at(hours).toISOString()).toBe(true);
    return [status, ...markets.map((each) => [each.market_card_id, each.status, oddsOf(each)])];
  });
  return Promise.all(states);
}
const oddsOf = ({ outcomes }: { outcomes: { current_probability: number }[] }) =>
  outcomes.map((each) => each.current_probability);

it('hostile lists remove no event and date none in the future, and a good list undoes their changes', async () => {
  const property = fc.asyncProperty(
    fc.array(hostileList, { minLength: 1, maxLength: 3 }),
    async (hostile) => {
      const db = makeShelf();
      const { standIn, pull } = await startPulls(db, GOOD);
      await pull(0);
      const open = await readGood(db, 0);
      for (const [index, events] of hostile.entries()) {
        standIn.events = events;
        // A list without an open event is refused.
        await pull(index + 1).catch(() => {});
        await readGood(db, index + 1);
      }
      standIn.events = GOOD;
      await pull(hostile.length + 1);
      expect(await readGood(db, hostile.length + 1)).toEqual(open);
      db.close();
    },
  );
  await fc.assert(property, { numRuns: Number(process.env.FUZZ_RUNS ?? 25) });
});
