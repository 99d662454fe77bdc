import { createHash } from 'node:crypto';
import * as z from 'zod';
import { invalidRequest } from '../../core/errors.ts';
import type { EventFilters } from './filters.ts';
import { type EventCard, STATUSES } from './normalise.ts';

/**
 * Position of an event in browse order. All values sort ascending, so descending keys are negated:
 * closing time in milliseconds (0 while not closed), liquidity, volume.
 */
export interface Position {
  rank: number;
  closing: number;
  liquidity: number;
  volume: number;
  id: number;
}

/** Active, inactive, closed; closed ones by closing time first; then liquidity, volume, id. */
export function positionOf(
  event: Pick<EventCard, 'id' | 'status' | 'closedTime' | 'liquidity' | 'volume'>,
): Position {
  return {
    rank: STATUSES.indexOf(event.status),
    closing: event.closedTime === null ? 0 : -Date.parse(event.closedTime),
    liquidity: -event.liquidity,
    volume: -event.volume,
    id: event.id,
  };
}

const VERSION = 1;
const content = z.strictObject({
  v: z.literal(VERSION),
  k: z.tuple([z.int().min(0).max(2), z.int(), z.number(), z.number(), z.int()]),
  f: z.string(),
});

/** An opaque cursor after `position`, bound to the filters but not to the limit. */
export function writeCursor(position: Position, filters: EventFilters): string {
  const { rank, closing, liquidity, volume, id } = position;
  const body = {
    v: VERSION,
    k: [rank, closing, liquidity, volume, id],
    f: digestFilters(filters),
  };
  return Buffer.from(JSON.stringify(body)).toString('base64url');
}

/** The position in a cursor. Throws `invalid_request` when it is malformed or has other filters. */
export function readCursor(cursor: string, filters: EventFilters): Position {
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
  const [rank, closing, liquidity, volume, id] = result.data.k;
  return { rank, closing, liquidity, volume, id };
}

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

/** Hash of the normalised filters. */
function digestFilters(filters: EventFilters): string {
  const { status, words, tag, asset, start, end, minVolume, minLiquidity } = filters;
  const sorted = words.toSorted();
  const canonical = [status, sorted, tag, asset, start, end, minVolume, minLiquidity];
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 12);
}
