import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import { embeddingText, toMarketEvent } from '../../src/areas/markets/event.ts';
import { markSeen, storeEvent } from '../../src/areas/markets/ingest.ts';
import { classify } from '../../src/areas/markets/scope.ts';
import {
  type Settlement,
  STATUSES,
  type VenueEvent,
} from '../../src/areas/markets/sources/event-card.ts';
import { known } from '../../src/core/envelope.ts';
import type { KeyedText } from './papers.ts';

const instant = z.iso.datetime({ precision: 3 });
const money = z.number().min(0);

const starterMarket = z.strictObject({
  id: z.templateLiteral(['pmm_', z.int()]),
  question: z.string(),
  groupLabel: z.string().nullable(),
  place: z.int().nullable(),
  outcomes: z.array(
    z.strictObject({
      label: z.string(),
      tokenId: z.string().regex(/^\d+$/),
      probability: z.number().min(0).max(1),
    }),
  ),
  status: z.enum(STATUSES),
  liquidity: money,
  volume: money,
  endTime: instant.nullable(),
  closedTime: instant.nullable(),
  winningOutcome: z.string().nullable(),
  /** Its result was disputed when it was pulled. */
  isDisputed: z.literal(true).optional(),
});

const starterEvent = z.strictObject({
  source: z.literal('polymarket'),
  sourceId: z.string().regex(/^\d+$/),
  alias: z.templateLiteral(['pme_', z.int()]),
  url: z.url({ protocol: /^https$/ }),
  slug: z.string(),
  title: z.string(),
  tags: z.array(z.string()).min(1),
  category: z.string().nullable(),
  recurrence: z.string().nullable(),
  status: z.enum(STATUSES),
  coverage: z.enum(['complete', 'partial']),
  startTime: instant.nullable(),
  endTime: instant.nullable(),
  closedTime: instant.nullable(),
  volume: money,
  volume24h: money.nullable(),
  liquidity: money,
  openInterest: money.nullable(),
  mutuallyExclusive: z.boolean(),
  resolutionSource: z.url().nullable(),
  /** The time of these figures: the latest change in the pull. */
  pulledAt: instant,
  markets: z.array(starterMarket).min(1),
});

const starterFile = z.strictObject({ events: z.array(starterEvent).min(1) });

/** One event of the starter shelf, and the time of its pull. */
export interface StarterEvent {
  event: VenueEvent;
  /** ISO 8601 with milliseconds. */
  pulledAt: string;
}

/**
 * Reads `events.json` in the starter directory, in order. Descriptions are null, because they are third-party
 * text. Throws an Error that names the place and the fault.
 */
export function readStarterEvents(dir: string): StarterEvent[] {
  const { events } = starterFile.parse(JSON.parse(readFileSync(join(dir, 'events.json'), 'utf8')));
  return events.map(({ pulledAt, ...event }) => ({ pulledAt, event: toVenueEvent(event) }));
}

function toVenueEvent({
  category,
  coverage,
  mutuallyExclusive,
  ...event
}: Omit<z.output<typeof starterEvent>, 'pulledAt'>): VenueEvent {
  const { startTime, endTime, closedTime, volume24h, openInterest } = event;
  return {
    ...{ ...event, description: null, financeTags: null, series: null },
    volume_unit: 'usd',
    coverage_status: coverage,
    mutually_exclusive: mutuallyExclusive,
    ...known({
      ...{ category, start_time: startTime, end_time: endTime, closed_time: closedTime },
      volume_24h: volume24h,
      open_interest: openInterest,
      resolution_source: event.resolutionSource,
    }),
    markets: event.markets.map(
      ({ id, question, outcomes, closedTime: closed_time, ...market }) => ({
        ...{ ...market, market_card_id: id, market_question: question, closed_time },
        outcomes: outcomes.map(({ label, tokenId, probability }) => ({
          label,
          outcome_token_id: tokenId,
          current_probability: probability,
        })),
        ...known({
          group_label: market.groupLabel,
          end_time: market.endTime,
          settlement: settlementOf(market, outcomes[0]?.label, closed_time),
        }),
      }),
    ),
  };
}

function settlementOf(
  {
    status,
    winningOutcome,
    isDisputed,
  }: Pick<z.output<typeof starterMarket>, 'status' | 'winningOutcome' | 'isDisputed'>,
  first: string | undefined,
  at: string | null,
): Settlement | null {
  if (isDisputed) return { status: 'disputed' };
  if (winningOutcome === null) return status === 'closed' ? { status: 'ended' } : null;
  const value = Number(first === winningOutcome);
  return { status: 'settled', value, winning_outcome: winningOutcome, ...known({ at }) };
}

/** The text that an event's vector is computed from. */
export function eventText({ event, pulledAt }: StarterEvent): KeyedText {
  return {
    key: `event:${event.sourceId}`,
    text: embeddingText(toMarketEvent(event, classify(event), pulledAt).card),
  };
}

/** An event and how it was seen. */
export interface EventDelivery {
  event: VenueEvent;
  seenAt: string;
  origin: 'starter' | 'live';
  vector: Float32Array | null;
}

/** A starter event ready to store; `vector` looks up a committed vector. */
export function toDelivery(
  starter: StarterEvent,
  vector: (key: string, text: string) => Float32Array,
): EventDelivery {
  const { event, pulledAt: seenAt } = starter;
  const { key, text } = eventText(starter);
  return { event, seenAt, origin: 'starter', vector: vector(key, text) };
}

/**
 * Inserts or replaces events with their markets, tags, assets and index entries. Repeating a delivery
 * changes nothing. One transaction. Throws on a vector that is not of unit length.
 */
export function insertEvents(db: Database, deliveries: readonly EventDelivery[]): void {
  db.transaction(() => {
    for (const { event, ...sighting } of deliveries) {
      const { effect, id } = storeEvent(db, event, sighting);
      if (effect === 'unchanged' && id !== undefined) {
        markSeen(db, [id], new Date(sighting.seenAt));
      }
    }
  }).immediate();
}
