import { createHash } from 'node:crypto';
import * as z from 'zod';
import { withoutNulls } from '../../core/envelope.ts';
import { invalidRequest } from '../../core/errors.ts';
import { parseInstant } from '../../core/fields.ts';
import { foldCase, foldName, parseJson } from '../../core/text.ts';
import { DAY_MS } from '../../core/time.ts';
import type { Filter } from '../../search/lexical.ts';
import { resolveAsset } from './assets.ts';
import { STATUSES } from './sources/event-card.ts';

export const STATUS_FILTERS = [...STATUSES, 'active_or_recently_closed'] as const;

/** Default status of a search. */
export const DEFAULT_STATUS = 'active_or_recently_closed';

/** How long an event counts as recently closed. */
const RECENT_MS = 30 * DAY_MS;

/** The filter arguments of browse and search. */
export interface EventFilters {
  status: (typeof STATUS_FILTERS)[number];
  q?: string | undefined;
  tag?: string | undefined;
  asset?: string | undefined;
  start_time?: string | undefined;
  end_time?: string | undefined;
  min_volume?: number | undefined;
  min_liquidity?: number | undefined;
}

/** Throws `invalid_request` if only one time is given or the start is after the end. */
export function checkWindow({ start_time: start, end_time: end }: EventFilters): void {
  if ((start === undefined) !== (end === undefined)) {
    const [present, missing] =
      start === undefined ? ['end_time', 'start_time'] : ['start_time', 'end_time'];
    throw invalidRequest(`"${present}" needs "${missing}": give both, or neither.`, missing);
  }
  if (start !== undefined && end !== undefined && parseInstant(start) > parseInstant(end)) {
    throw invalidRequest('"start_time" must not be after "end_time".', 'start_time');
  }
}

/** A caller's tag in its stored form. */
export function toSlug(word: string): string {
  return foldName(word).replace(/[\s_]+/gu, '-');
}

/** The earliest closing time that counts as recent, ISO 8601. */
export function recentSince(now: Date): string {
  return new Date(now.getTime() - RECENT_MS).toISOString();
}

/** The filters as a condition on `market_event e`. */
export function filterOf(filters: EventFilters, now: Date): Filter {
  const { status, q = '', tag, asset, start_time, end_time, min_volume, min_liquidity } = filters;
  const words = [...new Set(foldCase(q).split(/\s+/u).filter(Boolean))].sort();
  // A name that matches no asset may be a tag.
  const symbol = asset === undefined ? null : resolveAsset(asset);
  const conditions = [
    status === 'active_or_recently_closed'
      ? 'e.sort_rank IN (0, 2) AND (e.sort_rank = 0 OR e.closed_time >= @recent)'
      : 'e.sort_rank = @rank',
    ...words.map(
      (_, index) =>
        `instr((SELECT t.haystack FROM market_event_text t WHERE t.id = e.id), @word${index}) > 0`,
    ),
    tag === undefined ? '' : hasLabel('tag', 'tag'),
    asset === undefined ? '' : hasLabel(symbol === null ? 'tag' : 'asset', 'asset'),
    start_time === undefined ? '' : 'e.resolution_time BETWEEN @start AND @end',
    min_volume === undefined ? '' : 'e.volume >= @min_volume',
    min_liquidity === undefined ? '' : 'e.liquidity >= @min_liquidity',
  ];
  return {
    from: 'market_event e',
    id: 'e.id',
    where: conditions.filter(Boolean).join(' AND '),
    params: withoutNulls({
      rank: STATUS_FILTERS.indexOf(status),
      recent: recentSince(now),
      ...Object.fromEntries(words.map((word, index) => [`word${index}`, word])),
      tag: tag === undefined ? null : toSlug(tag),
      asset: symbol ?? (asset === undefined ? null : toSlug(asset)),
      start: start_time === undefined ? null : toTime(start_time),
      end: end_time === undefined ? null : toTime(end_time),
      min_volume: min_volume ?? null,
      min_liquidity: min_liquidity ?? null,
    }),
  };
}

/**
 * SQL condition for an event with a tag or asset. The unary plus keeps SQLite on the browse-order
 * index; otherwise it would read and sort every event with a frequent tag.
 */
function hasLabel(kind: 'tag' | 'asset', parameter: string): string {
  return `+e.id IN (SELECT l.event_id FROM market_event_${kind} l WHERE l.${kind} = @${parameter})`;
}

/** A time in the stored form, ISO 8601 with milliseconds. */
function toTime(value: string): string {
  return new Date(parseInstant(value)).toISOString();
}

/**
 * Position of a stored event in browse order: by status (active, inactive, closed); closed events
 * by closing time, latest first; then by liquidity and volume, highest first, then by key.
 * Descending values are negated, so that every column sorts in ascending order.
 */
const browsePosition = z.object({
  sortRank: z.int().min(0).max(2),
  /** Closing time in seconds since 1970, negated; 0 while not closed. */
  sortClosing: z.int(),
  sortLiquidity: z.number(),
  sortVolume: z.number(),
  id: z.int(),
});
export type BrowsePosition = z.output<typeof browsePosition>;

const cursorContent = z.object({ filters: z.string(), after: browsePosition });

/** An opaque cursor for the events after `position`, bound to the filters but not to the limit. */
export function writeCursor(position: BrowsePosition, filters: EventFilters): string {
  const content = { filters: digest(filters), after: browsePosition.parse(position) };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/**
 * The position in a cursor. Throws `invalid_request` if it is malformed or belongs to other
 * filters.
 */
export function readCursor(cursor: string, filters: EventFilters): BrowsePosition {
  const { data } = cursorContent.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (data?.filters === digest(filters)) return data.after;
  throw invalidRequest(
    data === undefined
      ? '"cursor" is not a nextCursor of this operation. Start again without a cursor.'
      : '"cursor" belongs to a list with other filters. Use those filters, or start again without a cursor.',
    'cursor',
  );
}

function digest(filters: EventFilters): string {
  // A fixed time, because a moving cutoff for recently closed events would change the hash.
  const canonical = filterOf(filters, new Date(0));
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 12);
}
