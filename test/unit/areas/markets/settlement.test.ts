import { describe, expect, it } from 'vitest';
import type { VenueEvent } from '../../../../src/areas/markets/sources/event-card.ts';
import { kalshiEvent } from '../../../../src/areas/markets/sources/kalshi-event.ts';
import { gammaEvent } from '../../../../src/areas/markets/sources/polymarket-event.ts';
import { makeKalshiEvent, makeKalshiMarket } from '../../../stand-ins/kalshi.ts';
import { makeWireEvent, makeWireMarket } from '../../../stand-ins/polymarket.ts';
import { db, read, useFreshShelves } from './fresh-shelf.ts';
import { at, startKalshiPulls } from './pulls.ts';
import { put } from './shelf.ts';

useFreshShelves();

/** An event as read when its venue has just sent it. */
async function readSent(event: VenueEvent) {
  put(db, [event], at(1).toISOString());
  return read(event.alias, { now: at(1) });
}
const readKalshi = (markets: readonly object[], more = {}) => {
  const own = markets.map((market, index) =>
    makeKalshiMarket({ ticker: `KXZINC-27JUN-T${index}`, floor_strike: index, ...market }),
  );
  return readSent(kalshiEvent(null, ['metals']).parse(makeKalshiEvent({ ...more, markets: own })));
};

const SETTLED_AT = '2026-11-21T12:30:00.000Z';
const paid = (result: string) => ({
  status: 'finalized',
  result,
  settlement_ts: '2026-11-21T12:30:00Z',
});
const SETTLED = { status: 'settled', at: SETTLED_AT };
const VOID = { status: 'void', at: SETTLED_AT };
const ENDED = { status: 'ended' };
const DISPUTED = { status: 'disputed' };

describe('a market at Kalshi', () => {
  const scalar = { ...paid('scalar'), settlement_value_dollars: '0.4200' };
  it.each<[string, object, object, number?]>([
    ['the result yes', { ...SETTLED, value: 1, winning_outcome: 'Yes' }, paid('yes'), 1],
    ['the result no', { ...SETTLED, value: 0, winning_outcome: 'No' }, paid('no'), 0],
    ['a scalar result', { ...SETTLED, value: 0.42 }, scalar, 0.42],
    ['no result at its close', ENDED, { status: 'closed' }],
    ['a result that is not paid', ENDED, { status: 'determined', result: 'yes' }],
    ['a payment without a result', ENDED, paid('')],
    ['a disputed result', DISPUTED, { status: 'disputed', result: 'yes' }],
    ['a result amended after a dispute', DISPUTED, { status: 'amended', result: 'no' }],
    ['a void result', VOID, paid('void')],
  ])(
    'with %s gives its event the settlement %j, and takes its odds from the payout, if any',
    async (_, settlement, market, payout) => {
      const { data, meta } = await readKalshi([market]);
      const isPaid = payout !== undefined;
      expect([data.settlement, data.markets[0]?.settlement]).toEqual([settlement, settlement]);
      expect(data.status).toBe('closed');
      expect(data.markets[0]?.outcomes[0]?.current_probability).toBe(payout ?? 0.31);
      expect(data.markets[0]?.price_basis).toBe(isPaid ? 'result' : 'last_price');
      expect(meta.notice).toMatch(isPaid ? /^Settled/ : /not the outcome|no outcome won/);
      const isDisputed = meta.notice?.startsWith(
        'As of 2026-11-21 the result is disputed at Kalshi',
      );
      expect(isDisputed).toBe(settlement === DISPUTED);
    },
  );
});

describe('an event at Kalshi', () => {
  it.each<[string, object[], object]>([
    ['is open while one market is', [paid('yes'), { status: 'active' }], { status: 'open' }],
    ['is disputed while one market is', [paid('no'), { status: 'disputed' }], DISPUTED],
    ['has ended while one market has no result', [paid('yes'), { status: 'closed' }], ENDED],
    ['is void if all markets are', [paid('void'), paid('void')], VOID],
    ['names no winner of a ladder', [paid('yes'), paid('no')], SETTLED],
  ])('%s', async (_, markets, settlement) => {
    expect((await readKalshi(markets)).data.settlement).toEqual(settlement);
  });

  it('names the winner if only one market can win', async () => {
    const labels = ['Ramp', 'Brex'].map((yes_sub_title, index) => ({
      yes_sub_title,
      strike_type: 'custom',
      ...paid(index === 0 ? 'no' : 'yes'),
    }));
    const { data, meta } = await readKalshi(labels, { mutually_exclusive: true });
    expect(data.settlement).toEqual({ ...SETTLED, winning_outcome: 'Brex' });
    expect(meta.notice).toBe('Settled 2026-11-21: Brex.');
  });

  it.each([
    ['settled', paid('yes'), SETTLED_AT],
    ['first seen as disputed', { status: 'disputed' }, at(1).toISOString()],
  ])('ends, as does its market, when it is %s', async (_, state, close) => {
    const { data } = await readKalshi([state]);
    expect(data).toMatchObject({ closed_time: close, end_time: close });
    expect(data.markets[0]?.end_time).toBe(close);
  });
});

describe('a market at Polymarket', () => {
  const over = { closed: true, closedTime: '2026-11-21 12:30:00+00', acceptingOrders: false };
  const uma = (umaResolutionStatus: string) => ({ umaResolutionStatus });
  const resolved = { ...over, ...uma('resolved') };
  it.each<[string, object, number, Record<string, unknown>]>([
    ['open', { status: 'open' }, 0.3, {}],
    ['resolved', { ...SETTLED, value: 1, winning_outcome: 'Yes' }, 1, resolved],
    ['closed with no resolution status', { ...SETTLED, value: 0, winning_outcome: 'No' }, 0, over],
    ['not closed while its result is proposed', ENDED, 0.99, uma('proposed')],
    ['closed while its result is proposed', ENDED, 1, { ...over, ...uma('proposed') }],
    ['not closed while its result is disputed', DISPUTED, 0.45, uma('disputed')],
    ['closed while its result is disputed', DISPUTED, 1, { ...over, ...uma('disputed') }],
    ['resolved at fifty-fifty', { ...VOID, value: 0.5 }, 0.5, resolved],
    ['closed at a price between 0 and 1', ENDED, 0.58, over],
    ['closed at an impossible price', ENDED, 1, { ...over, outcomePrices: '[1.2, 0]' }],
    ['closed at prices of 1 and 0.4', ENDED, 1, { ...over, outcomePrices: '[1, 0.4]' }],
    ['closed without prices', ENDED, 0, { ...over, outcomePrices: '["0","0"]' }],
  ])('that is %s gives its event the settlement %j', async (state, settlement, price, more) => {
    const wire = makeWireEvent({ markets: [makeWireMarket(1, price, more)] });
    const { data } = await readSent(gammaEvent.parse(wire));
    expect(data.markets[0]?.settlement).toEqual(state === 'open' ? undefined : settlement);
    expect(data.settlement).toEqual(settlement);
  });
});

describe("Kalshi's archive", () => {
  const result = (more = {}) =>
    makeKalshiMarket({
      event_ticker: 'KXZINC-27JUN',
      ticker: 'KXZINC-27JUN-T4000',
      ...paid('yes'),
      ...more,
    });

  /** Pulls on given days, the first with an open event. Another stays open: an empty list is a fault. */
  async function start() {
    const { kalshi, pull } = await startKalshiPulls(db);
    const other = makeKalshiEvent({ event_ticker: 'KXZINC-28' });
    const pullOn = (day: number, events: Parameters<typeof pull>[0] = []) =>
      pull([...events, other], 24 * day);
    await pullOn(0, [makeKalshiEvent()]);
    return {
      kalshi,
      pull: pullOn,
      read: (day: number) => read('kalshi:KXZINC-27JUN', { now: at(24 * day) }),
      requests: () => kalshi.requests.filter(({ path }) => path.includes('/historical/')),
    };
  }

  it.each([
    ['is no longer known', []],
    ['has lost its markets', [makeKalshiEvent({ markets: [] })]],
  ])('provides the permanent result of an event that %s', async (_, events) => {
    const { kalshi, pull, read, requests } = await start();
    kalshi.archive = [result(), result({ event_ticker: 'KXZINC-29', ticker: 'KXZINC-29-T1' })];
    expect(await pull(100, events)).toMatchObject({ changed: 1, missing: 0, faults: [] });
    const { data } = await read(100);
    expect(data).toMatchObject({
      status: 'closed',
      coverage_status: 'complete',
      closed_time: SETTLED_AT,
      end_time: SETTLED_AT,
      title: 'Zinc price in June 2027',
      settlement: { status: 'settled', winning_outcome: 'Yes' },
      markets: [{ price_basis: 'result', outcomes: [{ current_probability: 1 }, {}] }],
    });
    expect(data.markets[0]?.outcomes[0]?.previous_probability).toBe(0.32);
    await pull(101, events);
    expect(requests()).toHaveLength(1);
  });

  it.each([
    ['open', {}],
    ['disputed', { status: 'disputed', result: 'yes' }],
  ])('is queried once for a missing %s event, which ends without a result', async (_, state) => {
    const { pull, read, requests } = await start();
    await pull(1, [makeKalshiEvent({ markets: [makeKalshiMarket(state)] })]);
    expect(await pull(100)).toMatchObject({ missing: 1, faults: [] });
    await pull(101);
    expect(requests()).toHaveLength(1);
    const { data, meta } = await read(101);
    expect(data).toMatchObject({ coverage_status: 'stale', settlement: { status: 'ended' } });
    expect(meta.notice).toBe(
      'Kalshi no longer has the markets of this event; no result is stored, and these odds are not the outcome.',
    );
  });

  it('is queried again after a fault', async () => {
    const { kalshi, pull, read } = await start();
    kalshi.fault('/historical/', new Array(3).fill({ kind: 'html' }));
    expect((await pull(100)).warnings).toHaveLength(1);
    expect((await read(100)).data.settlement).toEqual({ status: 'open' });
    kalshi.archive = [result()];
    await pull(101);
    expect((await read(101)).data.settlement).toMatchObject({ value: 1 });
  });
});
