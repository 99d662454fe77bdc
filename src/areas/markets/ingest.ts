import type { Database } from 'better-sqlite3';
import { pause } from '../../core/time.ts';
import { indexText, indexVectors } from '../../search/profile.ts';
import { type Market, type MarketEvent, toMarketEvent } from './event.ts';
import { hashFacts, hashWords, haystackOf, indexTexts } from './event-text.ts';
import { packPast, recordPriceChange, unpackOutcomes, unpackPast } from './prices.ts';
import {
  findStored,
  isAliasTaken,
  listMarketRows,
  listMarkets,
  type MarketRow,
  type StoredState,
} from './queries.ts';
import { isFinance } from './scope.ts';
import { forgets, type VenueEvent } from './sources/venue.ts';
import { EVENT_FIELDS, eventIndex, MARKET_FIELDS, upsertSql } from './tables.ts';

/** An event as observed. */
export interface EventDelivery {
  event: VenueEvent;
  /** When it was observed, ISO 8601 with milliseconds. */
  seenAt: string;
  origin: 'starter' | 'live';
  /** Vector of `embeddingText`; null keeps a vector already stored. */
  vector: Float32Array | null;
}

/** Outcome counts of a page of events. */
export interface Intake {
  added: number;
  changed: number;
  unchanged: number;
  /** Outside the scope, and so not stored. */
  outside: number;
}

/** Between two transactions, so that other processes wait only briefly. */
const PAUSE_MS = 1;

/**
 * Stores events observed at `seenAt`: those in scope are added, stored ones are replaced, and unchanged ones
 * only get the new time. Of two whose aliases differ in case only the second is outside. A transaction per
 * event.
 */
export async function storeSeenEvents(
  db: Database,
  events: readonly VenueEvent[],
  seenAt: Date,
): Promise<Intake> {
  const intake: Intake = { added: 0, changed: 0, unchanged: 0, outside: 0 };
  const unchanged: number[] = [];
  for (const event of events) {
    const stored = findStored(db, event);
    const factsHash = hashFacts(event);
    if (stored?.origin === 'live' && stored.factsHash === factsHash) {
      unchanged.push(stored.id);
    } else if (stored === undefined && (!isFinance(event) || isAliasTaken(db, event.alias))) {
      intake.outside += 1;
    } else {
      intake[stored === undefined ? 'added' : 'changed'] += 1;
      const delivery = {
        event,
        seenAt: seenAt.toISOString(),
        origin: 'live',
        vector: null,
      } as const;
      db.transaction(prepareEvent(db, delivery, stored, factsHash)).immediate();
      await pause(PAUSE_MS);
    }
  }
  intake.unchanged = unchanged.length;
  markSeen(db, unchanged, seenAt);
  return intake;
}

/**
 * Prepares an event before the write lock is taken; the result writes it to its tables. Call that inside
 * a transaction.
 */
export function prepareEvent(
  db: Database,
  { event: delivered, seenAt, origin, vector }: EventDelivery,
  stored: StoredState | undefined,
  factsHash = hashFacts(delivered),
): () => void {
  const event = toMarketEvent(delivered, seenAt, stored?.closedTime ?? null);
  if (stored !== undefined && forgets(event.source)) {
    event.markets = [...event.markets, ...listForgotten(db, stored.id, event)];
  }
  const wordsHash = hashWords(event);
  const isNewText = stored?.wordsHash !== wordsHash;
  const vectorDue = vector === null && (isNewText || stored?.vectorDue === 1);
  const seen = Date.parse(seenAt);
  return () => {
    const id = upsertEvent(db, event, origin);
    // Price changes are measured between live observations, never from the bundled snapshot.
    replaceMarkets(db, id, event, seen, stored?.origin === origin ? stored.seenAt : null);
    if (isNewText) replaceTexts(db, id, event);
    if (vector !== null) indexVectors(db, eventIndex, [{ id, vector }]);
    db.prepare(`
      INSERT OR REPLACE INTO market_event_state (id, seen_at, facts_hash, words_hash, vector_due)
      VALUES (@id, @seen, @factsHash, @wordsHash, @vectorDue)`).run({
      ...{ id, seen, factsHash, wordsHash },
      vectorDue: Number(vectorDue),
    });
  };
}

/**
 * The stored markets that are settled and that the venue no longer sends. Where it sends more than are kept,
 * one that came true is always among those, and of the others nobody knows.
 */
function listForgotten(db: Database, id: number, { markets, moreMarkets }: MarketEvent): Market[] {
  const sent = new Set(markets.map((market) => market.id));
  return listMarkets(db, id).filter(
    ({ id: market, status, winningOutcome }) =>
      status === 'closed' && !sent.has(market) && (moreMarkets === 0 || winningOutcome === 'Yes'),
  );
}

const UPSERT_EVENT = `${upsertSql(
  'market_event',
  ['source', 'sourceId'],
  EVENT_FIELDS,
)} RETURNING id`;

function upsertEvent(db: Database, event: MarketEvent, origin: EventDelivery['origin']): number {
  const id = db
    .prepare<object, number>(UPSERT_EVENT)
    .pluck()
    .get({
      ...event,
      tags: JSON.stringify(event.tags),
      mutuallyExclusive: Number(event.mutuallyExclusive),
      origin,
    });
  if (id === undefined) throw new Error('the event was not stored');
  return id;
}

function replaceTexts(db: Database, id: number, event: MarketEvent): void {
  indexText(db, eventIndex, id, indexTexts(event));
  db.prepare('INSERT OR REPLACE INTO market_event_text (id, haystack) VALUES (@id, @haystack)').run(
    {
      id,
      haystack: haystackOf(event),
    },
  );
  for (const [name, values] of [
    ['tag', [...event.allTags, event.source]],
    ['asset', event.assets],
  ] as const) {
    db.prepare(`DELETE FROM market_event_${name} WHERE event_id = @id`).run({ id });
    const add = db.prepare(
      `INSERT INTO market_event_${name} (${name}, event_id) VALUES (@value, @id)`,
    );
    for (const value of values) add.run({ value, id });
  }
}

const UPSERT_MARKET = upsertSql(
  'market',
  ['eventId', 'position'],
  ['eventId', 'position', ...MARKET_FIELDS],
);

/**
 * Writes the markets of an event with their earlier prices. `now` is the time of the event and
 * `storedSeenAt` that of the last observation of the stored markets, in milliseconds since 1970; null
 * if their prices must not start a history.
 */
function replaceMarkets(
  db: Database,
  eventId: number,
  { markets }: MarketEvent,
  now: number,
  storedSeenAt: number | null,
): void {
  const stored = new Map(listMarketRows(db, eventId).map((row) => [row.id, row]));
  const upsert = db.prepare(UPSERT_MARKET);
  for (const [position, market] of markets.entries()) {
    const row = {
      ...market,
      outcomes: JSON.stringify(market.outcomes),
      priceSince: now,
      past: null,
    };
    const before = stored.get(market.id);
    const history =
      before === undefined || storedSeenAt === null
        ? {}
        : carryHistory(before, row, storedSeenAt, now);
    upsert.run({ ...row, ...history, eventId, position });
  }
  db.prepare('DELETE FROM market WHERE event_id = @eventId AND position >= @count').run({
    eventId,
    count: markets.length,
  });
}

/** Price history of a market after the observation at `now`; restarts when its outcomes changed. */
function carryHistory(
  before: MarketRow,
  after: MarketRow,
  seenUntil: number,
  now: number,
): Partial<Pick<MarketRow, 'priceSince' | 'past'>> {
  const { priceSince, past } = before;
  const [old, current] = [before, after].map(({ outcomes }) => unpackOutcomes(outcomes));
  const listOf = (field: 'tokenId' | 'probability', outcomes = current) =>
    (outcomes ?? []).map((outcome) => outcome[field]).join();
  if (listOf('tokenId', old) !== listOf('tokenId')) return {};
  if (listOf('probability', old) === listOf('probability')) return { priceSince, past };
  const prices = (old ?? []).map(({ probability }) => probability);
  const history = { since: priceSince, past: unpackPast(past) };
  const next = recordPriceChange(history, { prices, seenUntil }, now);
  return { priceSince: next.since, past: packPast(next.past) };
}

/** Records that the venue listed these events unchanged. */
function markSeen(db: Database, ids: readonly number[], at: Date): void {
  db.prepare(`
    UPDATE market_event_state SET seen_at = @at, failed_at = NULL
    WHERE id IN (SELECT value FROM json_each(@ids))`).run({
    ids: JSON.stringify(ids),
    at: at.getTime(),
  });
}
