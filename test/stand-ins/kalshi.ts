import { json, type StandInResponse } from './faults.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** A series or an event as Kalshi sends it. Each test decides on its content. */
export type WireSeries = Record<string, unknown> & { ticker: string; category: string };
export type WireKalshiEvent = Record<string, unknown> & {
  event_ticker: string;
  series_ticker: string;
};

interface Content {
  series: WireSeries[];
  events: WireKalshiEvent[];
  /** Markets under /historical, with their `event_ticker`; from the documentation, not from a recording. */
  archive: Record<string, unknown>[];
}

/** Kalshi's Trade API on a local port. Tests may change its content at any time. */
export type KalshiStandIn = Upstream & Content & { env: Readonly<Record<string, string>> };

export async function startKalshi(
  series: readonly WireSeries[] = [makeKalshiSeries()],
  events: readonly WireKalshiEvent[] = [],
): Promise<KalshiStandIn> {
  const upstream = await startUpstream(({ path }) =>
    respondAsKalshi(new URL(path, 'http://127.0.0.1'), standIn),
  );
  const url = `${upstream.url}/trade-api/v2`;
  const env = { QUANTSHELF_KALSHI_URL: url };
  const standIn = Object.assign(upstream, {
    url,
    env,
    series: [...series],
    events: [...events],
    archive: [],
  });
  return standIn;
}

/** Kalshi's response to one request. */
function respondAsKalshi(
  { pathname, searchParams: query }: URL,
  { series, events, archive }: Content,
): StandInResponse {
  const [, , , room, name] = pathname.split('/').map(decodeURIComponent);
  if (room === 'series' && name === undefined) {
    // The list of all series takes some 20 MB.
    if (!query.has('category')) return refuse('category is missing');
    return json({ series: series.filter(({ category }) => category === query.get('category')) });
  }
  if (room === 'series') {
    const one = series.find(({ ticker }) => ticker === name);
    return one === undefined ? notFound() : json({ series: one });
  }
  const isNested = query.get('with_nested_markets') === 'true';
  const show = ({ markets, ...event }: WireKalshiEvent) =>
    isNested ? { ...event, markets } : event;
  if (room === 'events' && name !== undefined) {
    const event = events.find(({ event_ticker }) => event_ticker === name);
    return event === undefined ? notFound() : json({ event: show(event) });
  }
  if (room === 'historical' && name === 'markets') {
    const event = query.get('event_ticker');
    return json({ markets: archive.filter((each) => each.event_ticker === event), cursor: '' });
  }
  if (room !== 'events') return notFound();
  if (query.get('status') !== 'open') return refuse('only open events are listed here');
  const limit = Number(query.get('limit') ?? 200);
  const open = events.filter(isOpen);
  const start = Number(query.get('cursor') ?? 0);
  const page = open.slice(start, start + limit);
  const cursor = start + limit < open.length ? String(start + limit) : '';
  return json({ events: page.map(show), cursor });
}

/** An event is open if any of its markets is. Recorded headers without markets count as open. */
function isOpen({ markets }: WireKalshiEvent): boolean {
  return (
    !Array.isArray(markets) ||
    markets.some(({ status }: { status?: unknown }) => status === 'active' || status === 'mystery')
  );
}

function refuse(details: string): StandInResponse {
  return json({ error: { code: 'bad_request', message: 'bad request', details } }, 400);
}

function notFound(): StandInResponse {
  return json({ error: { code: 'not_found', message: 'not found' } }, 404);
}

/** A fictional series. */
export function makeKalshiSeries(more: Partial<WireSeries> = {}): WireSeries {
  return {
    ticker: 'KXZINC',
    title: 'Zinc price',
    category: 'Commodities',
    tags: null,
    frequency: 'custom',
    settlement_sources: [{ name: 'The exchange', url: 'https://exchange.example/zinc' }],
    ...more,
  };
}

/** A fictional open event with one market per strike. */
export function makeKalshiEvent(more: Partial<WireKalshiEvent> = {}): WireKalshiEvent {
  const { event_ticker = 'KXZINC-27JUN', series_ticker = 'KXZINC' } = more;
  return {
    event_ticker,
    series_ticker,
    title: 'Zinc price in June 2027',
    sub_title: '',
    mutually_exclusive: false,
    markets: [makeKalshiMarket({ ticker: `${event_ticker}-T4000` })],
    ...more,
  };
}

export function makeKalshiMarket(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ticker: 'KXZINC-27JUN-T4000',
    status: 'active',
    result: '',
    yes_sub_title: `Above ${more.floor_strike ?? 4000}`,
    strike_type: 'greater',
    floor_strike: 4000,
    open_time: '2026-06-01T14:00:00Z',
    close_time: '2027-06-30T14:00:00Z',
    expected_expiration_time: '2027-06-30T15:00:00Z',
    yes_bid_dollars: '0.3000',
    yes_ask_dollars: '0.3400',
    last_price_dollars: '0.3100',
    volume_fp: '100.50',
    volume_24h_fp: '2.00',
    open_interest_fp: '50.00',
    liquidity_dollars: '0.0000',
    rules_primary: 'Settles on the figure of the exchange.',
    ...more,
  };
}
