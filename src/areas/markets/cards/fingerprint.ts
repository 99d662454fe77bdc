import { createHash } from 'node:crypto';
import assetFile from '../../../../data/market-assets.json' with { type: 'json' };
import tagFile from '../../../../data/market-tags.json' with { type: 'json' };
import type { EventFacts } from '../gamma/facts.ts';

/** To be raised with every change of how a card is made from the facts. */
const CARD_RULES = 2;

let lists: string | undefined;

/**
 * Equal for facts of which the same card would be made. The lists of tags and assets count too, so
 * that every card is made anew when they change.
 */
export function hashFacts(facts: EventFacts): string {
  lists ??= digest(JSON.stringify([CARD_RULES, tagFile, assetFile]));
  return digest(`${lists} ${JSON.stringify(facts)}`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
