import type { Database } from 'better-sqlite3';
import { serviceUnavailable } from '../../core/errors.ts';
import type { Reader } from '../../core/reader.ts';
import { type BrowsePosition, type EventFilters, filterOf } from './filters.ts';
import { type PriceHistory, readHistory } from './prices.ts';
import { type StoredEvent, storedEvent, type VenueEvent } from './sources/event-card.ts';

/** A stored event with its position in browse order. */
export interface EventRow extends StoredEvent, BrowsePosition {
  origin: 'starter' | 'live';
  /** When the venue last confirmed these facts; ISO 8601, like all times. */
  synced_at: string;
  /** Whether the venue's last response lacked the event or its markets. */
  isMissing: boolean;
}

interface RawEvent extends BrowsePosition {
  origin: EventRow['origin'];
  card: string;
  seenAt: number;
  isMissing: number;
}

const SELECT_EVENTS = `
  SELECT e.id, e.origin, e.card, e.sort_rank AS sortRank, e.sort_closing AS sortClosing,
    e.sort_liquidity AS sortLiquidity, e.sort_volume AS sortVolume,
    s.seen_at AS seenAt, s.missing_at IS NOT NULL AS isMissing
  FROM market_event e CROSS JOIN market_event_state s ON s.id = e.id`;
const BROWSE_ORDER = 'e.sort_rank, e.sort_closing, e.sort_liquidity, e.sort_volume, e.id';

function toEvent({ card, seenAt, isMissing, ...raw }: RawEvent): EventRow {
  return {
    ...readCard(card),
    ...raw,
    synced_at: new Date(seenAt).toISOString(),
    isMissing: isMissing === 1,
  };
}

/** Throws `service_unavailable` for a card stored by another version. */
export function readCard(json: string): StoredEvent {
  const { data, error } = storedEvent.safeParse(JSON.parse(json));
  if (data !== undefined) return data;
  throw serviceUnavailable(
    'An event was stored by another version of QuantShelf. Restart with the newest version.',
    error,
  );
}

/** Events that pass the filters, in browse order, after a position. */
export function browseEvents(
  db: Reader,
  filters: EventFilters,
  now: Date,
  page: { limit: number; after: BrowsePosition | null },
): readonly EventRow[] {
  const { where, params } = filterOf(filters, now);
  const after =
    page.after === null
      ? ''
      : `AND (${BROWSE_ORDER}) > (@sortRank, @sortClosing, @sortLiquidity, @sortVolume, @id)`;
  return db
    .prepare<object, RawEvent>(`
      ${SELECT_EVENTS} WHERE ${where} ${after} ORDER BY ${BROWSE_ORDER} LIMIT @limit`)
    .all({ ...params, ...page.after, limit: page.limit })
    .map(toEvent);
}

export function getEventById(db: Reader, id: number): EventRow | undefined {
  const raw = db.prepare<{ id: number }, RawEvent>(`${SELECT_EVENTS} WHERE e.id = @id`).get({ id });
  return raw && toEvent(raw);
}

/** Captures the path of a URL, with or without its scheme. */
const ADDRESS_PATH = /^(?:https?:\/\/)?(?:[\w-]+\.)+[a-z]+\/([^?#]+)/;

/** The event with this event_card_id, alias, slug or URL, ignoring case. */
export function findEvent(db: Reader, text: string): EventRow | undefined {
  const folded = text.trim().toLowerCase();
  // In a URL, the event's slug comes before its market's.
  const names = ADDRESS_PATH.exec(folded)?.[1]?.split('/') ?? [folded];
  const find = db.prepare<{ name: string }, RawEvent>(`
    ${SELECT_EVENTS} WHERE e.id IN (
      SELECT id FROM market_event WHERE card_id = @name OR alias = @name OR slug = @name LIMIT 1)`);
  const [raw] = names.flatMap((name) => find.get({ name }) ?? []);
  return raw && toEvent(raw);
}

/** The stored state with which an ingest compares a delivered event. */
export interface StoredState extends Pick<EventRow, 'id' | 'origin'> {
  /** JSON of a StoredEvent. */
  card: string;
  closedTime: string | null;
  /** Milliseconds since 1970. */
  seenAt: number;
  wordsHash: string;
  vectorDue: number;
}

export function findStored(
  db: Database,
  { source, sourceId }: Pick<VenueEvent, 'source' | 'sourceId'>,
): StoredState | undefined {
  return db
    .prepare<object, StoredState>(`
      SELECT e.id, e.origin, e.card, e.closed_time AS closedTime, s.seen_at AS seenAt,
        s.words_hash AS wordsHash, s.vector_due AS vectorDue
      FROM market_event e JOIN market_event_state s ON s.id = e.id
      WHERE e.source = @source AND e.source_id = @sourceId`)
    .get({ source, sourceId });
}

export function getHistory(db: Reader, id: number): PriceHistory {
  const find = db.prepare<object, string>('SELECT history FROM market_event_prices WHERE id = @id');
  return readHistory(find.pluck().get({ id }));
}

/** Whether an event has this alias, ignoring case. */
export function isAliasTaken(db: Database, alias: string): boolean {
  return db.prepare('SELECT 1 FROM market_event WHERE alias = @alias').get({ alias }) !== undefined;
}

/** Event counts and the time of the newest facts (ISO 8601), which is null on an empty shelf. */
export function summariseMarkets(db: Reader) {
  const find = db.prepare<[], [number, number, number, number | null]>(`
    -- From the browse-order index: counting the rows themselves would read every card.
    SELECT total(events), total(iif(sort_rank = 0, events, 0)),
      total(iif(sort_rank = 2, events, 0)), (SELECT max(seen_at) FROM market_event_state)
    FROM (SELECT sort_rank, count(*) AS events FROM market_event GROUP BY sort_rank)`);
  const [count = 0, active = 0, closed = 0, newest = null] = find.raw().get() ?? [];
  return { count, active, closed, newest: newest === null ? null : new Date(newest).toISOString() };
}

/** `full`: all lists of a venue; `served`: only events that were served with old odds. */
export type PullScope = 'full' | 'served';

export interface Pull {
  source: string;
  scope: PullScope;
}

/** A venue's last pull of a scope. Times are milliseconds since 1970. */
export interface PullStamp extends Pull {
  begunAt: number;
  /** Null while the pull runs. */
  overAt: number | null;
  /** When a pull of this scope last ended without a fault; null if none has. */
  finishedAt: number | null;
}

export function listPulls(db: Reader): PullStamp[] {
  return db
    .prepare<[], PullStamp>(`
      SELECT source, scope, begun_at AS begunAt, over_at AS overAt, finished_at AS finishedAt
      FROM market_pull`)
    .all();
}

/** Whether a venue's last pull of either scope ended with a fault. */
export function hasFailed(pulls: readonly PullStamp[], venue: string): boolean {
  return pulls.some(
    ({ source, overAt, finishedAt }) =>
      source === venue && overAt !== null && finishedAt !== overAt,
  );
}

/** The venues with stored events, their event counts and the times of their newest facts. */
export function listVenues(db: Database): { source: string; events: number; newest: string }[] {
  return db
    .prepare<[], { source: string; events: number; newest: number }>(`
      SELECT e.source, count(*) AS events, max(s.seen_at) AS newest
      FROM market_event e JOIN market_event_state s ON s.id = e.id
      GROUP BY e.source ORDER BY e.source DESC`)
    .all()
    .map(({ newest, ...venue }) => ({ ...venue, newest: new Date(newest).toISOString() }));
}

/** Tags or assets with their event counts, most frequent first. */
export function listTags(db: Reader, limit: number, kind: 'tag' | 'asset' = 'tag') {
  return db
    .prepare<{ limit: number }, { tag: string; events: number }>(`
      SELECT ${kind} AS tag, count(*) AS events FROM market_event_${kind}
      GROUP BY tag ORDER BY events DESC, tag LIMIT @limit`)
    .all({ limit });
}

export function isTagUsed(db: Reader, tag: string, kind: 'tag' | 'asset' = 'tag'): boolean {
  const find = db.prepare(`SELECT 1 FROM market_event_${kind} WHERE ${kind} = @tag`);
  return find.get({ tag }) !== undefined;
}

/**
 * The number of events with a status, their earliest and latest resolution times ('' if none has
 * one), and their largest volume and liquidity.
 */
export function findBounds(db: Reader, status: EventFilters['status'], now: Date) {
  const { where, params } = filterOf({ status }, now);
  const find = db.prepare<object, [number, string, string, number, number]>(`
    SELECT count(*), coalesce(min(e.resolution_time), ''), coalesce(max(e.resolution_time), ''),
      coalesce(max(e.volume), 0), coalesce(max(e.liquidity), 0)
    FROM market_event e WHERE ${where}`);
  const [count = 0, first = '', last = '', volume = 0, liquidity = 0] =
    find.raw().get(params) ?? [];
  return { count, first, last, volume, liquidity };
}

/** Aliases that contain `part`, which must be in lower case; in browse order. */
export function listAliases(db: Reader, part: string, limit: number): string[] {
  return db
    .prepare<object, string>(`
      SELECT e.alias FROM market_event e WHERE instr(lower(e.alias), @part) > 0
      ORDER BY ${BROWSE_ORDER} LIMIT @limit`)
    .pluck()
    .all({ part, limit });
}

export function isWithin(db: Reader, id: number, filters: EventFilters, now: Date): boolean {
  const { where, params } = filterOf(filters, now);
  const row = db.prepare(`SELECT 1 FROM market_event e WHERE e.id = @id AND ${where}`);
  return row.get({ ...params, id }) !== undefined;
}
