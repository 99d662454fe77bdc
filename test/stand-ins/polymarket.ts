import { createServer } from 'node:http';
import { deliver, type Fault, FaultQueue, faultAnswer, type Matcher } from './faults.ts';
import { answerGamma, type WireEvent } from './polymarket-answers.ts';

export type { WireEvent };

export interface PolymarketRequest {
  /** With its query, as received. */
  path: string;
  /** Milliseconds of the wall clock. */
  startedAt: number;
}

/** Polymarket's Gamma API on a local port. */
export interface PolymarketStandIn {
  url: string;
  /** The same as environment variables, for a child process. */
  env: Readonly<Record<string, string>>;
  /** The source of all responses; may be changed at any time. */
  events: WireEvent[];
  requests: PolymarketRequest[];
  /** Each matching request takes the next fault; queues added earlier come first. */
  fault(matcher: Matcher, faults: readonly Fault[]): void;
  /** Number of faults not used yet. */
  readonly faultsLeft: number;
  close(): Promise<void>;
}

export async function startPolymarket(
  events: readonly WireEvent[] = [],
): Promise<PolymarketStandIn> {
  const faults = new FaultQueue();
  const server = createServer((message, response) => {
    const path = message.url ?? '';
    standIn.requests.push({ path, startedAt: Date.now() });
    const fault = faults.take(path);
    const respond = async () => {
      if (fault.kind === 'held') await fault.until;
      const usual = answerGamma(new URL(path, 'http://127.0.0.1'), standIn.events);
      deliver(response, faultAnswer(fault) ?? usual, fault);
    };
    respond().catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const url = `http://127.0.0.1:${address.port}`;
  const standIn: PolymarketStandIn = {
    url,
    env: { QUANTSHELF_POLYMARKET_URL: url },
    events: [...events],
    requests: [],
    fault: (matcher, queue) => faults.add(matcher, queue),
    get faultsLeft() {
      return faults.count();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return standIn;
}

const TAG_IDS: Readonly<Record<string, string>> = {
  finance: '120',
  crypto: '21',
  economy: '100328',
  business: '107',
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

/** A fictional open event in the upstream's format; other fields override its own. */
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

/** Lists and decimals are strings, as in the upstream. */
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
