import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import * as z from 'zod';
import { embeddingText, toMarketEvent } from '../../src/areas/markets/event.ts';
import { markSeen, storeEvent } from '../../src/areas/markets/ingest.ts';
import { classify } from '../../src/areas/markets/scope.ts';
import { storedEvent, type VenueEvent } from '../../src/areas/markets/sources/event-card.ts';
import type { KeyedText } from './papers.ts';

const instant = z.iso.datetime({ precision: 3 });
const derived = {
  event_card_id: true,
  indicator: true,
  market_count: true,
  settlement: true,
} as const;

const starterEvent = storedEvent.omit({ ...derived, description: true, volume_unit: true }).extend({
  sourceId: z.string().regex(/^\d+$/),
  url: z.url({ protocol: /^https$/ }),
  recurrence: z.string().nullable(),
  /** The time of these figures: the latest change in the pull. */
  pulledAt: instant,
  markets: z
    .array(
      storedEvent.shape.markets.element.extend({
        place: z.int().nullable(),
        closed_time: instant.nullable(),
      }),
    )
    .min(1),
});

const starterFile = z.object({ events: z.array(starterEvent).min(1) });

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
  const common = {
    description: null,
    volume_unit: 'usd',
    financeTags: null,
    series: null,
  } as const;
  return events.map(({ pulledAt, ...event }) => ({ pulledAt, event: { ...event, ...common } }));
}

/** The text that an event's vector is computed from. */
export function eventText({ event, pulledAt }: StarterEvent): KeyedText {
  return {
    key: `event:${event.sourceId}`,
    text: embeddingText(toMarketEvent(event, classify(event), pulledAt).card),
  };
}

/** An event with the time and state in which it was seen. */
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
