import { checksumOf, damagedError } from '../../../core/checksum.ts';
import type { ServiceError } from '../../../core/errors.ts';

type Value = string | number | null;

/** What the checksum of an event covers, in this order; tags as JSON. Frozen: stores hold it. */
const EVENT = [
  'id',
  'cardId',
  'status',
  'coverage',
  'slug',
  'title',
  'description',
  'tags',
  'category',
  'startTime',
  'endTime',
  'closedTime',
  'liquidity',
  'volume',
  'volume24h',
  'openInterest',
  'mutuallyExclusive',
  'resolutionSource',
] as const;

export type SealedEvent = Readonly<Record<(typeof EVENT)[number], Value>>;

/** The same as columns of the table `market_event e`. */
export const EVENT_COLUMNS = `
  e.id, e.card_id AS cardId, e.status, e.coverage, e.slug, e.title, e.description, e.tags, e.category,
  e.start_time AS startTime, e.end_time AS endTime, e.closed_time AS closedTime, e.liquidity, e.volume,
  e.volume_24h AS volume24h, e.open_interest AS openInterest,
  e.mutually_exclusive AS mutuallyExclusive, e.resolution_source AS resolutionSource`;

export function eventChecksum(event: SealedEvent): number {
  return checksumOf(EVENT.map((column) => event[column]).join('|'));
}

/** What the checksum of a market covers besides its event, as columns of the table `market`. Frozen. */
export const MARKET_COLUMNS =
  'id, question, group_label, status, liquidity, volume, end_time, winning_outcome, outcomes';

/** `columns` are the values of `MARKET_COLUMNS`. */
export function marketChecksum(eventId: number, columns: readonly Value[]): number {
  return checksumOf(`${eventId}|${columns.join('|')}`);
}

/** The checksum of a market's earlier prices. Frozen. */
export function pricesChecksum(priceSince: number | null, past: string | null): number {
  return checksumOf(`${priceSince}|${past}`);
}

/** For the caller of an operation. */
export function damagedEvent(): ServiceError {
  return damagedError('A prediction-market event is damaged', 'quantshelf sync markets');
}
