import { expect, it } from 'vitest';
import { marketResources } from '../../../../src/areas/markets/resources.ts';
import type { VenueEvent } from '../../../../src/areas/markets/sources/event-card.ts';
import { kalshiEvent } from '../../../../src/areas/markets/sources/kalshi-event.ts';
import { gammaEvent } from '../../../../src/areas/markets/sources/polymarket-event.ts';
import { makeKalshiEvent, makeKalshiMarket } from '../../../stand-ins/kalshi.ts';
import { makeWireEvent, makeWireMarket } from '../../../stand-ins/polymarket.ts';
import { browse, db, read, useFreshShelves } from './fresh-shelf.ts';
import { NOW, put } from './shelf.ts';

useFreshShelves();

const levels = (...prices: number[]) =>
  prices.map((price, index) =>
    makeWireMarket(100_000 + index, price, { groupItemTitle: ['$110,000', '120,000'][index] }),
  );

/** Bitcoin above 110,000 and 120,000 on 31 December. */
const polymarket = (more: Record<string, unknown> = {}): VenueEvent =>
  gammaEvent.parse(
    makeWireEvent({
      title: 'Bitcoin above ___ on December 31?',
      tagSlugs: ['bitcoin'],
      markets: levels(0.4, 0.3),
      ...more,
    }),
  );
const series = { ticker: 'KXBTCY', category: 'Crypto', frequency: 'annual' };
const kalshi = (
  more: Record<string, unknown> = {},
  market: Record<string, unknown> = {},
): VenueEvent =>
  kalshiEvent(series, ['crypto']).parse(
    makeKalshiEvent({
      event_ticker: 'KXBTCY-26DEC31',
      series_ticker: 'KXBTCY',
      title: 'BTC price at year end',
      markets: [
        makeKalshiMarket({
          ticker: 'KXBTCY-26DEC31-T110000',
          floor_strike: 110_000,
          expected_expiration_time: '2026-12-31T23:00:00Z',
          ...market,
        }),
      ],
      ...more,
    }),
  );
function listed() {
  const resource = marketResources.find(({ name }) => name === 'event_pairs');
  const context = { db, now: () => NOW, policy: 'personal' } as const;
  return JSON.parse(resource?.read({}, context) ?? '').data;
}

it('markets on the same asset, day and strike refer to each other, and a resource lists them', async () => {
  put(db, [polymarket(), kalshi()]);
  const [card] = (await browse({ tag: 'polymarket' })).data.events;
  const { data: other } = await read('kalshi:KXBTCY-26DEC31');
  expect(card?.markets.map(({ also }) => also)).toEqual([
    { source: 'kalshi', event_card_id: other.event_card_id, probability: 0.32 },
    undefined,
  ]);
  expect(other.markets[0]?.also).toEqual({
    source: 'polymarket',
    event_card_id: card?.event_card_id,
    probability: 0.4,
  });
  expect((await read()).data.markets[0]?.also).toEqual(card?.markets[0]?.also);
  expect(listed()).toMatchObject([
    {
      about: 'BTC',
      settlement_day: '2026-12-31',
      strike: '>110000',
      difference: 0.08,
      markets: [
        { source: 'polymarket', market_card_id: 'pmm_100000', probability: 0.4 },
        { source: 'kalshi', market_card_id: 'kalshi:KXBTCY-26DEC31-T110000', probability: 0.32 },
      ],
    },
  ]);
});

it.each<[string, Record<string, unknown>]>([
  ['a floor just below its label', { floor_strike: 109_999.99, yes_sub_title: '$110,000 or up' }],
  ['a level to be reached', { strike_type: 'greater_or_equal', yes_sub_title: '110,000 or up' }],
  ['other words in its label', { yes_sub_title: 'Above $110,000' }],
])('a Kalshi market with %s is paired with the Polymarket one above 110,000', (_, market) => {
  put(db, [polymarket(), kalshi({}, market)]);
  expect(listed()).toMatchObject([{ about: 'BTC', strike: '>110000' }]);
});

/** A Fed decision on 31 December, with the labels of both venues. */
const fed = (label: string, other: string, more = {}): VenueEvent[] => [
  polymarket({
    tagSlugs: ['fed-rates'],
    series: [{ slug: 'fomc' }],
    negRisk: true,
    ...more,
    markets: [makeWireMarket(1, 0.4, { groupItemTitle: label })],
  }),
  kalshi(
    { event_ticker: 'KXFEDDECISION-26DEC', series_ticker: 'KXFEDDECISION' },
    { yes_sub_title: other, strike_type: 'custom' },
  ),
];

it.each([
  ['25 bps decrease', 'Cut 25bps', '=-25'],
  ['No change', 'Fed maintains rate', '=0'],
  ['25 bps increase', 'Hike 25bps', '=25'],
])('the Fed decision "%s" at Polymarket is paired with "%s" at Kalshi', (label, other, strike) => {
  put(db, fed(label, other));
  expect(listed()).toMatchObject([
    { about: 'us.rates.fed_funds', settlement_day: '2026-12-31', strike, difference: 0.08 },
  ]);
});

const TITLE = 'Bitcoin above ___ on December 31?';
const earlier = levels(0.4, 0.3).map((each) => ({ ...each, endDate: '2026-12-30' }));
type Changes = Record<string, unknown>;
it.each<[string, Changes, Changes?, Changes?]>([
  ['another strike', {}, { title: TITLE }, { floor_strike: 110_001 }],
  ['a strike too far below its label', {}, {}, { floor_strike: 109_990, yes_sub_title: '110,000' }],
  ['a strike of 109,999.99', {}, {}, { floor_strike: 109_999.99, yes_sub_title: 'Above' }],
  ['another settlement day', { endDate: '2026-12-30T12:00:00Z' }, { title: TITLE }],
  ['another asset', {}, { title: 'Ethereum price at year end' }],
  ['a second asset', {}, { title: 'Bitcoin or Ethereum at year end' }],
  ['a strike to stay below', {}, {}, { strike_type: 'less', cap_strike: 110_000 }],
  ['a bin of exclusive levels', { negRisk: true }],
  ['a level to touch', { tagSlugs: ['bitcoin', 'hit-price'] }],
  ['a level to stay below', { markets: levels(0.3, 0.4) }],
  ['one level without a direction', { markets: levels(0.3) }],
  ['a market that ends on another day than its event', { markets: earlier }],
  ['a label in words', { markets: [makeWireMarket(1, 0.4)] }, { title: TITLE }],
  ['a lack of odds', {}, {}, { yes_bid_dollars: '0', last_price_dollars: '0' }],
  ['a closed market', {}, {}, { status: 'finalized', result: 'yes' }],
])('%s prevents a pair, whatever the titles say', (_, one, two, market) => {
  put(db, [polymarket(one), kalshi(two, market)]);
  expect(listed()).toEqual([]);
});

const tagged = (tag: string, title: string, other: string): VenueEvent[] => [
  polymarket({ title, tagSlugs: [tag] }),
  { ...kalshi({ title: other }), financeTags: [tag], tags: [] },
];
it.each<[string, VenueEvent[]]>([
  ['on oil (Brent or WTI)', tagged('commodities', 'Brent above ___?', 'WTI oil')],
  ['on a company', tagged('stocks', 'Tesla above ___?', 'Tesla deliveries')],
  ['on an institution', tagged('economy', 'Assets of the ECB above ___?', 'Staff of the ECB')],
  ['on a yield', tagged('treasuries', '10-year Treasury yield ___?', '10-year Treasury yield')],
  ['on a Fed decision of open size', fed('50+ bps decrease', 'Cut >25bps')],
  ['on a Fed decision of another size', fed('25+ bps increase', 'Hike 25bps')],
  ['on a Fed decision in another direction', fed('25 bps decrease', 'Hike 25bps')],
  ['outside the series of Fed decisions', fed('No change', 'Fed maintains rate', { series: [] })],
  [
    'on a figure whose measure is not stated',
    [
      polymarket({ tagSlugs: ['cpi'] }),
      kalshi({ event_ticker: 'KXCPI-26DEC', series_ticker: 'KXCPI' }),
    ],
  ],
])('a market %s has no pair', (_, events) => {
  put(db, events);
  expect(listed()).toEqual([]);
});
