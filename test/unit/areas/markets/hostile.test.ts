import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listPulls, readCard } from '../../../../src/areas/markets/queries.ts';
import {
  makeKalshiEvent,
  makeKalshiMarket,
  type WireKalshiEvent,
} from '../../../stand-ins/kalshi.ts';
import { makeWireEvent, type WireEvent } from '../../../stand-ins/polymarket.ts';
import { at, startKalshiPulls, startPulls } from './pulls.ts';
import { makeShelf } from './shelf.ts';

type Wire = Record<string, unknown>;
type Shelf = ReturnType<typeof makeShelf>;

const far = fc.constantFrom('0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z', 'never', null);
const amount = fc.constantFrom('1e300', '-5', 'NaN', 0, null);
const title = fc.constantFrom('', 'x', 'y'.repeat(3_000));
const flag = fc.boolean();
const some = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Wire> =>
  fc.record(fields, { requiredKeys: [] });

/** Changes to an event and its markets. */
const GAMMA = {
  event: some({
    closed: flag,
    active: flag,
    archived: flag,
    closedTime: far,
    endDate: far,
    volume: amount,
    liquidity: amount,
    title,
  }),
  market: some({
    closed: flag,
    active: flag,
    acceptingOrders: flag,
    umaResolutionStatus: fc.constantFrom('resolved', 'disputed', 'proposed'),
    outcomePrices: fc.constantFrom('["1", "0"]', '["0", "1"]', '["7", "-6"]', '[]'),
    closedTime: far,
    volume: amount,
  }),
};
const KALSHI = {
  event: some({ title, category: fc.constantFrom('Sports', '', null) }),
  market: some({
    status: fc.constantFrom('active', 'closed', 'determined', 'finalized', 'disputed', 'unknown'),
    result: fc.constantFrom('yes', 'no', 'void', 'scalar', ''),
    settlement_value_dollars: fc.constantFrom('1.0000', '0.0000', '-3', null),
    settlement_ts: far,
    close_time: far,
    volume_fp: amount,
  }),
};

/** A list of three events, each changed or left out. */
const hostileList = <T extends Wire>(events: readonly T[], changes: typeof GAMMA) =>
  fc
    .tuple(...events.map(() => fc.option(fc.record({ ...changes, isBare: flag }), { freq: 4 })))
    .map((list) =>
      list.flatMap((change, index): T[] => {
        const own = events[index];
        if (change === null || own === undefined) return [];
        const markets = Array.isArray(own.markets) && !change.isBare ? own.markets : [];
        const changed = markets.map((each: Wire) => ({ ...each, ...change.market }));
        return [{ ...own, ...change.event, markets: changed }];
      }),
    );

/** The events as a caller sees them: whether they and their markets are open, and the odds. */
function openEvents(db: Shelf) {
  const cards = db.prepare<[], string>('SELECT card FROM market_event ORDER BY source_id').pluck();
  return cards
    .all()
    .map(readCard)
    .map(({ alias, status, markets }) => ({
      alias,
      status,
      markets: markets.map((each) => [each.market_card_id, each.status, each.outcomes]),
    }));
}

/** Pulls good and hostile lists in turn, by `pull` of a list at an hour. */
async function checkPulls<T>(
  db: Shelf,
  pull: (events: readonly T[], hours: number) => Promise<unknown>,
  good: readonly T[],
  hostile: readonly (readonly T[])[],
) {
  await pull(good, 0);
  const open = openEvents(db);
  expect(open).toHaveLength(3);
  for (const [index, events] of hostile.entries()) {
    const now = at(index + 1);
    // A list without an open event is refused.
    await pull(events, index + 1).catch(() => {});
    expect(openEvents(db).map(({ alias }) => alias)).toEqual(open.map(({ alias }) => alias));
    const late = db.prepare(`
      SELECT card FROM market_event e JOIN market_event_state s ON s.id = e.id
      WHERE s.seen_at > @now OR e.closed_time > @today`);
    expect(late.all({ now: now.getTime(), today: now.toISOString() })).toEqual([]);
    for (const { begunAt, overAt, finishedAt } of listPulls(db)) {
      expect(Math.max(begunAt, overAt ?? 0, finishedAt ?? 0)).toBeLessThanOrEqual(now.getTime());
    }
  }
  await pull(good, hostile.length + 1);
  expect(openEvents(db)).toEqual(open);
}

const RUNS = { numRuns: Number(process.env.FUZZ_RUNS ?? 25) };
const several = { minLength: 1, maxLength: 3 };

it('no Polymarket list removes a stored event or dates one after today, and the next good list reopens what it closed', async () => {
  const good = [1, 2, 3].map((id) => makeWireEvent({ id, prices: [0.3, 0.6] }));
  const property = fc.asyncProperty(
    fc.array(hostileList(good, GAMMA), several),
    async (hostile) => {
      const db = makeShelf();
      const { standIn, pull } = await startPulls(db, good);
      const pullList = (events: readonly WireEvent[], hours: number) => {
        standIn.events = [...events];
        return pull(hours);
      };
      await checkPulls(db, pullList, good, hostile);
      db.close();
    },
  );
  await fc.assert(property, RUNS);
});

it('no Kalshi list removes a stored event or dates one after today, and the next good list reopens what it closed', async () => {
  const good = [1, 2, 3].map((month): WireKalshiEvent => {
    const event_ticker = `KXZINC-27JAN0${month}`;
    const markets = [4_000, 4_100].map((floor_strike) =>
      makeKalshiMarket({ ticker: `${event_ticker}-T${floor_strike}`, floor_strike }),
    );
    return makeKalshiEvent({ event_ticker, markets });
  });
  const property = fc.asyncProperty(
    fc.array(hostileList(good, KALSHI), several),
    async (hostile) => {
      const db = makeShelf();
      const { pull } = await startKalshiPulls(db, undefined, good);
      await checkPulls(db, pull, good, hostile);
      db.close();
    },
  );
  await fc.assert(property, RUNS);
});
