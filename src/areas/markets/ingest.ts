import type { Database } from 'better-sqlite3';
import { indexText, indexVectors, removeFromIndex } from '../../search/profile.ts';
import { removeVectors } from '../../search/vectors.ts';
import { type OwnedTable, replaceRows } from '../../store/copy-rows.ts';
import { storedModel } from '../../store/embedding-model.ts';
import { positionOf } from './cursor.ts';
import { cardIdOf } from './event-ids.ts';
import { hashFacts, hashWords, haystackOf, indexTexts } from './event-text.ts';
import { replaceMarkets } from './market-ingest.ts';
import { type EventCard, normaliseEvent } from './normalise.ts';
import type { EventFacts } from './sources/gamma.ts';
import type { EventSyncState } from './sync-queries.ts';
import { EVENT_COLUMNS, eventIndex, upsertSql } from './tables.ts';

/** An event as observed. */
export interface EventDelivery {
  facts: EventFacts;
  /** When it was observed, ISO 8601 with milliseconds. */
  seenAt: string;
  origin: 'starter' | 'polymarket';
  /** Vector of `embeddingText`; null keeps a vector already stored. */
  vector: Float32Array | null;
}

/** What can be computed from a delivery before the write lock is taken. */
export interface PreparedEvent {
  delivery: EventDelivery;
  card: EventCard;
  held: EventSyncState | undefined;
  factsHash: string;
  wordsHash: string;
}

/** Prepares one delivery; `held` is the stored state of the event. */
export function prepareEvent(
  delivery: EventDelivery,
  held: EventSyncState | undefined,
  factsHash = hashFacts(delivery.facts),
): PreparedEvent {
  const { facts, seenAt } = delivery;
  const card = normaliseEvent(facts, seenAt, held?.closedTime ?? null);
  return { delivery, card, held, factsHash, wordsHash: hashWords(card) };
}

/** Writes one event to its tables; call it inside a transaction. */
export function writeEvent(db: Database, prepared: PreparedEvent): void {
  const { delivery, card, held, factsHash, wordsHash } = prepared;
  const { seenAt, origin, vector } = delivery;
  upsertEvent(db, card, origin);
  // Price changes are measured between live observations, never from the bundled snapshot.
  replaceMarkets(db, card, Date.parse(seenAt), held?.origin === origin ? held.seenAt : null);
  const sameWords = held?.wordsHash === wordsHash;
  if (!sameWords) {
    upsertHaystack(db, card);
    indexText(db, eventIndex, card.id, indexTexts(card));
    replaceTags(db, card);
  }
  if (vector !== null) indexVectors(db, eventIndex, [{ id: card.id, vector }]);
  const vectorDue = vector === null && (!sameWords || held?.vectorDue === 1);
  saveSyncState(db, card.id, { factsHash, wordsHash, vectorDue });
  markSeen(db, [card.id], Date.parse(seenAt));
}

/** Records that the source listed these events at `at`, in milliseconds since 1970. */
export function markSeen(db: Database, ids: readonly number[], at: number): void {
  // Also replaces a time in the future, which came from a clock that was ahead.
  db.prepare(`
    INSERT INTO market_event_last_seen (id, seen_at)
    SELECT value, @at FROM json_each(@ids) WHERE true
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
    WHERE seen_at <> excluded.seen_at`).run({ ids: JSON.stringify(ids), at });
}

function saveSyncState(
  db: Database,
  id: number,
  sight: { factsHash: string; wordsHash: string; vectorDue: boolean },
): void {
  db.prepare(`
    INSERT INTO market_event_sync_state (id, facts_hash, words_hash, vector_due)
    VALUES (@id, @factsHash, @wordsHash, @vectorDue)
    ON CONFLICT (id) DO UPDATE SET
      facts_hash = excluded.facts_hash, words_hash = excluded.words_hash,
      vector_due = excluded.vector_due, missing_since = NULL, gone = 0`).run({
    ...sight,
    id,
    vectorDue: Number(sight.vectorDue),
  });
}

function upsertEvent(db: Database, card: EventCard, origin: EventDelivery['origin']): void {
  const position = positionOf(card);
  db.prepare(UPSERT_EVENT).run({
    ...card,
    cardId: cardIdOf(card.id),
    tags: JSON.stringify(card.tags),
    mutuallyExclusive: Number(card.mutuallyExclusive),
    rank: position.rank,
    closing: position.closing,
    sortLiquidity: position.liquidity,
    sortVolume: position.volume,
    origin,
  });
}

const UPSERT_EVENT = upsertSql('market_event', ['id'], {
  ...EVENT_COLUMNS,
  rank: 'sort_rank',
  closing: 'sort_closing',
  sortLiquidity: 'sort_liquidity',
  sortVolume: 'sort_volume',
  resolutionTime: 'resolution_time',
});

function upsertHaystack(db: Database, card: EventCard): void {
  db.prepare(`
    INSERT INTO market_event_text (id, haystack) VALUES (@id, @haystack)
    ON CONFLICT (id) DO UPDATE SET haystack = excluded.haystack`).run({
    id: card.id,
    haystack: haystackOf(card),
  });
}

function replaceTags(db: Database, { id, allTags, assets }: EventCard): void {
  db.prepare('DELETE FROM market_event_tag WHERE event_id = @id').run({ id });
  const addTag = db.prepare('INSERT INTO market_event_tag (tag, event_id) VALUES (@tag, @id)');
  for (const tag of allTags) addTag.run({ tag, id });
  db.prepare('DELETE FROM market_event_asset WHERE event_id = @id').run({ id });
  const addAsset = db.prepare(
    'INSERT INTO market_event_asset (asset, event_id) VALUES (@asset, @id)',
  );
  for (const asset of assets) addAsset.run({ asset, id });
}

const STARTER_TABLES: readonly OwnedTable[] = [
  { table: 'market_event', key: 'id' },
  { table: 'market_event_text', key: 'id' },
  { table: 'market_event_tag', key: 'event_id' },
  { table: 'market_event_asset', key: 'event_id' },
  { table: 'market', key: 'event_id' },
  { table: 'market_event_sync_state', key: 'id' },
  { table: 'market_event_last_seen', key: 'id' },
  { table: 'market_event_terms', key: 'rowid' },
  { table: 'market_event_vector', key: 'id' },
  { table: 'market_event_passages', key: 'id' },
];

/**
 * Adds the events of a newer starter store, and replaces those of an older one. Events that came from
 * Polymarket stay as they are. Yields a transaction per event.
 */
export function* renewStarterEvents(db: Database, starter: Database): Generator<() => void> {
  const originOf = db
    .prepare<{ id: number }, string>('SELECT origin FROM market_event WHERE id = @id')
    .pluck();
  const ids = starter
    .prepare<[], number>("SELECT id FROM market_event WHERE origin = 'starter'")
    .pluck()
    .all();
  for (const id of ids) {
    const slice = db.transaction(() => {
      if (originOf.get({ id }) === 'polymarket') return;
      copyEvent(db, starter, id);
    });
    yield () => slice.immediate();
  }
}

/**
 * Takes an event from the starter; where the store has another model than that, without its vectors,
 * which the next sync makes. Call it inside a transaction: the model may change.
 */
function copyEvent(db: Database, starter: Database, id: number): void {
  replaceRows(starter, db, STARTER_TABLES, { from: id, to: id });
  if (storedModel(starter) === storedModel(db)) return;
  removeVectors(db, eventIndex.name, id);
  db.prepare('UPDATE market_event_sync_state SET vector_due = 1 WHERE id = @id').run({ id });
}

/** Removes an event with all that belongs to it. Call it inside a transaction. */
export function removeEvent(db: Database, id: number): void {
  db.prepare('DELETE FROM market_event WHERE id = @id').run({ id });
  removeFromIndex(db, eventIndex, id);
}
