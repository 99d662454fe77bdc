import { createHash } from 'node:crypto';
import * as z from 'zod';
import { invalidRequest } from '../../core/errors.ts';
import type { EventFilters } from './filters.ts';

/**
 * Position of a stored event in browse order: active, inactive, closed; closed ones by closing time;
 * then by liquidity, volume and key. All values sort ascending, so descending ones are negated.
 */
export interface BrowsePosition {
  sortRank: number;
  /** Closing time in seconds since 1970; 0 while not closed. */
  sortClosing: number;
  sortLiquidity: number;
  sortVolume: number;
  /** Key in the store. */
  id: number;
}

const VERSION = 1;
const content = z.strictObject({
  v: z.literal(VERSION),
  k: z.tuple([z.int().min(0).max(2), z.int(), z.number(), z.number(), z.int()]),
  f: z.string(),
});

/** An opaque cursor after `position`, bound to the filters but not to the limit. */
export function writeCursor(position: BrowsePosition, filters: EventFilters): string {
  const { sortRank, sortClosing, sortLiquidity, sortVolume, id } = position;
  const body = {
    v: VERSION,
    k: [sortRank, sortClosing, sortLiquidity, sortVolume, id],
    f: digestFilters(filters),
  };
  return Buffer.from(JSON.stringify(body)).toString('base64url');
}

/** The position in a cursor. Throws `invalid_request` when it is malformed or has other filters. */
export function readCursor(cursor: string, filters: EventFilters): BrowsePosition {
  const result = content.safeParse(decode(cursor));
  if (!result.success) {
    throw invalidRequest(
      '"cursor" is not a nextCursor of this operation. Start again without cursor.',
      'cursor',
    );
  }
  if (result.data.f !== digestFilters(filters)) {
    throw invalidRequest(
      '"cursor" belongs to other filters. Repeat those filters, or start again without cursor.',
      'cursor',
    );
  }
  const [sortRank, sortClosing, sortLiquidity, sortVolume, id] = result.data.k;
  return { sortRank, sortClosing, sortLiquidity, sortVolume, id };
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

function digestFilters(filters: EventFilters): string {
  const canonical = { ...filters, words: filters.words.toSorted() };
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 12);
}
