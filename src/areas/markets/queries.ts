import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import type { Filter } from '../../search/lexical.ts';
import type { Position } from './cursor.ts';
import { parseAlias } from './event-ids.ts';
import { type EventFilters, recentSince } from './filters.ts';
import { type EventCard, type MarketCard, STATUSES, type Status } from './normalise.ts';
import { type PriceHistory, unpackPast } from './price-history.ts';
import { EVENT_COLUMNS, MARKET_COLUMNS, selectList } from './tables.ts';

/** An event as it is served. */
export interface EventRow
  extends Omit<EventCard, 'tags' | 'allTags' | 'assets' | 'resolutionTime' | 'markets'> {
  cardId: string;
  origin: 'starter' | 'polymarket';
  /** When the source last confirmed these facts; ISO 8601, as are all times. */
  syncedAt: string;
  /** The source did not know the event when last asked. */
  isMissing: boolean;
  /** Missing for a day or more: it is inactive, since its result is unknown, unless it had closed. */
  isGone: boolean;
  tags: string[];
}

type RawEvent = Omit<
  EventRow,
  'tags' | 'syncedAt' | 'mutuallyExclusive' | 'isMissing' | 'isGone'
> & {
  tags: string;
  seenAt: number;
  isMissing: number;
  isGone: number;
  mutuallyExclusive: number;
};

const stringList = z.array(z.string());

/** A link for people, or nothing: what was stored may be of any scheme. */
const LINK = /^https?:\/\/./is;

const ROW_COLUMNS = `
  ${selectList(EVENT_COLUMNS, 'e')},
  (SELECT v.seen_at FROM market_event_last_seen v WHERE v.id = e.id) AS seenAt,
  EXISTS (SELECT 1 FROM market_event_sync_state s WHERE s.id = e.id AND s.gone = 1) AS isGone,
  EXISTS (
    SELECT 1 FROM market_event_sync_state s WHERE s.id = e.id AND s.missing_since IS NOT NULL
  ) AS isMissing`;

function toEvent({ seenAt, ...raw }: RawEvent): EventRow {
  return {
    ...raw,
    resolutionSource: LINK.test(raw.resolutionSource ?? '') ? raw.resolutionSource : null,
    syncedAt: new Date(seenAt).toISOString(),
    tags: stringList.parse(JSON.parse(raw.tags)),
    mutuallyExclusive: raw.mutuallyExclusive === 1,
    isMissing: raw.isMissing === 1,
    isGone: raw.isGone === 1,
    status: raw.isGone === 1 ? statusWhenGone(raw, raw.status) : raw.status,
  };
}

/** The status of a gone event or of a market of it. Closed events stay as they are, and starter events. */
export function statusWhenGone(
  { origin, status }: Pick<EventRow, 'origin' | 'status'>,
  own: Status,
): Status {
  return origin === 'polymarket' && status !== 'closed' && own === 'active' ? 'inactive' : own;
}

/** Events that pass the filters, in browse order, after a position. */
export function browseEvents(
  db: Database,
  filters: EventFilters,
  now: Date,
  page: { limit: number; after: Position | null },
): readonly EventRow[] {
  const { where, params } = conditionsOf(filters, now);
  const from = page.after === null ? '' : AFTER;
  return db
    .prepare<object, RawEvent>(`
      SELECT ${ROW_COLUMNS} FROM market_event e
      WHERE ${where} ${from}
      ORDER BY e.sort_rank, e.sort_closing, e.sort_liquidity, e.sort_volume, e.id
      LIMIT @limit`)
    .all({ ...params, ...page.after, limit: page.limit })
    .map(toEvent);
}

const AFTER = `
  AND (e.sort_rank, e.sort_closing, e.sort_liquidity, e.sort_volume, e.id)
    > (@rank, @closing, @liquidity, @volume, @id)`;

export function getEventById(db: Database, id: number): EventRow | undefined {
  const raw = db
    .prepare<{ id: number }, RawEvent>(`SELECT ${ROW_COLUMNS} FROM market_event e WHERE id = @id`)
    .get({ id });
  return raw && toEvent(raw);
}

export function findEventByCardId(db: Database, cardId: string): EventRow | undefined {
  const raw = db
    .prepare<{ cardId: string }, RawEvent>(
      `SELECT ${ROW_COLUMNS} FROM market_event e WHERE card_id = @cardId`,
    )
    .get({ cardId });
  return raw && toEvent(raw);
}

/** The id of the event with this name in Polymarket's addresses. */
export function findEventIdBySlug(db: Database, slug: string): number | undefined {
  return db
    .prepare<{ slug: string }, number>('SELECT id FROM market_event WHERE slug = @slug LIMIT 1')
    .pluck()
    .get({ slug });
}

/** The address of an event or of one of its markets; its slug is the first part after `event`. */
const ADDRESS = /^(?:https?:\/\/)?(?:www\.)?polymarket\.com\/(?:[a-z]{2}\/)?event\/([^/?#]+)/;

/** The event of an event_card_id, an alias, a slug or an address, in any capitals. */
export function findEvent(db: Database, name: string): EventRow | undefined {
  const id = name.trim().toLowerCase();
  const eventId = parseAlias(id) ?? findEventIdBySlug(db, ADDRESS.exec(id)?.[1] ?? id) ?? null;
  return eventId === null ? findEventByCardId(db, id) : getEventById(db, eventId);
}

/** The markets of an event, in card order. */
export function listMarkets(db: Database, eventId: number): readonly MarketCard[] {
  return db
    .prepare<{ eventId: number }, Omit<MarketCard, 'outcomes'> & { outcomes: string }>(`
      SELECT ${selectList(MARKET_COLUMNS, 'm')} FROM market m
      WHERE event_id = @eventId ORDER BY position`)
    .all({ eventId })
    .map((market) => ({ ...market, outcomes: unpackOutcomes(market.outcomes) }));
}

const outcomeList = z.array(z.tuple([z.string(), z.string(), z.number()]));

function unpackOutcomes(packed: string): MarketCard['outcomes'] {
  return outcomeList
    .parse(JSON.parse(packed))
    .map(([label, tokenId, probability]) => ({ label, tokenId, probability }));
}

/** Of each of these events, how many markets closed without a stored winner; none for the others. */
export function countUnsettled(db: Database, ids: readonly number[]): Map<number, number> {
  const rows = db
    .prepare<{ ids: string }, [eventId: number, markets: number]>(`
      SELECT event_id, count(*) FROM market
      WHERE event_id IN (SELECT value FROM json_each(@ids)) AND winning_outcome IS NULL
      GROUP BY event_id`)
    .raw()
    .all({ ids: JSON.stringify(ids) });
  return new Map(rows);
}

/** Counts for `status` and for the notice of an empty result. */
export function summariseMarkets(db: Database): {
  count: number;
  active: number;
  closed: number;
  /** Time of the newest facts, ISO 8601; null while no event is held. */
  newest: string | null;
} {
  const row = db
    .prepare<[], { count: number; active: number; closed: number; newest: number | null }>(`
      SELECT count(*) AS count, count(CASE sort_rank WHEN 0 THEN 1 END) AS active,
        count(CASE sort_rank WHEN 2 THEN 1 END) AS closed,
        (SELECT max(seen_at) FROM market_event_last_seen) AS newest
      FROM market_event`)
    .get();
  const { newest = null, ...counts } = row ?? { count: 0, active: 0, closed: 0 };
  return { ...counts, newest: newest === null ? null : new Date(newest).toISOString() };
}

/** Those of `words` that are tags of events held, in the same order. */
export function listHeldTags(db: Database, words: readonly string[]): string[] {
  return db
    .prepare<{ words: string }, string>(`
      SELECT word.value FROM json_each(@words) word
      WHERE EXISTS (SELECT 1 FROM market_event_tag t WHERE t.tag = word.value)`)
    .pluck()
    .all({ words: JSON.stringify(words) });
}

/** The tags of events held with the number of events of each, the most frequent first. */
export function listTags(db: Database, limit: number): { tag: string; events: number }[] {
  return db
    .prepare<{ limit: number }, { tag: string; events: number }>(`
      SELECT tag, count(*) AS events FROM market_event_tag
      GROUP BY tag ORDER BY events DESC, tag LIMIT @limit`)
    .all({ limit });
}

/** Aliases of events begin with a fixed text and go on with these digits, in browse order. */
export function listEventsFrom(db: Database, digits: string, limit: number): number[] {
  return db
    .prepare<object, number>(`
      SELECT e.id FROM market_event e WHERE CAST(e.id AS TEXT) LIKE @start
      ORDER BY e.sort_rank, e.sort_closing, e.sort_liquidity, e.sort_volume, e.id
      LIMIT @limit`)
    .pluck()
    .all({ start: `${digits}%`, limit });
}

interface RawHistory {
  position: number;
  priceSince: number;
  past: string | null;
}

/** Price histories of an event's markets, by their position on the card. */
export function listPriceHistories(db: Database, eventId: number): Map<number, PriceHistory> {
  const rows = db
    .prepare<{ eventId: number }, RawHistory>(`
      SELECT position, price_since AS priceSince, past
      FROM market WHERE event_id = @eventId AND price_since IS NOT NULL`)
    .all({ eventId });
  return new Map(
    rows.map(({ position, priceSince, past }) => [
      position,
      { since: priceSince, past: unpackPast(past) },
    ]),
  );
}

type Params = Record<string, string | number>;

/** The filters for a search. */
export function filterOf(filters: EventFilters, now: Date): Filter {
  return { from: 'market_event e', id: 'e.id', ...conditionsOf(filters, now) };
}

/** Whether an event passes the filters. */
export function isWithin(db: Database, id: number, filters: EventFilters, now: Date): boolean {
  const { where, params } = conditionsOf(filters, now);
  const row = db
    .prepare<object, 1>(`SELECT 1 FROM market_event e WHERE e.id = @id AND ${where}`)
    .pluck()
    .get({ ...params, id });
  return row === 1;
}

/** The filters as SQL conditions on `market_event e`, with their parameters. */
export function conditionsOf(filters: EventFilters, now: Date): { where: string; params: Params } {
  const { words, tag, asset, start, end, minVolume, minLiquidity } = filters;
  const parts: [sql: string, params: Params][] = [statusCondition(filters, now)];
  for (const [index, word] of words.entries()) {
    parts.push([
      `instr((SELECT t.haystack FROM market_event_text t WHERE t.id = e.id), @word${index}) > 0`,
      { [`word${index}`]: word },
    ]);
  }
  if (tag !== null) parts.push([hasTag('@tag'), { tag }]);
  if (asset !== null) {
    parts.push('slug' in asset ? [hasTag('@slug'), asset] : [HAS_ASSET, asset]);
  }
  if (start !== null && end !== null) {
    parts.push(['e.resolution_time BETWEEN @start AND @end', { start, end }]);
  }
  if (minVolume !== null) parts.push(['e.volume >= @minVolume', { minVolume }]);
  if (minLiquidity !== null) parts.push(['e.liquidity >= @minLiquidity', { minLiquidity }]);
  return {
    where: parts.map(([sql]) => sql).join(' AND '),
    params: Object.assign({}, ...parts.map(([, params]) => params)),
  };
}

// The unary plus keeps SQLite on the browse-order index; starting from the ids of a common tag, it
// would read and sort them all.
const HAS_ASSET = '+e.id IN (SELECT a.event_id FROM market_event_asset a WHERE a.asset = @asset)';

function hasTag(parameter: string): string {
  return `+e.id IN (SELECT t.event_id FROM market_event_tag t WHERE t.tag = ${parameter})`;
}

function statusCondition({ status }: EventFilters, now: Date): [sql: string, params: Params] {
  if (status !== 'active_or_recently_closed') {
    return ['e.sort_rank = @rank', { rank: STATUSES.indexOf(status) }];
  }
  return [
    'e.sort_rank IN (0, 2) AND (e.sort_rank = 0 OR e.sort_closing <= @recent)',
    { recent: -recentSince(now) },
  ];
}
