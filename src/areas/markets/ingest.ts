import type { Database } from 'better-sqlite3';
import { pause } from '../../core/time.ts';
import { indexText, indexVectors } from '../../search/profile.ts';
import { write } from '../../store/connection.ts';
import {
  closeStored,
  embeddingText,
  hashWords,
  haystackOf,
  indexTexts,
  type MarketEvent,
  toMarketEvent,
} from './event.ts';
import { listStrikes } from './pairs.ts';
import { carryHistory } from './prices.ts';
import {
  findStored,
  getEventById,
  getHistory,
  isAliasTaken,
  readCard,
  type StoredState,
} from './queries.ts';
import { classify } from './scope.ts';
import type { StoredEvent, StoredMarket, VenueEvent } from './sources/event-card.ts';
import { eventIndex } from './tables.ts';

/** Counts of received events by their effect on the store. */
export interface Intake {
  added: number;
  changed: number;
  unchanged: number;
  /** Out of scope, so not stored. */
  outside: number;
  /** Not closed, but sent without any of its stored markets, so ignored. */
  emptied: number;
}

interface Sighting {
  /** When the venue delivered the event, ISO 8601 with milliseconds. */
  seenAt: string;
  origin: 'starter' | 'live';
  /** Vector of `embeddingText`; null keeps the stored vector. */
  vector: Float32Array | null;
}

/** Pause between transactions, so that other processes can write. */
const PAUSE_MS = 1;

/** Stores events that a venue has just delivered, one transaction per new or changed event. */
export async function storeSeenEvents(
  db: Database,
  events: readonly VenueEvent[],
  at: Date,
): Promise<Intake> {
  const intake: Intake = { added: 0, changed: 0, unchanged: 0, outside: 0, emptied: 0 };
  const seen = { seenAt: at.toISOString(), origin: 'live', vector: null } as const;
  const unchanged: number[] = [];
  for (const event of events) {
    const { effect, id } = storeEvent(db, event, seen);
    intake[effect] += 1;
    if (effect === 'unchanged' && id !== undefined) unchanged.push(id);
    if (effect === 'added' || effect === 'changed') await pause(PAUSE_MS);
  }
  markSeen(db, unchanged, at);
  return intake;
}

/**
 * Stores an event or replaces the stored one. A new event must be in scope. Aliases are unique
 * ignoring case; a second event with the same alias counts as out of scope. The caller must mark
 * unchanged events as seen.
 */
export function storeEvent(
  db: Database,
  sent: VenueEvent,
  sighting: Sighting,
): { effect: keyof Intake; id?: number } {
  const { seenAt, origin } = sighting;
  const stored = findStored(db, sent);
  const isBare = sent.markets.length === 0;
  const card = stored && readCard(stored.card);
  if (card !== undefined && isBare && sent.status !== 'closed' && card.markets.length > 0) {
    return { effect: 'emptied' };
  }
  const event =
    card !== undefined && isBare && sent.status === 'closed' ? closeStored(sent, card) : sent;
  const about = classify(event);
  if (stored === undefined && (!about.isFinance || isAliasTaken(db, event.alias))) {
    return { effect: 'outside' };
  }
  const forgotten = card === undefined ? [] : listForgotten(card, event);
  const target = toMarketEvent(event, about, seenAt, stored?.closedTime, forgotten);
  const isSame =
    stored?.origin === origin &&
    stored.card === JSON.stringify(target.card) &&
    stored.wordsHash === hashWords(target);
  if (isSame) return { effect: 'unchanged', id: stored.id };
  const id = write(db, () => writeEvent(db, sent.sourceId, target, sighting));
  return { effect: stored === undefined ? 'added' : 'changed', id };
}

function writeEvent(
  db: Database,
  sourceId: string,
  target: MarketEvent,
  { seenAt, origin, vector }: Sighting,
): number {
  const { source } = target.card;
  // Look again under the write lock: another process may have stored the event meanwhile.
  const stored = findStored(db, { source, sourceId });
  const wordsHash = hashWords(target);
  const isNewText = stored?.wordsHash !== wordsHash;
  const seen = Date.parse(seenAt);
  const upsert = db.prepare(`
    INSERT INTO market_event (source, source_id, origin, card)
    VALUES (@source, @sourceId, @origin, @card)
    ON CONFLICT (source, source_id) DO UPDATE SET origin = excluded.origin, card = excluded.card`);
  const card = JSON.stringify(target.card);
  const { lastInsertRowid } = upsert.run({ source, sourceId, origin, card });
  const id = stored?.id ?? Number(lastInsertRowid);
  // Price changes are measured between live observations, never from the bundled snapshot.
  storePrices(db, id, target.card, seen, stored?.origin === origin ? stored : undefined);
  if (isNewText) replaceTexts(db, id, target);
  replaceStrikes(db, id, target);
  if (vector !== null) indexVectors(db, eventIndex, [{ id, vector }]);
  const vectorDue = Number(vector === null && (isNewText || stored?.vectorDue === 1));
  db.prepare(`
    INSERT OR REPLACE INTO market_event_state (id, seen_at, words_hash, vector_due)
    VALUES (@id, @seen, @wordsHash, @vectorDue)`).run({ id, seen, wordsHash, vectorDue });
  return id;
}

/**
 * Stored closed markets that the venue no longer sends, as happens after some months. If it sent
 * more markets than we keep, only winners are listed, because we may have dropped the others.
 */
function listForgotten(stored: StoredEvent, { markets, more_markets }: VenueEvent): StoredMarket[] {
  const sent = new Set(markets.map((market) => market.market_card_id));
  return stored.markets.filter(
    ({ market_card_id, status, settlement }) =>
      status === 'closed' &&
      !sent.has(market_card_id) &&
      (more_markets === undefined || settlement?.winning_outcome === 'Yes'),
  );
}

function replaceTexts(db: Database, id: number, event: MarketEvent): void {
  indexText(db, eventIndex, id, indexTexts(event));
  db.prepare(`
    INSERT OR REPLACE INTO market_event_text (id, haystack)
    VALUES (@id, @haystack)`).run({ id, haystack: haystackOf(event.card) });
  for (const [name, values] of [
    ['tag', [...event.allTags, event.card.source]],
    ['asset', event.assets],
  ] as const) {
    db.prepare(`DELETE FROM market_event_${name} WHERE event_id = @id`).run({ id });
    const add = db.prepare(`
      INSERT INTO market_event_${name} (${name}, event_id) VALUES (@value, @id)`);
    for (const value of values) add.run({ value, id });
  }
}

function replaceStrikes(db: Database, id: number, event: MarketEvent): void {
  db.prepare('DELETE FROM market_event_strike WHERE event_id = @id').run({ id });
  const add = db.prepare(`
    INSERT OR REPLACE INTO market_event_strike (settlement_day, about, strike, source, event_id,
      market_card_id, market_question, probability, volume)
    VALUES (@day, @about, @strike, @source, @id, @market_card_id, @market_question, @probability, @volume)`);
  for (const strike of listStrikes(event)) add.run({ id, ...strike });
}

/** Continues an event's price history at `now`, or begins one if `before` is undefined. */
export function storePrices(
  db: Database,
  id: number,
  { markets }: StoredEvent,
  now: number,
  before: Pick<StoredState, 'card' | 'seenAt'> | undefined,
): void {
  const history = carryHistory(
    before === undefined ? {} : getHistory(db, id),
    before === undefined ? [] : readCard(before.card).markets,
    markets,
    { seenUntil: before?.seenAt ?? now, now },
  );
  const moves = Object.values(history).filter(({ past }) => past.length > 0);
  const movedAt = moves.length === 0 ? null : Math.max(...moves.map(({ since }) => since));
  db.prepare(`
    INSERT OR REPLACE INTO market_event_prices (id, moved_at, history)
    VALUES (@id, @movedAt, @history)`).run({ id, movedAt, history: JSON.stringify(history) });
}

/** Records that a venue confirmed these events. */
export function markSeen(db: Database, ids: readonly number[], at: Date): void {
  const mark = db.prepare(`
    UPDATE market_event_state SET seen_at = @at, failed_at = NULL, missing_at = NULL
    WHERE id IN (SELECT value FROM json_each(@ids))`);
  write(db, () => mark.run({ ids: JSON.stringify(ids), at: at.getTime() }));
}

export function setVectorDue(db: Database, id: number): void {
  db.prepare('UPDATE market_event_state SET vector_due = 1 WHERE id = @id').run({ id });
}

interface UnembeddedEvent {
  id: number;
  text: string;
  /** Lets `storeEventVector` detect that the text has changed. */
  wordsHash: string;
}

/** The next events to embed, active and liquid ones first. */
export function listUnembeddedEvents(db: Database, limit: number): UnembeddedEvent[] {
  const due = db
    .prepare<object, { id: number; wordsHash: string }>(`
      SELECT e.id, s.words_hash AS wordsHash
      FROM market_event_state s JOIN market_event e ON e.id = s.id
      WHERE s.vector_due = 1
      ORDER BY e.sort_rank, e.sort_closing, e.sort_liquidity, e.id
      LIMIT @limit`)
    .all({ limit });
  return due.flatMap(({ id, wordsHash }) => {
    const event = getEventById(db, id);
    return event === undefined ? [] : [{ id, wordsHash, text: embeddingText(event) }];
  });
}

/**
 * Stores an event's vector, unless the event's text has changed meanwhile, in which case a new
 * vector stays due. Throws if the vector is not of unit length.
 */
export function storeEventVector(
  db: Database,
  { id, wordsHash }: Omit<UnembeddedEvent, 'text'>,
  vector: Float32Array,
): void {
  const settle = db.prepare(`
    UPDATE market_event_state SET vector_due = 0
    WHERE id = @id AND words_hash = @wordsHash AND vector_due = 1`);
  write(db, () => {
    if (settle.run({ id, wordsHash }).changes > 0) indexVectors(db, eventIndex, [{ id, vector }]);
  });
}
