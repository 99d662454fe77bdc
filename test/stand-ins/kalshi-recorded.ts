import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import type { WireKalshiEvent, WireSeries } from './kalshi.ts';

/*
 * Kalshi's recorded responses, with unchanged bodies. Where only markets were recorded, the event around them
 * is ours; so is a series whose category or ticker alone is known.
 */

const DIR = join(process.env.QUANTSHELF_SHARED_DIR ?? resolve('../shared'), 'data/markets/kalshi');

const object = z.record(z.string(), z.unknown());
const seriesShape = z.looseObject({ ticker: z.string(), title: z.string(), category: z.string() });
const marketShape = z.looseObject({
  ticker: z.string(),
  event_ticker: z.string(),
  title: z.string().nullish(),
});
const eventShape = z.looseObject({
  event_ticker: z.string(),
  series_ticker: z.string(),
  title: z.string(),
  category: z.string().nullish(),
  markets: z.array(marketShape).optional(),
});
const body = z.looseObject({
  series: z.union([z.array(z.unknown()), object]).optional(),
  events: z.array(eventShape).optional(),
  event: eventShape.optional(),
  markets: z.array(marketShape).optional(),
  market: marketShape.optional(),
});

/** Facts about these series that the recorded responses lack. */
const BY_HAND: Readonly<Record<string, Partial<WireSeries>>> = {
  KXBTC: { category: 'Crypto', frequency: 'hourly' },
  KXETH: { category: 'Crypto', frequency: 'hourly' },
  KXFEDDECISION: { category: 'Economics', tags: ['Fed'], title: 'Fed decision' },
  KXCPI: { category: 'Economics', tags: ['Inflation'], title: 'CPI in a month' },
  KXCPICORE: { category: 'Economics', tags: ['Inflation'], title: 'Core CPI in a month' },
  KXCPIYOY: { category: 'Economics', tags: ['Inflation'], title: 'CPI over a year' },
  KXGDP: { category: 'Economics', tags: ['Growth'], title: 'US GDP growth' },
  KXPAYROLLS: { category: 'Economics', tags: ['Employment'], title: 'Jobs numbers' },
};

export interface RecordedKalshi {
  /** Each with the category recorded for it or its events. */
  series: WireSeries[];
  events: WireKalshiEvent[];
  /** Tickers of the series whose category was recorded. */
  judged: string[];
}

/** Null where the recordings are absent. */
export function readRecordedKalshi(): RecordedKalshi | null {
  if (!existsSync(DIR)) return null;
  const series = new Map<string, WireSeries>();
  const events = new Map<string, WireKalshiEvent>();
  const loose: z.output<typeof marketShape>[] = [];
  const names = readdirSync(DIR).filter((file) => file.endsWith('.json'));
  for (const name of names.sort()) {
    const wire = JSON.parse(readFileSync(join(DIR, name), 'utf8'));
    if (name.startsWith('headless'))
      loose.push(...Object.values(z.record(z.string(), marketShape).parse(wire)));
    else if (Array.isArray(wire)) loose.push(...z.array(marketShape).parse(wire));
    else {
      const { series: list = [], ...rest } = body.parse(wire.response ?? wire);
      for (const one of [list].flat()) {
        const { data } = seriesShape.safeParse(one);
        if (data !== undefined) series.set(data.ticker, data);
      }
      for (const each of [rest.events ?? [], rest.event ?? []].flat()) {
        // Keep an event with markets over the same event from a list without them.
        if (!events.get(each.event_ticker)?.markets) events.set(each.event_ticker, each);
      }
      loose.push(...[rest.markets ?? [], rest.market ?? []].flat());
    }
  }
  loose.push(...readReduced());
  for (const market of loose) addMarket(events, market);
  for (const { series_ticker: ticker, title, category } of events.values()) {
    if (series.has(ticker) || typeof category !== 'string' || category === '') continue;
    series.set(ticker, { ticker, title, category, tags: null, frequency: 'custom' });
  }
  const judged = [...series.keys()];
  for (const [ticker, more] of Object.entries(BY_HAND)) {
    series.set(ticker, { ticker, title: ticker, category: '', frequency: 'custom', ...more });
  }
  return { series: [...series.values()], events: [...events.values()], judged };
}

function addMarket(
  events: Map<string, WireKalshiEvent>,
  market: z.output<typeof marketShape>,
): void {
  const { event_ticker, title } = market;
  const [series_ticker = '', date = ''] = event_ticker.split('-');
  const name = BY_HAND[series_ticker]?.title;
  const own = name && `${name} (${date})`;
  const event = events.get(event_ticker) ?? {
    event_ticker,
    series_ticker,
    title: own ?? title ?? '',
  };
  const markets = z.array(marketShape).parse(event.markets ?? []);
  if (markets.some(({ ticker }) => ticker === market.ticker)) return;
  events.set(event_ticker, { ...event, markets: [...markets, market] });
}

const strike = z.looseObject({ ticker: z.string(), yes_bid: z.number(), yes_ask: z.number() });
const prints = z.object({
  open_events: z.object({
    events: z.array(
      z.object({ event_ticker: z.string(), close_time: z.string(), strikes: z.array(strike) }),
    ),
  }),
});
const decisions = z.object({
  markets: z.record(
    z.string(),
    z.looseObject({ ticker: z.string(), yes_bid: z.string(), yes_ask: z.string() }),
  ),
});

/** Markets whose recording lacks most fields; prices and strikes are Kalshi's. */
function readReduced(): z.output<typeof marketShape>[] {
  const read = (name: string) => readFileSync(join(DIR, 'derived', name), 'utf8');
  const common = { status: 'active', result: '', open_time: '2026-01-02T15:00:00Z' };
  const events = ['2026-07-11', '2026-07-15'].flatMap((day) => {
    const line = read(`headless-econ_prints-${day}.jsonl`).trim().split('\n').at(-1) ?? '';
    return prints.parse(JSON.parse(line)).open_events.events;
  });
  const { markets } = decisions.parse(JSON.parse(read('coherence-kalshi_fed-2026-08-21.json')));
  return [
    ...events.flatMap(({ event_ticker, close_time, strikes }) =>
      strikes.map(({ yes_bid, yes_ask, ...market }) => ({
        ...common,
        ...market,
        event_ticker,
        close_time,
        yes_bid_dollars: yes_bid.toFixed(4),
        yes_ask_dollars: yes_ask.toFixed(4),
      })),
    ),
    ...Object.values(markets).map(({ yes_bid, yes_ask, ...market }) => ({
      ...common,
      ...market,
      event_ticker: market.ticker.replace(/-[^-]+$/, ''),
      yes_bid_dollars: yes_bid,
      yes_ask_dollars: yes_ask,
    })),
  ];
}
