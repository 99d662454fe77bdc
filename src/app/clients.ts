import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { createFredSource, FredRequestError, type FredSource } from '../areas/macro/source.ts';
import { createPolymarketSource, type PolymarketSource } from '../areas/markets/source.ts';
import { type ArxivSource, createArxivSource } from '../areas/papers/source.ts';
import type { Config } from '../config.ts';
import { createGate } from '../store/gate.ts';
import { createReachability, type Reachability } from '../store/reachability.ts';
import { isUnsent } from '../upstream/errors.ts';
import { userAgent } from '../upstream/http.ts';
import type { PoliteClient } from '../upstream/polite.ts';
import { createPoliteClient, type PoliteClientOptions } from '../upstream/polite-client.ts';
import { VERSION } from './version.ts';

/** How long to wait and how often to retry; see the options of the polite client. */
export type Patience = Pick<
  PoliteClientOptions,
  | 'longestWaitMs'
  | 'tries'
  | 'faultMs'
  | 'deadlineMs'
  | 'connectMs'
  | 'reconnectMs'
  | 'failFast'
  | 'onPause'
>;

/** For a call that somebody waits for: one retry, and soon. */
export const CALL_PATIENCE = {
  arxiv: {
    longestWaitMs: 15_000,
    tries: 2,
    faultMs: 1_000,
    deadlineMs: 90_000,
    connectMs: 3_000,
    reconnectMs: 250,
    failFast: true,
  },
  fred: {
    longestWaitMs: 6_000,
    tries: 2,
    faultMs: 500,
    deadlineMs: 30_000,
    connectMs: 3_000,
    reconnectMs: 250,
    failFast: true,
  },
} as const satisfies Record<string, Patience>;

/** A source with the connections behind it. */
export interface Client<Source> {
  source: Source;
  /** What every process on the store knows about the upstream's hosts. */
  reachability: Reachability;
  /** Closes the connections; requests in flight fail. */
  close(): Promise<void>;
}

/** Where arXiv can look up who sends these requests. */
const PROJECT_URL = 'https://www.npmjs.com/package/quantshelf';

/** `db` is writable: every process on the store shares the pauses that it keeps there. */
export function openArxiv(config: Config, db: Database, patience: Patience): Client<ArxivSource> {
  const { client, reachability } = connect('arxiv', config, db, patience, describeContact(config));
  const source = createArxivSource(client, config.arxiv, config.paceMs);
  return { source, reachability, close: client.close };
}

/** The same for FRED, with the user's own key; null where the key is not a valid one. */
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

/** The same for Polymarket. */
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

/** Connects lazily: the first request opens a connection. */
function connect(
  name: 'arxiv' | 'fred' | 'polymarket',
  config: Config,
  db: Database,
  patience: Patience,
  contact?: string,
): { client: PoliteClient; reachability: Reachability } {
  const now = () => new Date();
  const reachability = createReachability(db, name, now);
  const client = createPoliteClient({
    userAgent: userAgent(VERSION, contact),
    gate: createGate(db, name, join(config.home, `${name}.lock`), now, isUnsent),
    reachability,
    now,
    paceMs: config.paceMs,
    proxy: config.proxy,
    ...patience,
  });
  return { client, reachability };
}

function describeContact({ contact }: Config): string {
  if (contact === undefined) return PROJECT_URL;
  const isMail = contact.includes('@') && !/^mailto:/i.test(contact);
  return `${PROJECT_URL}; ${isMail ? 'mailto:' : ''}${contact}`;
}
