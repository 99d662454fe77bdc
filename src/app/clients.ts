import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { AgencyName } from '../areas/macro/agencies/feed.ts';
import { createFredSource, FredRequestError, type FredSource } from '../areas/macro/fred.ts';
import {
  createPolymarketSource,
  type PolymarketSource,
} from '../areas/markets/sources/polymarket.ts';
import { type ArxivSource, createArxivSource } from '../areas/papers/source.ts';
import type { Config } from '../config.ts';
import { createRateLimiter } from '../store/rate-limiter.ts';
import { createReachability, type Reachability } from '../store/reachability.ts';
import { createHttpClient, type HttpClientOptions } from '../upstream/client.ts';
import { isUnsent } from '../upstream/errors.ts';
import { type HttpClient, type RateLimiter, userAgent } from '../upstream/http.ts';
import { VERSION } from './version.ts';

/** How long to wait and how often to retry. */
export type Patience = Omit<
  HttpClientOptions,
  'userAgent' | 'rateLimiter' | 'reachability' | 'now' | 'paceMs' | 'proxy'
> & {
  /** A user waits for the answer: a request of others that takes long ends for it. */
  isCall?: boolean;
};

/** For figures that the user waits for. Each refusal counts against the few queries of an agency. */
const FIGURES_CALL = {
  longestWaitMs: 6_000,
  tries: 2,
  faultMs: 500,
  deadlineMs: 30_000,
  connectMs: 3_000,
  reconnectMs: 250,
  failFast: 'always',
  isCall: true,
} as const satisfies Patience;

/** For a call that the user waits for: one quick retry. */
export const CALL_PATIENCE = {
  arxiv: { ...FIGURES_CALL, longestWaitMs: 15_000, faultMs: 1_000, deadlineMs: 90_000 },
  fred: FIGURES_CALL,
  agencies: FIGURES_CALL,
} as const satisfies Record<string, Patience>;

/** Under which rate limit and reachability are kept. */
export type UpstreamName = 'arxiv' | 'fred' | 'polymarket' | AgencyName;

/** A source and its connections. */
export interface Client<Source> {
  source: Source;
  reachability: Reachability;
  /** Closes the connections; requests in flight fail. */
  close(): Promise<void>;
}

/** Tells arXiv who sends these requests. */
const PROJECT_URL = 'https://www.npmjs.com/package/quantshelf';

/** `db` is writable: every process on the store shares the rate limit that is kept there. */
export function openArxiv(config: Config, db: Database, patience: Patience): Client<ArxivSource> {
  const { client, reachability } = connect('arxiv', config, db, patience, describeContact(config));
  const source = createArxivSource(client, config.arxiv, config.paceMs);
  return { source, reachability, close: client.close };
}

/** Null when the user's key is malformed. */
export function openFred(
  config: Config,
  db: Database,
  patience: Patience,
): Client<FredSource> | null {
  const { client, reachability } = connect('fred', config, db, patience);
  const { fredUrl: baseUrl, fredKey: apiKey = '', paceMs } = config;
  try {
    const source = createFredSource(client, { baseUrl, apiKey, paceMs });
    return { source, reachability, close: client.close };
  } catch (error) {
    if (error instanceof FredRequestError) return null;
    throw error;
  }
}

export function openPolymarket(
  config: Config,
  db: Database,
  patience: Patience,
): Client<PolymarketSource> {
  const { client, reachability } = connect('polymarket', config, db, patience);
  const { polymarketUrl: baseUrl, paceMs } = config;
  const source = createPolymarketSource(client, { baseUrl, paceMs });
  return { source, reachability, close: client.close };
}

/** A polite client of one upstream, whose limits all processes on the store share. */
export function connect(
  name: UpstreamName,
  config: Config,
  db: Database,
  patience: Patience,
  contact?: string,
): { client: HttpClient; rateLimiter: RateLimiter; reachability: Reachability } {
  const now = () => new Date();
  const reachability = createReachability(db, name, now);
  const lockPath = join(config.home, `${name}.lock`);
  const rateLimiter = createRateLimiter(db, name, lockPath, now, {
    isUnsent,
    isCall: patience.isCall === true,
  });
  const client = createHttpClient({
    userAgent: userAgent(VERSION, contact),
    rateLimiter,
    reachability,
    now,
    paceMs: config.paceMs,
    proxy: config.proxy,
    ...patience,
  });
  return { client, rateLimiter, reachability };
}

function describeContact({ contact }: Config): string {
  if (contact === undefined) return PROJECT_URL;
  const isMail = contact.includes('@') && !/^mailto:/i.test(contact);
  return `${PROJECT_URL}; ${isMail ? 'mailto:' : ''}${contact}`;
}
