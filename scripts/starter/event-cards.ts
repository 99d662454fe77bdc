import { embeddingText } from '../../src/areas/markets/event-text.ts';
import type { EventDelivery } from '../../src/areas/markets/ingest.ts';
import { normaliseEvent } from '../../src/areas/markets/normalise.ts';
import type { StarterEvent } from './events.ts';
import type { KeyedText } from './paper-cards.ts';

/** The text that an event's vector is computed from. */
export function eventText({ facts, pulledAt }: StarterEvent): KeyedText {
  return { key: `event:${facts.id}`, text: embeddingText(normaliseEvent(facts, pulledAt)) };
}

/** A starter event ready to store; `vector` looks up a committed vector. */
export function toDelivery(
  event: StarterEvent,
  vector: (key: string, text: string) => Float32Array,
): EventDelivery {
  const { key, text } = eventText(event);
  return {
    facts: event.facts,
    seenAt: event.pulledAt,
    origin: 'starter',
    vector: vector(key, text),
  };
}
