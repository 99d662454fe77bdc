import { describe, expect, it } from 'vitest';
import { listPairs } from '../../../../src/areas/markets/pairs.ts';
import { financeTagsOf } from '../../../../src/areas/markets/sources/kalshi.ts';
import {
  kalshiSeries,
  parseKalshiEvent,
} from '../../../../src/areas/markets/sources/kalshi-event.ts';
import { gammaEvent } from '../../../../src/areas/markets/sources/polymarket-event.ts';
import type { WireKalshiEvent, WireSeries } from '../../../stand-ins/kalshi.ts';
import { readRecordedKalshi } from '../../../stand-ins/kalshi-recorded.ts';
import { makeWireEvent, makeWireMarket } from '../../../stand-ins/polymarket.ts';
import { db, useFreshShelves } from './fresh-shelf.ts';
import { at, startKalshiPulls } from './pulls.ts';
import { put } from './shelf.ts';

/** Kalshi's recorded answers, replayed; what is expected is read from the raw JSON by simpler means. */
const recorded = readRecordedKalshi();
const events = recorded?.events ?? [];
const seriesOf = new Map<string, WireSeries>(recorded?.series.map((one) => [one.ticker, one]));
type Raw = Record<string, string | number | null | undefined>;
const marketsOf = (event: WireKalshiEvent) => (event.markets ?? []) as Raw[];

const FINANCE = ['Economics', 'Financials', 'Companies', 'Crypto', 'Commodities'];
const STATES = ['initialized', 'inactive', 'active', 'closed', 'determined', 'finalized'];
const number = (value: Raw[string]) => Number(value ?? 0);
const spanOf = ({ open_time, close_time }: Raw) =>
  Date.parse(String(close_time)) - Date.parse(String(open_time));

const FORTUNES = /TRILLION|HALFTRIL|NETWORTH|NEWROLE|STARSHIP|AGICO|FYREFEST/;
const POLICY = /^KX(?:FED|DEBT|FTA|GOVTCUTS|EVCREDITS|BALANCE$|CAPCONTROL$)/;
const isFinance = ({ ticker, category }: WireSeries) =>
  FINANCE.includes(category)
    ? !FORTUNES.test(ticker)
    : ['Politics', 'Elections'].includes(category) && POLICY.test(ticker);

/** Why an event is kept or not. */
function reasonOf(event: WireKalshiEvent): string {
  const series = seriesOf.get(event.series_ticker);
  const markets = marketsOf(event);
  // What is not open is in no list.
  if (markets.length > 0 && !markets.some(({ status }) => status === 'active')) return 'not open';
  if (event.event_ticker.startsWith('KXMV')) return 'combo';
  if (series === undefined || !isFinance(series)) return 'category';
  if (['hourly', 'daily'].includes(String(series?.frequency))) return 'window';
  if (markets.length > 0 && markets.every((each) => spanOf(each) <= 86_400_000)) return 'window';
  // A header is no open event: those have their markets with them.
  if (markets.length === 0) return 'header';
  return markets.every(({ status }) => STATES.includes(String(status))) ? 'kept' : 'invalid';
}

describe.skipIf(recorded === null)('the recorded events of Kalshi', () => {
  useFreshShelves();

  it('are kept, or refused for a reason', async () => {
    const reasons = events.map(reasonOf);
    const counts = Object.fromEntries(
      [...new Set(reasons)].map((each) => [each, reasons.filter((one) => one === each).length]),
    );
    expect(counts).toEqual(COUNTS);
    const { kept, header, 'not open': closed } = COUNTS;
    const { pull } = await startKalshiPulls(db, recorded?.series);
    expect(await pull(events)).toMatchObject({
      added: kept,
      unreadable: header,
      outside: events.length - kept - header - closed,
      faults: [],
      warnings: [],
    });
    const stored = db.prepare<[], string>('SELECT source_id FROM market_event').pluck().all();
    const inScope = events.filter((event) => reasonOf(event) === 'kept');
    expect(stored.sort()).toEqual(inScope.map(({ event_ticker }) => event_ticker).sort());
  });

  it('have the prices, states and results of every market body, in finance or not', () => {
    const seen = { midpoint: 0, last_price: 0, result: 0, none: 0 };
    for (const event of events.filter(({ markets }) => markets !== undefined)) {
      const { markets, more_markets = 0, ...card } = parseKalshiEvent(event, null, []);
      expect(markets.length + more_markets).toBe(marketsOf(event).length);
      const traded = marketsOf(event).map(({ volume_fp }) => number(volume_fp));
      expect(card.volume).toBeCloseTo(
        traded.reduce((sum, each) => sum + each, 0),
        1,
      );
      if (marketsOf(event).every(({ strike_type }) => strike_type === 'greater')) {
        const levels = markets.map(({ strike }) => number(strike?.slice(1)));
        expect(levels).toEqual(levels.toSorted((a, b) => a - b));
      }
      for (const market of markets) {
        const raw =
          marketsOf(event).find(({ ticker }) => `kalshi:${ticker}` === market.market_card_id) ?? {};
        const [probability, basis] = priceOf(raw);
        expect([market.outcomes[0]?.current_probability, market.price_basis]).toEqual([
          ...[probability, basis],
        ]);
        expect(market.status).toBe(STATE_OF[String(raw.status)]);
        expect(market.settlement?.winning_outcome).toBe(WINNER_OF[String(raw.result)]);
        seen[market.price_basis ?? 'none'] += 1;
      }
    }
    expect(seen).toEqual(SEEN);
  });

  it("on a price have their labels' strikes, and pair with those levels at Polymarket", () => {
    const priced = events.flatMap(marketsOf).filter(({ floor_strike, yes_sub_title }) => {
      return String(floor_strike).endsWith('.99') && String(yes_sub_title).endsWith('or above');
    });
    expect(priced.length).toBeGreaterThan(15);
    const parse = (event: object, markets: readonly Raw[]) =>
      parseKalshiEvent({ ...event, markets }, null, ['crypto']);
    for (const market of priced) {
      const event = events.find(({ event_ticker }) => event_ticker === market.event_ticker) ?? {};
      const [{ strike } = { strike: '' }] = parse(event, [market]).markets;
      expect(strike).toBe(`>${Math.round(number(market.floor_strike))}`);
    }
    // They were recorded without a trade, and of one day: odds and opening are by hand.
    const bitcoin = events.find(({ event_ticker }) => event_ticker === 'KXBTCD-26JUL2502') ?? {};
    const books = priced
      .filter(({ event_ticker }) => event_ticker === 'KXBTCD-26JUL2502')
      .map((market) => ({
        ...market,
        open_time: '2026-07-01T00:00:00Z',
        yes_bid_dollars: '0.3000',
        yes_ask_dollars: '0.3400',
      }));
    const levels = ['$74,100', '$74,200', '$74,300'].map((groupItemTitle, place) =>
      makeWireMarket(place + 1, 0.5 - place / 10, { groupItemTitle, endDate: undefined }),
    );
    const polymarket = makeWireEvent({
      title: 'Bitcoin above ___ on July 25?',
      tagSlugs: ['bitcoin'],
      markets: levels,
      endDate: '2026-07-25T16:00:00Z',
    });
    put(db, [parse(bitcoin, books), gammaEvent.parse(polymarket)], at(0).toISOString());
    const strikes = listPairs(db, null).map(({ strike }) => strike);
    expect(strikes).toEqual(['>74100', '>74200', '>74300']);
  });

  it.each([
    [0, [215, 15, 16, 15]],
    [1, [215, 10, 10, 10]],
  ])('come from series that were judged by hand, half %i', (half, counts) => {
    const judged = (recorded?.judged ?? []).toSorted().filter((_, index) => index % 2 === half);
    const byHand = judged.filter((ticker) => BY_HAND.includes(ticker));
    const taken = judged.filter(
      (ticker) => financeTagsOf(ticker, kalshiSeries.parse(seriesOf.get(ticker))).length > 0,
    );
    const right = taken.filter((ticker) => byHand.includes(ticker));
    // docs/prediction-markets.md names these figures.
    expect([judged, taken, byHand, right].map(({ length }) => length)).toEqual(counts);
  });
});

/** What is expected, reckoned in whole hundredths of a cent. */
function priceOf(market: Raw): [number | undefined, string | undefined] {
  const whole = (value: Raw[string]) => Math.round(number(value) * 10_000);
  const [bid, ask] = [whole(market.yes_bid_dollars), whole(market.yes_ask_dollars)];
  const last = number(market.last_price_dollars);
  if (market.result === 'yes' || market.result === 'no') {
    return [market.result === 'yes' ? 1 : 0, 'result'];
  }
  if (!ENDED.includes(String(market.status)) && bid > 0 && ask < 10_000 && ask - bid <= 1_000) {
    return [(bid + ask) / 20_000, 'midpoint'];
  }
  if (last === 0) return [undefined, undefined];
  if (ENDED.includes(String(market.status))) return [last, 'last_price'];
  const sides = [number(market.yes_bid_dollars), last, number(market.yes_ask_dollars) || 1];
  return [sides.toSorted((a, b) => a - b)[1], 'last_price'];
}

/** The recorded series on finance, whatever Kalshi's category: prices, figures, policy, listings, firms. */
const BY_HAND = [
  ...['KXJOBLESS', 'KXU3MAX', 'KXIPOAIRTABLE', 'KXCHINAUSGDP', 'KXGDPSHAREMANU', 'KXTDEFICITHALF'],
  ...['KXGDPUSMAX', 'KXLIVENATIONUS', 'KXJPMCEONEW', 'KXAPPLEUS', 'KXRAMPBREX', 'KXOAIANTH'],
  ...['KXKLARSTRIP', 'KXDEELRIP', 'KXBTCETHATH', 'KXAMAZONFTC', 'KXBALANCE', 'KXGOVTCUTS'],
  ...['KXDEBTGROWTH', 'KXDEBTSHRINK', 'KXFTAPRC', 'KXFTA', 'KXFEDEND', 'KXFEDCHAIRNOM'],
  ...['KXEVCREDITS', 'KXCAPCONTROL'],
];
/** Events by reason. Not open: recorded when they were settled, or in the shape of 2025. */
const COUNTS = { kept: 18, header: 24, category: 178, window: 19, combo: 15, 'not open': 31 };
const SEEN = { midpoint: 175, last_price: 62, result: 53, none: 1_103 };
const ENDED = ['closed', 'finalized'];
const STATE_OF: Record<string, string> = {
  initialized: 'inactive',
  inactive: 'inactive',
  active: 'active',
  closed: 'closed',
  finalized: 'closed',
};
const WINNER_OF: Record<string, string> = { yes: 'Yes', no: 'No' };
