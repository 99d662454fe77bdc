import { respondAsGamma, type WireEvent } from './polymarket-responses.ts';
import { startUpstream, type Upstream } from './upstream.ts';

export type { WireEvent };

/** Polymarket's Gamma API on a local port. Tests may change its events at any time. */
export interface PolymarketStandIn extends Upstream {
  env: Readonly<Record<string, string>>;
  events: WireEvent[];
}

export async function startPolymarket(
  events: readonly WireEvent[] = [],
): Promise<PolymarketStandIn> {
  const upstream = await startUpstream(({ path }) =>
    respondAsGamma(new URL(path, 'http://127.0.0.1'), standIn.events),
  );
  const env = { QUANTSHELF_POLYMARKET_URL: upstream.url };
  const standIn = Object.assign(upstream, { env, events: [...events] });
  return standIn;
}

const TAG_IDS: Readonly<Record<string, string>> = {
  crypto: '21',
  economy: '100328',
  stocks: '604',
  'fed-rates': '100196',
  sports: '1',
};

export interface WireEventOptions extends Record<string, unknown> {
  id?: number;
  tagSlugs?: readonly string[];
  /** Prices of the first outcome, one per market. */
  prices?: readonly number[];
}

/** A fictional open event in the upstream's format. Given fields override its own. */
export function makeWireEvent(options: WireEventOptions = {}): WireEvent {
  const { id = 100, tagSlugs = ['economy'], prices = [0.3], ...more } = options;
  return {
    id: String(id),
    slug: `question-${id}`,
    title: `Question ${id} of the stand-in`,
    description: `Settles on figure ${id}.`,
    endDate: '2026-12-31T12:00:00Z',
    active: true,
    closed: false,
    archived: false,
    volume: 1_000 + id,
    volume24hr: id,
    liquidity: 500,
    tags: tagSlugs.map((slug) => ({ id: TAG_IDS[slug] ?? '999', slug, label: slug })),
    markets: prices.map((price, index) => makeWireMarket(id * 1_000 + index, price)),
    ...more,
  };
}

/** A fictional open market. Lists and decimals are strings, as in the upstream. */
export function makeWireMarket(
  id: number,
  price: number,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    id: String(id),
    slug: `outcome-${id}`,
    question: `Will outcome ${id} come?`,
    outcomes: '["Yes", "No"]',
    outcomePrices: JSON.stringify([String(price), String(Number((1 - price).toFixed(6)))]),
    clobTokenIds: JSON.stringify([`${id}`.padStart(77, '7'), `${id}`.padStart(78, '8')]),
    volume: '100.5',
    liquidity: '50.25',
    active: true,
    closed: false,
    archived: false,
    acceptingOrders: true,
    endDate: '2026-12-31T12:00:00Z',
    ...more,
  };
}
