import type { Database } from 'better-sqlite3';
import type * as z from 'zod';
import {
  type EventDelivery,
  insertEvents,
  readStarterEvents,
  toDelivery,
} from '../../../../scripts/starter/events.ts';
import { vectorOf } from '../../../../scripts/starter/vectors.ts';
import type { VenueEvent, VenueMarket } from '../../../../src/areas/markets/sources/event-card.ts';
import { marketMigrations } from '../../../../src/areas/markets/tables.ts';
import type { Context } from '../../../../src/core/context.ts';
import type { Success } from '../../../../src/core/envelope.ts';
import type { Operation } from '../../../../src/core/operation.ts';
import { migrate } from '../../../../src/store/migrations.ts';
import { openForWriting } from '../../../../src/store/open.ts';
import { settingsMigrations } from '../../../../src/store/state.ts';
import { offline } from '../../../context.ts';
import { starterVectors } from '../../../starter.ts';
import { copyInMemory, withVectors } from '../../../vectors.ts';
import { callWith, errorOf, noModel, successOf } from '../calls.ts';

export const NOW = new Date('2026-11-21T12:00:00Z');
/** A few minutes before NOW: facts from this time are fresh. */
export const SEEN_AT = '2026-11-21T11:50:00.000Z';

/** Snapshots of new stores, reused for identical ones. */
const made: { empty?: Buffer; starter?: Buffer } = {};

/** An in-memory store, created by the real migrations. */
export function makeShelf(): Database {
  if (made.empty !== undefined) return copyInMemory(made.empty);
  const db = withVectors(openForWriting(':memory:'));
  migrate(db, [...settingsMigrations, ...marketMigrations], NOW);
  made.empty = db.serialize();
  return db;
}

/** The same, with the starter events and their committed vectors. */
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

/** Puts events on the shelf as if the venue had just delivered them. */
export function put(db: Database, events: readonly VenueEvent[], seenAt = SEEN_AT): void {
  insertEvents(
    db,
    events.map((each) => delivery(each, seenAt)),
  );
}

export function delivery(event: VenueEvent, seenAt = SEEN_AT): EventDelivery {
  return { event, seenAt, origin: 'live', vector: null };
}

/** The key of an event in the store, by Polymarket's id. */
export function keyOf(db: Database, sourceId: number | string): number {
  const find = db.prepare('SELECT id FROM market_event WHERE source_id = ?').pluck();
  return Number(find.get(String(sourceId)));
}

/** An open market with two outcomes, priced and tradable, except for the changes. */
export function market({
  prices = [0.3, 0.7],
  ...changes
}: Partial<VenueMarket> & { prices?: readonly number[] } = {}): VenueMarket {
  return {
    market_card_id: 'pmm_500',
    market_question: 'Will it happen?',
    place: null,
    outcomes: prices.map((current_probability, index) => ({
      label: index === 0 ? 'Yes' : 'No',
      outcome_token_id: String(index + 1).repeat(77),
      current_probability,
    })),
    status: 'active',
    volume: 100,
    liquidity: 10,
    closed_time: null,
    ...changes,
  };
}

/** An open event with one such market, except for the changes; `id` is Polymarket's. */
export function event({
  id = '100',
  ...changes
}: Partial<VenueEvent> & { id?: string } = {}): VenueEvent {
  return {
    source: 'polymarket',
    sourceId: id,
    alias: `pme_${id}`,
    url: `https://polymarket.com/event/${changes.slug ?? 'an-event'}`,
    slug: 'an-event',
    title: 'An event',
    description: null,
    tags: ['economy'],
    financeTags: null,
    series: null,
    recurrence: null,
    status: 'active',
    coverage_status: 'complete',
    volume_unit: 'usd',
    volume: 100,
    liquidity: 10,
    mutually_exclusive: false,
    markets: [market()],
    ...changes,
  };
}

interface CallOptions
  extends Partial<Pick<Context, 'embedQuery' | 'isWord' | 'freshenEvent' | 'refreshMarkets'>> {
  now?: Date;
  isForModel?: boolean | undefined;
}

/** Calls an operation as the doors do. */
export function call(
  db: Database,
  operation: Operation,
  input: unknown,
  { now = NOW, isForModel, ...more }: CallOptions = {},
) {
  const context = { ...offline, embedQuery: noModel, ...more, db, now: () => now };
  return callWith(context, operation, input, isForModel);
}

/** Data and meta of a call that must succeed. */
export async function replyOf<O extends z.ZodType>(
  db: Database,
  operation: Operation<z.ZodObject, O>,
  input: unknown,
  options: CallOptions = {},
): Promise<{ data: z.output<O>; meta: Success['meta'] }> {
  const { data, meta } = successOf(await call(db, operation, input, options));
  return { data: operation.output.parse(data), meta };
}

/** The error of a call that must fail. */
export async function failure(db: Database, operation: Operation, input: unknown) {
  return errorOf(await call(db, operation, input));
}
