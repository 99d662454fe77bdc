import type { Database } from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { listPulls, readCard } from '../../../../src/areas/markets/queries.ts';
import { connect } from '../../../../src/areas/markets/sources/kalshi.ts';
import { createHttpClient } from '../../../../src/upstream/client.ts';
import {
  makeKalshiEvent,
  makeKalshiMarket,
  startKalshi,
  type WireKalshiEvent,
} from '../../../stand-ins/kalshi.ts';
import { makeWireEvent } from '../../../stand-ins/polymarket.ts';
import { at, pullOnce } from './pulls.ts';
import { makeShelf } from './shelf.ts';
import { makeSource } from './start-polymarket.ts';

type Wire = Record<string, unknown>;

const far = fc.constantFrom('0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z', 'never', null);
const amount = fc.constantFrom('1e300', '-5', 'NaN', 0, null);
const title = fc.constantFrom('', 'x', 'y'.repeat(3_000));

const hostileGamma = {
  event: fc.record(
    {
      closed: fc.boolean(),
      active: fc.boolean(),
      archived: fc.boolean(),
      ...{ closedTime: far, endDate: far, volume: amount, liquidity: amount, title },
    },
    { requiredKeys: [] },
  ),
  market: fc.record(
    {
      closed: fc.boolean(),
      active: fc.boolean(),
      acceptingOrders: fc.boolean(),
      umaResolutionStatus: fc.constantFrom('resolved', 'disputed', 'proposed'),
      outcomePrices: fc.constantFrom('["1", "0"]', '["0", "1"]', '["7", "-6"]', '[]'),
      closedTime: far,
      volume: amount,
    },
    { requiredKeys: [] },
  ),
};

const hostileKalshi = {
  event: fc.record({ title, category: fc.constantFrom('Sports', '', null) }, { requiredKeys: [] }),
  market: fc.record(
    {
      status: fc.constantFrom('active', 'closed', 'determined', 'finalized', 'disputed', 'unknown'),
      result: fc.constantFrom('yes', 'no', 'void', 'scalar', ''),
      settlement_value_dollars: fc.constantFrom('1.0000', '0.0000', '-3', null),
      settlement_ts: far,
      close_time: far,
      volume_fp: amount,
    },
    { requiredKeys: [] },
  ),
};

/** A reply about three events: what is changed of each and of its markets, or that it is left out. */
const replyOf = ({ event, market }: { event: fc.Arbitrary<Wire>; market: fc.Arbitrary<Wire> }) =>
  fc.array(fc.option(fc.record({ event, market, isBare: fc.boolean() }), { freq: 4 }), {
    minLength: 3,
    maxLength: 3,
  });
type Reply = ReturnType<typeof replyOf> extends fc.Arbitrary<infer T> ? T : never;

function distort<T extends Wire>(events: readonly T[], reply: Reply): T[] {
  return events.flatMap((own, at) => {
    const change = reply[at] ?? null;
    if (change === null) return [];
    const markets = Array.isArray(own.markets) && !change.isBare ? own.markets : [];
    const changed = markets.map((each: Wire) => ({ ...each, ...change.market }));
    return [{ ...own, ...change.event, markets: changed }];
  });
}

/** What a caller sees of the events: whether they and their markets are open, and the odds. */
function openEvents(db: Database) {
  const cards = db
    .prepare<[], string>('SELECT card FROM market_event ORDER BY source_id')
    .pluck()
    .all();
  return cards.map(readCard).map(({ alias, status, markets }) => ({
    alias,
    status,
    markets: markets.map((each) => [each.market_card_id, each.status, each.outcomes]),
  }));
}

const gammaEvents = [1, 2, 3].map((id) => makeWireEvent({ id, prices: [0.3, 0.6] }));
const kalshiEvents = [1, 2, 3].map((month): WireKalshiEvent => {
  const event_ticker = `KXZINC-27JAN0${month}`;
  const markets = [4_000, 4_100].map((floor_strike) =>
    makeKalshiMarket({ ticker: `${event_ticker}-T${floor_strike}`, floor_strike }),
  );
  return makeKalshiEvent({ event_ticker, markets });
});

const kalshi = await startKalshi(undefined, kalshiEvents);
const client = createHttpClient({
  ...{ userAgent: 'test', now: () => at(0), paceMs: 1, longestWaitMs: 1_000 },
});
afterAll(async () => {
  await client.close();
  await kalshi.close();
});
const gamma = await makeSource(gammaEvents);

const VENUES = [
  {
    venue: gamma.venue,
    replies: replyOf(hostileGamma),
    list: (reply: Reply | null) => {
      gamma.standIn.events = reply === null ? [...gammaEvents] : distort(gammaEvents, reply);
    },
  },
  {
    venue: {
      name: 'kalshi',
      title: 'Kalshi',
      ...connect(client, { baseUrl: kalshi.url, paceMs: 0 }),
    },
    replies: replyOf(hostileKalshi),
    list: (reply: Reply | null) => {
      kalshi.events = reply === null ? [...kalshiEvents] : distort(kalshiEvents, reply);
    },
  },
];

it.each(VENUES)(
  'no list of $venue.title removes a stored event or dates one after today, and the next good list opens what it closed',
  async ({ venue, replies, list }) => {
    const property = fc.asyncProperty(
      fc.array(replies, { minLength: 1, maxLength: 3 }),
      async (hostile) => {
        const db = makeShelf();
        let hours = 0;
        const pull = () => pullOnce({ db, venue, now: () => at(hours) });
        list(null);
        await pull();
        const open = openEvents(db);
        expect(open).toHaveLength(3);
        for (const reply of hostile) {
          list(reply);
          hours += 1;
          // A list without an open event is refused.
          await pull().catch(() => {});
          expect(openEvents(db).map(({ alias }) => alias)).toEqual(open.map(({ alias }) => alias));
          const late = db
            .prepare<object, string>(`
              SELECT card FROM market_event e JOIN market_event_state s ON s.id = e.id
              WHERE s.seen_at > @now OR e.closed_time > @today`)
            .all({ now: at(hours).getTime(), today: at(hours).toISOString() });
          expect(late).toEqual([]);
          for (const { begunAt, overAt, finishedAt } of listPulls(db)) {
            expect(Math.max(begunAt, overAt ?? 0, finishedAt ?? 0)).toBeLessThanOrEqual(
              at(hours).getTime(),
            );
          }
        }
        list(null);
        hours += 1;
        await pull();
        expect(openEvents(db)).toEqual(open);
        db.close();
      },
    );
    await fc.assert(property, { numRuns: Number(process.env.FUZZ_RUNS ?? 25) });
  },
);
