import { toMarketEvent } from '../../src/areas/markets/event.ts';
import { embeddingText } from '../../src/areas/markets/event-text.ts';
import type { EventDelivery } from '../../src/areas/markets/ingest.ts';
import type { StarterEvent } from './events.ts';
import type { KeyedText } from './paper-cards.ts';

/** The text that an event's vector is computed from. */
export function eventText({ event, pulledAt }: StarterEvent): KeyedText {
  return { key: `event:${event.sourceId}`, text: embeddingText(toMarketEvent(event, pulledAt)) };
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
