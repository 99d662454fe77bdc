import { describe, expect, it } from 'vitest';
import { financeTagsOf } from '../../../../src/areas/markets/sources/kalshi.ts';
import { kalshiEvent, kalshiSeries } from '../../../../src/areas/markets/sources/kalshi-event.ts';
import type { WireKalshiEvent, WireSeries } from '../../../stand-ins/kalshi.ts';
import { readRecordedKalshi } from '../../../stand-ins/kalshi-recorded.ts';
import { db, useFreshShelves } from './fresh-shelf.ts';
import { startKalshiPulls } from './pulls.ts';

/** Kalshi's recorded responses, replayed. */
const recorded = readRecordedKalshi();
const events = recorded?.events ?? [];
const seriesOf = new Map<string, WireSeries>(recorded?.series.map((one) => [one.ticker, one]));
type Raw = Record<string, string | number | null | undefined>;
const marketsOf = (event: WireKalshiEvent) => (event.markets ?? []) as Raw[];

const number = (value: Raw[string]) => Number(value ?? 0);

describe.skipIf(recorded === null)("Kalshi's recorded events", () => {
  useFreshShelves();

  it('are stored, or counted as unreadable or outside finance', async () => {
    const { pull } = await startKalshiPulls(db, recorded?.series);
    // The unreadable ones are headers, recorded without markets. Events that are not open are not listed.
    expect(await pull(events)).toMatchObject({
      added: 18,
      unreadable: 24,
      outside: 212,
      faults: [],
      warnings: [],
    });
    const stored = db.prepare<[], string>('SELECT source_id FROM market_event').pluck().all();
    // Meetings, months of payrolls, and a race of two companies to list.
    const taken = /^KX(?:FEDDECISION-\d\d[A-Z]{3}|PAYROLLS-\d\d[A-Z]{3}|RAMPBREX-40)$/;
    expect(stored.filter((ticker) => !taken.test(ticker))).toEqual([]);
  });

  it('are read with the state, price basis and winner of every market, even outside finance', () => {
    const seen: Record<string, number> = {};
    for (const event of events.filter(({ markets }) => markets !== undefined)) {
      const { markets, more_markets = 0, ...card } = kalshiEvent(null, []).parse(event);
      expect(markets.length + more_markets).toBe(marketsOf(event).length);
      const traded = marketsOf(event).reduce((sum, each) => sum + number(each.volume_fp), 0);
      expect(card.volume).toBeCloseTo(traded, 1);
      for (const { price_basis, status, settlement } of markets) {
        const words = [status, price_basis, settlement?.winning_outcome].filter(Boolean).join(' ');
        seen[words] = (seen[words] ?? 0) + 1;
      }
    }
    expect(seen).toEqual(SEEN);
  });

  it.each([
    ['even-numbered', 0, [215, 15, 16, 15]],
    ['odd-numbered', 1, [215, 10, 10, 10]],
  ])('are classified as by hand, with at most one miss, in the %s series', (_, half, counts) => {
    const judged = (recorded?.judged ?? []).toSorted().filter((_, index) => index % 2 === half);
    const byHand = judged.filter((ticker) => BY_HAND.includes(ticker));
    const taken = judged.filter(
      (ticker) => financeTagsOf(ticker, kalshiSeries.parse(seriesOf.get(ticker))).length > 0,
    );
    const right = taken.filter((ticker) => byHand.includes(ticker));
    // docs/prediction-markets.md quotes these figures.
    expect([judged, taken, byHand, right].map(({ length }) => length)).toEqual(counts);
  });
});

/** The recorded series judged by hand to be on finance, in any category: prices, policy, listings, firms. */
const BY_HAND = [
  ...['KXJOBLESS', 'KXU3MAX', 'KXIPOAIRTABLE', 'KXCHINAUSGDP', 'KXGDPSHAREMANU', 'KXTDEFICITHALF'],
  ...['KXGDPUSMAX', 'KXLIVENATIONUS', 'KXJPMCEONEW', 'KXAPPLEUS', 'KXRAMPBREX', 'KXOAIANTH'],
  ...['KXKLARSTRIP', 'KXDEELRIP', 'KXBTCETHATH', 'KXAMAZONFTC', 'KXBALANCE', 'KXGOVTCUTS'],
  ...['KXDEBTGROWTH', 'KXDEBTSHRINK', 'KXFTAPRC', 'KXFTA', 'KXFEDEND', 'KXFEDCHAIRNOM'],
  ...['KXEVCREDITS', 'KXCAPCONTROL'],
];
/** Recorded markets by state, basis of the odds and winner. */
const SEEN = {
  active: 1070,
  'active last_price': 61,
  'active midpoint': 175,
  closed: 4,
  'closed last_price': 1,
  'closed result No': 32,
  'closed result Yes': 21,
  inactive: 29,
};
