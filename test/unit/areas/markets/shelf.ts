import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Database } from 'better-sqlite3';
import type * as z from 'zod';
import { toDelivery } from '../../../../scripts/starter/event-cards.ts';
import { readStarterEvents } from '../../../../scripts/starter/events.ts';
import { insertEvents } from '../../../../scripts/starter/insert-events.ts';
import { vectorOf } from '../../../../scripts/starter/vectors.ts';
import type { EventDelivery } from '../../../../src/areas/markets/ingest.ts';
import type { EventFacts, MarketFacts } from '../../../../src/areas/markets/sources/gamma.ts';
import { marketMigrations } from '../../../../src/areas/markets/tables.ts';
import type { Context } from '../../../../src/core/context.ts';
import type { Success } from '../../../../src/core/envelope.ts';
import type { Operation } from '../../../../src/core/operation.ts';
import { run } from '../../../../src/core/run.ts';
import { settingsMigrations } from '../../../../src/store/embedding-model.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { openForWriting } from '../../../../src/store/open.ts';
import { offline } from '../../../context.ts';
import { starterVectors } from '../../../starter.ts';
import { copyInMemory, withVectors } from '../../../vectors.ts';

export const NOW = new Date('2026-11-21T12:00:00Z');
/** Some minutes before NOW: facts of this moment are fresh. */
export const SEEN_AT = '2026-11-21T11:50:00.000Z';

const SHARED_DIR = process.env.QUANTSHELF_SHARED_DIR ?? resolve('../shared');
/** The recorded pulls, or undefined: tests that read them are then skipped. */
export const SHARED: string | undefined = existsSync(join(SHARED_DIR, 'data', 'markets'))
  ? SHARED_DIR
  : undefined;

/** Stores as they were made first, for those that are the same. */
const made: { empty?: Buffer; starter?: Buffer } = {};

/** A store in memory, made by the real migrations. */
export function makeShelf(): Database {
  if (made.empty !== undefined) return copyInMemory(made.empty);
  const db = withVectors(openForWriting(':memory:'));
  migrate(db, [...settingsMigrations, ...marketMigrations], NOW);
  made.empty = db.serialize();
  return db;
}

/** The same with the starter events and their committed vectors. */
export function makeStarterShelf(): Database {
  if (made.starter !== undefined) return copyInMemory(made.starter);
  const db = makeShelf();
  const lookUp = (key: string, text: string) => vectorOf(starterVectors(), key, text);
  insertEvents(
    db,
    readStarterEvents('data/starter').map((event) => toDelivery(event, lookUp)),
  );
  made.starter = db.serialize();
  return db;
}

/** Puts facts on the shelf as if the source had just told them. */
export function put(db: Database, facts: readonly EventFacts[], seenAt = SEEN_AT): void {
  insertEvents(
    db,
    facts.map((each) => delivery(each, seenAt)),
  );
}

export function delivery(facts: EventFacts, seenAt = SEEN_AT): EventDelivery {
  return { facts, seenAt, origin: 'polymarket', vector: null };
}

/** An open market of two outcomes, priced and tradable, but for the changes. */
export function market(changes: Partial<MarketFacts> = {}): MarketFacts {
  return {
    id: '500',
    slug: 'a-market',
    question: 'Will it happen?',
    groupLabel: null,
    place: null,
    outcomes: ['Yes', 'No'],
    tokenIds: ['1'.repeat(77), '2'.repeat(78)],
    prices: [0.3, 0.7],
    bestBid: 0.29,
    bestAsk: 0.31,
    lastTradePrice: 0.3,
    volume: 100,
    liquidity: 10,
    active: true,
    closed: false,
    archived: false,
    acceptingOrders: true,
    endTime: null,
    closedTime: null,
    ...changes,
  };
}

/** An open event with one such market, but for the changes. */
export function event(changes: Partial<EventFacts> = {}): EventFacts {
  return {
    id: '100',
    slug: 'an-event',
    title: 'An event',
    description: null,
    tags: ['economy'],
    category: null,
    recurrence: null,
    active: true,
    closed: false,
    archived: false,
    mutuallyExclusive: false,
    startTime: null,
    endTime: null,
    closedTime: null,
    volume: null,
    volume24h: null,
    liquidity: null,
    openInterest: null,
    resolutionSource: null,
    markets: [market()],
    ...changes,
  };
}

const noModel: Context['embedQuery'] = async () => ({
  unavailable: 'Lexical search only: no model in this test.',
});

interface CallOptions extends Partial<Pick<Context, 'embedQuery' | 'isWord' | 'refreshMarkets'>> {
  now?: Date;
  isForModel?: boolean | undefined;
}

/** A call on the only path that doors use; the account never runs dry. */
export function call(
  db: Database,
  operation: Operation,
  input: unknown,
  { now = NOW, isForModel, ...more }: CallOptions = {},
) {
  const account = { name: 'local', balance: () => 100, charge: () => 99 };
  return run(operation, input, {
    open: async () => ({
      context: { ...offline, embedQuery: noModel, ...more, db, now: () => now },
      account,
    }),
    log: (line) => process.stderr.write(`${line}\n`),
    isForModel,
  });
}

/** Data and meta of a call that must succeed. */
export async function answer<O extends z.ZodType>(
  db: Database,
  operation: Operation<z.ZodObject, O>,
  input: unknown,
  options: CallOptions = {},
): Promise<{ data: z.output<O>; meta: Success['meta'] }> {
  const outcome = await call(db, operation, input, options);
  if (!outcome.ok) throw new Error(outcome.envelope.error.message);
  const { data, meta } = outcome.envelope;
  return { data: operation.output.parse(data), meta };
}

/** The error of a call that must fail. */
export async function failure(db: Database, operation: Operation, input: unknown) {
  const outcome = await call(db, operation, input);
  if (outcome.ok) throw new Error('the call did not fail');
  return outcome.envelope.error;
}
