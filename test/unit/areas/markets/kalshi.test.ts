import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { listMarketNews } from '../../../../src/areas/markets/news.ts';
import { kalshiEvent } from '../../../../src/areas/markets/sources/kalshi-event.ts';
import {
  type KalshiStandIn,
  makeKalshiEvent,
  makeKalshiMarket,
  makeKalshiSeries,
  type WireKalshiEvent,
} from '../../../stand-ins/kalshi.ts';
import { browse, db, read as readShelf, search, useFreshShelves } from './fresh-shelf.ts';
import { at, startKalshiPulls } from './pulls.ts';
import { event, put } from './shelf.ts';

const SERIES = [
  makeKalshiSeries(),
  makeKalshiSeries({ ticker: 'KXCPI', category: 'Economics', tags: ['Inflation'] }),
  makeKalshiSeries({ ticker: 'KXBTCD', category: 'Crypto', frequency: 'hourly' }),
  makeKalshiSeries({ ticker: 'KXNFLGAME', category: 'Sports' }),
];

let kalshi: KalshiStandIn;
let pull: Awaited<ReturnType<typeof startKalshiPulls>>['pull'];
useFreshShelves();
beforeEach(async () => {
  ({ kalshi, pull } = await startKalshiPulls(db, SERIES));
});

const read = async (id: string, hours = 0) => (await readShelf(id, { now: at(hours) })).data;

const parse = (markets: object[]) => kalshiEvent(null, []).parse(makeKalshiEvent({ markets }));

it.each([
  ['are the midpoint of a spread of 0.10', '0.40', '0.50', '0.10', 0.45, 'midpoint'],
  ['are the last trade if the spread is wider', '0.39', '0.50', '0.40', 0.4, 'last_price'],
  ['are the bid if the last trade is lower', '0.39', '0.50', '0.10', 0.39, 'last_price'],
  ['are the ask if the last trade is higher', '0.00', '0.02', '0.10', 0.02, 'last_price'],
  ['are the last trade if there is no bid', '0.00', '0.02', '0.01', 0.01, 'last_price'],
  ['are missing if the book is empty and untraded', '0.00', '1.00', '0.00', undefined, undefined],
  ['are missing if the book is wide and untraded', '0.01', '0.97', '0.00', undefined, undefined],
])('the odds of a Kalshi market %s', (_, bid, ask, last, probability, basis) => {
  const prices = { yes_bid_dollars: bid, yes_ask_dollars: ask, last_price_dollars: last };
  const [market] = parse([makeKalshiMarket(prices)]).markets;
  expect(market?.outcomes[0]?.current_probability).toBe(probability);
  expect(market?.price_basis).toBe(basis);
});

describe('a Kalshi event', () => {
  it('becomes a card with the basis of its odds and the unit of its volume', async () => {
    const steps = [4_200, 4_000].map((floor_strike) =>
      makeKalshiMarket({ ticker: `KXZINC-27JUN-T${floor_strike}`, floor_strike }),
    );
    await pull([makeKalshiEvent({ markets: steps, sub_title: 'At the end of June' })]);
    const card = await read('kalshi:KXZINC-27JUN');
    expect(card).toMatchObject({
      source: 'kalshi',
      title: 'Zinc price in June 2027 (At the end of June)',
      url: 'https://kalshi.com/markets/kxzinc/kxzinc-27jun',
      end_time: '2027-06-30T15:00:00.000Z',
      start_time: '2026-06-01T14:00:00.000Z',
      volume: 201,
      volume_unit: 'contracts',
      volume_24h: 4,
      open_interest: 100,
      tags: ['commodities'],
      resolution_source: 'https://exchange.example/zinc',
      description: 'Settles on the figure of the exchange.',
    });
    expect(card).not.toHaveProperty('liquidity');
    expect(card.markets).toMatchObject([
      { market_card_id: 'kalshi:KXZINC-27JUN-T4000' },
      {
        market_card_id: 'kalshi:KXZINC-27JUN-T4200',
        market_question: 'Zinc price in June 2027 (At the end of June): Above 4200',
        price_basis: 'midpoint',
        liquidity: 0,
        outcomes: [
          { label: 'Yes', outcome_token_id: '', current_probability: 0.32 },
          { label: 'No', outcome_token_id: '', current_probability: 0.68 },
        ],
      },
    ]);
  });

  it.each([
    [['active', 'finalized'], 'active'],
    [['closed', 'determined', 'finalized'], 'closed'],
    [['initialized', 'closed'], 'inactive'],
    [['inactive'], 'inactive'],
  ])('with markets in the states %j is %s', (states, status) => {
    const markets = states.map((state) => makeKalshiMarket({ ticker: state, status: state }));
    expect(parse(markets)).toMatchObject({ status });
  });

  it('keeps a settled market that Kalshi no longer sends, but not an open one', async () => {
    const market = (step: number, more = {}) =>
      makeKalshiMarket({ ticker: `KXZINC-27JUN-T${step}`, floor_strike: step, ...more });
    const won = market(1, { status: 'finalized', result: 'yes' });
    await pull([makeKalshiEvent({ markets: [won, market(2), market(3)] })]);
    await pull([makeKalshiEvent({ markets: [market(2, { yes_bid_dollars: '0.3200' })] })], 1);
    const { markets, status } = await read('kalshi:KXZINC-27JUN', 1);
    expect(status).toBe('active');
    expect(
      markets.map(({ market_card_id, outcomes, settlement }) => [
        ...[market_card_id, outcomes[0]?.current_probability, settlement?.winning_outcome],
      ]),
    ).toEqual([
      ['kalshi:KXZINC-27JUN-T2', 0.33, undefined],
      ['kalshi:KXZINC-27JUN-T1', 1, 'Yes'],
    ]);
  });

  it('keeps its 60 most traded markets and counts the rest', () => {
    const numbers = Array.from({ length: 75 }, (_, index) => index);
    const { markets, ...card } = parse(
      numbers.map((number) =>
        makeKalshiMarket({ ticker: `T${number}`, floor_strike: number, volume_fp: number }),
      ),
    );
    expect(card).toMatchObject({ more_markets: 15, volume: (75 * 74) / 2 });
    const kept = numbers.slice(15).map((number) => `kalshi:T${number}`);
    expect(markets.map(({ market_card_id }) => market_card_id)).toEqual(kept);
  });

  it('is news once it is settled, and names its winner even if not all its markets are kept', () => {
    const close_time = '2026-11-21T12:00:00Z';
    const markets = Array.from({ length: 70 }, (_, index) => {
      const paid = { status: 'finalized', result: index === 69 ? 'yes' : 'no' };
      const more = { ...paid, close_time, floor_strike: index, volume_fp: 100 - index };
      return makeKalshiMarket({ ticker: `T${index}`, ...more });
    });
    const disputed = makeKalshiMarket({ close_time, status: 'disputed', result: 'yes' });
    const other = makeKalshiEvent({ event_ticker: 'X', markets: [disputed] });
    const wires = [makeKalshiEvent({ markets }), other];
    put(db, z.array(kalshiEvent(null, ['metals'])).parse(wires), at(1).toISOString());
    const news = listMarketNews(db, new Date('2026-11-21T00:00:00Z'), 5);
    expect(news.find(({ what }) => what === 'events settled')?.items).toEqual([
      { id: 'kalshi:KXZINC-27JUN', text: 'Zinc price in June 2027: Above 69 Yes' },
    ]);
  });

  it('is found by its id, slug, address and tag, and names its indicator', async () => {
    put(db, [event({ tags: ['cpi'] })], at(0).toISOString());
    const cpi = { event_ticker: 'KXCPI-26DEC', series_ticker: 'KXCPI', title: 'CPI in December' };
    await pull([makeKalshiEvent(cpi)]);
    const { event_card_id, indicator } = await read('KALSHI:kxcpi-26dec');
    expect(indicator).toBe('us.cpi.headline');
    const address = 'kalshi.com/markets/kxcpi/cpi/kxcpi-26dec?tab=1';
    for (const id of [event_card_id, 'kxcpi-26dec', `https://${address}`, `www.${address}`]) {
      expect((await read(id)).alias, id).toBe('kalshi:KXCPI-26DEC');
    }
    for (const source of ['kalshi', 'polymarket']) {
      const { events } = (await browse({ tag: source })).data;
      expect(events).toMatchObject([{ source, indicator }]);
    }
    const { data } = await search({ query: 'kalshi:KXCPI-26DEC' });
    expect(data.events[0]?.alias).toBe('kalshi:KXCPI-26DEC');
  });

  it('sorts after events with liquidity, and is excluded by min_liquidity', async () => {
    put(db, [event({ liquidity: 1 })], at(0).toISOString());
    await pull([makeKalshiEvent()]);
    const all = await browse({});
    expect(all.data.events.map(({ source }) => source)).toEqual(['polymarket', 'kalshi']);
    const liquid = await browse({ min_liquidity: 0 });
    expect(liquid.data.events.map(({ source }) => source)).toEqual(['polymarket']);
  });
});

it('a pull from Kalshi stores events by the category of their series, but no combos and no hourly events', async () => {
  const outside = ['KXBTCD', 'KXNFLGAME', 'KXUNKNOWN'].map((series_ticker) =>
    makeKalshiEvent({ event_ticker: `${series_ticker}-1`, series_ticker }),
  );
  const combo = makeKalshiEvent({ event_ticker: 'KXMVEZINC-1' });
  const summary = await pull([makeKalshiEvent(), ...outside, combo]);
  expect(summary).toMatchObject({ added: 1, outside: 4, unreadable: 0, faults: [] });
  const paths = kalshi.requests.map(({ path }) => path);
  expect(paths.filter((path) => /\/series\?category=\w+$/.test(path))).toHaveLength(7);
});

describe('a pull with bad Kalshi responses', () => {
  it.each<[string, Partial<WireKalshiEvent>]>([
    ['without a title', { title: undefined }],
    ['with a price above 1', { markets: [makeKalshiMarket({ yes_bid_dollars: '1.2000' })] }],
    ['with a negative price', { markets: [makeKalshiMarket({ last_price_dollars: '-0.1' })] }],
    ['without markets', { markets: undefined }],
    ['with an unknown state', { markets: [makeKalshiMarket({ status: 'mystery' })] }],
  ])('skips and counts an event %s', async (_, changes) => {
    const bad = makeKalshiEvent({ event_ticker: 'KXZINC-BAD', ...changes });
    const summary = await pull([makeKalshiEvent(), bad]);
    expect(summary).toMatchObject({ added: 1, unreadable: 1, faults: [] });
  });

  it('stores only the first of two events whose tickers differ only in case', async () => {
    const twin = makeKalshiEvent({ event_ticker: 'KXZINC-27jun' });
    const counts = { outside: 1, faults: [] };
    expect(await pull([makeKalshiEvent(), twin])).toMatchObject({ added: 1, ...counts });
    expect(await pull([twin], 1)).toMatchObject({ added: 0, ...counts });
    expect((await read('kalshi:KXZINC-27JUN', 1)).alias).toBe('kalshi:KXZINC-27JUN');
  });

  it('warns about a refused category and reads the others', async () => {
    kalshi.fault('/series?', new Array(7).fill({ kind: 'status', status: 400 }));
    const faults = ['Kalshi listed no open events.'];
    expect(await pull([makeKalshiEvent()])).toMatchObject({ added: 0, faults });
    kalshi.fault('category=Crypto', [{ kind: 'status', status: 400 }]);
    const warnings = ['Crypto series: Kalshi rejected the request.'];
    expect(await pull([makeKalshiEvent()], 1)).toMatchObject({ added: 1, faults: [], warnings });
  });

  it('reports a page that is mostly invalid', async () => {
    const body = JSON.stringify({ events: [1, 2, {}, makeKalshiEvent()], cursor: '' });
    kalshi.fault('/events?', new Array(3).fill({ kind: 'body', body }));
    const faults = ['open Kalshi events: Kalshi sent mostly invalid data.'];
    expect(await pull([])).toMatchObject({ added: 0, reread: 0, faults });
  });
});
