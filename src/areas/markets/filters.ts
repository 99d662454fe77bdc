import { createHash } from 'node:crypto';
import * as z from 'zod';
import { invalidRequest } from '../../core/errors.ts';
import { parseInstant } from '../../core/fields.ts';
import { foldCase, foldName, parseJson } from '../../core/text.ts';
import { DAY_MS } from '../../core/time.ts';
import { resolveAsset } from './assets.ts';
import { STATUSES, type Status } from './sources/event-card.ts';

export const STATUS_FILTERS = [...STATUSES, 'active_or_recently_closed'] as const;
export type StatusFilter = Status | 'active_or_recently_closed';

/** The status of a search that names none. */
export const DEFAULT_STATUS = 'active_or_recently_closed';

/** How long a closed event counts as recent. */
const RECENT_MS = 30 * DAY_MS;

/** Browse and search filters, normalised for queries. */
export interface EventFilters {
  status: StatusFilter;
  /** Each must occur in the event's text. */
  words: readonly string[];
  /** A finance tag or a slug, in lower case. */
  tag: string | null;
  /** An asset of the synonym lists, or a slug that must be among the tags. */
  asset: { asset: string } | { slug: string } | null;
  /** Inclusive bounds of the resolution time, ISO 8601 with milliseconds. */
  start: string | null;
  end: string | null;
  minVolume: number | null;
  minLiquidity: number | null;
}

interface FilterArguments {
  status: StatusFilter;
  q?: string | undefined;
  tag?: string | undefined;
  asset?: string | undefined;
  start_time?: string | undefined;
  end_time?: string | undefined;
  min_volume?: number | undefined;
  min_liquidity?: number | undefined;
}

/** Throws `invalid_request` for one time of the pair alone, or a start after its end. */
export function readFilters(input: FilterArguments): EventFilters {
  return {
    status: input.status,
    words: [
      ...new Set(
        foldCase(input.q ?? '')
          .split(/\s+/u)
          .filter(Boolean),
      ),
    ],
    tag: input.tag === undefined ? null : toSlug(input.tag),
    asset: input.asset === undefined ? null : readAsset(input.asset),
    ...readWindow(input.start_time, input.end_time),
    minVolume: input.min_volume ?? null,
    minLiquidity: input.min_liquidity ?? null,
  };
}

/** Events that closed at or after this time count as recently closed; ISO 8601. */
export function recentSince(now: Date): string {
  return new Date(now.getTime() - RECENT_MS).toISOString();
}

function readWindow(
  start: string | undefined,
  end: string | undefined,
): Pick<EventFilters, 'start' | 'end'> {
  if (start === undefined && end === undefined) return { start: null, end: null };
  if (start === undefined || end === undefined) {
    const [present, missing] =
      start === undefined ? ['end_time', 'start_time'] : ['start_time', 'end_time'];
    throw invalidRequest(`"${present}" needs "${missing}": give both, or neither.`, missing);
  }
  const [from, to] = [parseInstant(start), parseInstant(end)];
  if (from > to) throw invalidRequest('"start_time" must not be after "end_time".', 'start_time');
  return { start: new Date(from).toISOString(), end: new Date(to).toISOString() };
}

function readAsset(word: string): { asset: string } | { slug: string } {
  const asset = resolveAsset(word);
  return asset === null ? { slug: toSlug(word) } : { asset };
}

function toSlug(word: string): string {
  return foldName(word).replace(/[\s_]+/gu, '-');
}

/**
 * Position of a stored event in browse order: active, inactive, closed; closed ones by closing time;
 * then by liquidity, volume and key. All values sort ascending, so descending ones are negated.
 */
const browsePosition = z.object({
  sortRank: z.int().min(0).max(2),
  /** Closing time in seconds since 1970, negated; 0 while not closed. */
  sortClosing: z.int(),
  sortLiquidity: z.number(),
  sortVolume: z.number(),
  /** Key in the store. */
  id: z.int(),
});
export type BrowsePosition = z.output<typeof browsePosition>;

const cursorContent = z.object({ filters: z.string(), after: browsePosition });

/** An opaque cursor after `position`, bound to the filters but not to the limit. */
export function writeCursor(position: BrowsePosition, filters: EventFilters): string {
  const content = { filters: digest(filters), after: browsePosition.parse(position) };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** The position in a cursor. Throws `invalid_request` when it is malformed or has other filters. */
export function readCursor(cursor: string, filters: EventFilters): BrowsePosition {
  const { data } = cursorContent.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (data?.filters === digest(filters)) return data.after;
  throw invalidRequest(
    data === undefined
      ? '"cursor" is not a nextCursor of this operation. Start again without cursor.'
      : '"cursor" belongs to other filters. Repeat those filters, or start again without cursor.',
    'cursor',
  );
}

function digest(filters: EventFilters): string {
  const canonical = { ...filters, words: filters.words.toSorted() };
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 12);
}
