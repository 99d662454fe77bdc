import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { createParser, type Parse } from './areas/papers/full-text/parser.ts';
import { type ArxivSource, createArxivSource } from './areas/papers/source.ts';
import type { Config } from './config.ts';
import { createGate } from './store/gate.ts';
import { createReachability, type Reachability } from './store/reachability.ts';
import { isUnsent } from './upstream/errors.ts';
import { userAgent } from './upstream/http.ts';
import { createPoliteClient, type PoliteClientOptions } from './upstream/polite-client.ts';
import { VERSION } from './version.ts';

/** Where the build puts the program of the parser's thread, beside this file. */
const PARSER_PROGRAM = new URL('./paper-parser.mjs', import.meta.url);
/** Where arXiv finds out who asks so often. */
const PROJECT_CONTACT = 'https://www.npmjs.com/package/quantshelf';

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

/** Someone waits for the answer: a fault is met with one more try, soon or not at all. */
export const OF_A_CALL: Patience = {
  longestWaitMs: 15_000,
  tries: 2,
  faultMs: 1_000,
  deadlineMs: 90_000,
  connectMs: 3_000,
  reconnectMs: 250,
  failFast: true,
};

export interface ArxivTools {
  source: ArxivSource;
  parse: Parse;
  reachability: Reachability;
  close(): Promise<void>;
}

/** What asks arXiv under this configuration. `db` is writable: it keeps the pauses for all processes. */
export function openArxiv(config: Config, db: Database, patience: Patience): ArxivTools {
  const now = () => new Date();
  const reachability = createReachability(db, 'arxiv', now);
  const client = createPoliteClient({
    userAgent: userAgent(VERSION, contactOf(config)),
    gate: createGate(db, 'arxiv', join(config.home, 'arxiv.lock'), now, isUnsent),
    reachability,
    now,
    paceMs: config.paceMs,
    proxy: config.proxy,
    ...patience,
  });
  return {
    source: createArxivSource(client, config.arxiv, config.paceMs),
    parse: createParser(PARSER_PROGRAM),
    reachability,
    close: client.close,
  };
}

function contactOf({ contact }: Config): string {
  if (contact === undefined) return PROJECT_CONTACT;
  const address =
    contact.includes('@') && !/^mailto:/i.test(contact) ? `mailto:${contact}` : contact;
  return `${PROJECT_CONTACT}; ${address}`;
}
