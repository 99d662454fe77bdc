import type { Database } from 'better-sqlite3';
import { indexText, indexVectors } from '../../store/search/index.ts';
import { positionOf } from './cursor.ts';
import type { EventFacts } from './facts.ts';
import { hashFacts } from './fingerprint.ts';
import { cardIdOf } from './ids.ts';
import { replaceMarkets } from './market-ingest.ts';
import { type EventCard, normaliseEvent } from './normalise.ts';
import { findSight, type Sight } from './pull-queries.ts';
import { eventIndex } from './tables.ts';
import { hashWords, haystackOf, indexTexts } from './text.ts';

/** An event as it was seen. */
export interface EventDelivery {
  facts: EventFacts;
  /** The moment of the facts, ISO 8601 with milliseconds. */
  seenAt: string;
  origin: 'starter' | 'polymarket';
  /** Vector of `embeddingText`; null leaves a vector already kept. */
  vector: Float32Array | null;
}

/** All of a delivery that can be worked out before the store is locked for writing. */
export interface PreparedEvent {
  delivery: EventDelivery;
  card: EventCard;
  held: Sight | undefined;
  factsHash: string;
  wordsHash: string;
}

/**
 * Puts events into the shelf, each with its markets, tags, assets and words; a known event is
 * replaced whole, so a delivery may come twice. The caller keeps to the scope (`isFinance`).
 * One transaction: all of them, or none. Throws on a vector that is no unit vector.
 */
export function insertEvents(db: Database, deliveries: readonly EventDelivery[]): void {
  db.transaction(() => {
    for (const delivery of deliveries) {
      const held = findSight(db, Number(delivery.facts.id));
      writeEvent(db, prepareEvent(delivery, held));
    }
  }).immediate();
}

/** `held` is what the store keeps of the event. */
export function prepareEvent(
  delivery: EventDelivery,
  held: Sight | undefined,
  factsHash = hashFacts(delivery.facts),
): PreparedEvent {
  const { facts, seenAt } = delivery;
  const card = normaliseEvent(facts, seenAt, held?.closedTime ?? null);
  return { delivery, card, held, factsHash, wordsHash: hashWords(card) };
}

/** One event into its tables; call it inside a transaction. */
export function writeEvent(db: Database, prepared: PreparedEvent): void {
  const { delivery, card, held, factsHash, wordsHash } = prepared;
  const { seenAt, origin, vector } = delivery;
  upsertEvent(db, card, origin);
  // A snapshot is no sight of the market: moves are told between live ones.
  replaceMarkets(db, card, Date.parse(seenAt), held?.origin === origin ? held.seenAt : null);
  const sameWords = held?.wordsHash === wordsHash;
  if (!sameWords) {
    upsertHaystack(db, card);
    indexText(db, eventIndex, card.id, indexTexts(card));
    replaceTags(db, card);
  }
  if (vector !== null) indexVectors(db, eventIndex, [{ id: card.id, vector }]);
  const vectorDue = vector === null && (!sameWords || held?.vectorDue === 1);
  saveSight(db, card.id, { factsHash, wordsHash, vectorDue });
  markSeen(db, [card.id], Date.parse(seenAt));
}

/** The source showed these events at `at`, milliseconds since 1970. */
export function markSeen(db: Database, ids: readonly number[], at: number): void {
  // A moment in the future is that of a clock that ran ahead: it makes place too.
  db.prepare(`
    INSERT INTO market_event_seen (id, seen_at)
    SELECT value, @at FROM json_each(@ids) WHERE true
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
    WHERE seen_at <> excluded.seen_at`).run({ ids: JSON.stringify(ids), at });
}

function saveSight(
  db: Database,
  id: number,
  sight: { factsHash: string; wordsHash: string; vectorDue: boolean },
): void {
  db.prepare(`
    INSERT INTO market_event_sight (id, facts_hash, words_hash, vector_due)
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
  db.prepare(`
    INSERT INTO market_event (
      id, card_id, status, sort_rank, sort_closing, sort_liquidity, sort_volume, resolution_time,
      liquidity, volume, volume_24h, open_interest, coverage, start_time, end_time, closed_time,
      mutually_exclusive, origin, slug, title, tags, category, resolution_source, description
    ) VALUES (
      @id, @cardId, @status, @rank, @closing, @sortLiquidity, @sortVolume, @resolutionTime,
      @liquidity, @volume, @volume24h, @openInterest, @coverage, @startTime, @endTime, @closedTime,
      @mutuallyExclusive, @origin, @slug, @title, @tags, @category, @resolutionSource, @description
    )
    ON CONFLICT (id) DO UPDATE SET
      status = excluded.status, sort_rank = excluded.sort_rank,
      sort_closing = excluded.sort_closing, sort_liquidity = excluded.sort_liquidity,
      sort_volume = excluded.sort_volume, resolution_time = excluded.resolution_time,
      liquidity = excluded.liquidity, volume = excluded.volume, volume_24h = excluded.volume_24h,
      open_interest = excluded.open_interest, coverage = excluded.coverage,
      start_time = excluded.start_time, end_time = excluded.end_time,
      closed_time = excluded.closed_time, mutually_exclusive = excluded.mutually_exclusive,
      origin = excluded.origin, slug = excluded.slug,
      title = excluded.title, tags = excluded.tags, category = excluded.category,
      resolution_source = excluded.resolution_source, description = excluded.description`).run({
    ...card,
    cardId: cardIdOf(card.id),
    rank: position.rank,
    closing: position.closing,
    sortLiquidity: position.liquidity,
    sortVolume: position.volume,
    mutuallyExclusive: Number(card.mutuallyExclusive),
    tags: JSON.stringify(card.tags),
    origin,
  });
}

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
