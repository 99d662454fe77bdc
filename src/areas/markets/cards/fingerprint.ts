import { createHash } from 'node:crypto';
import assetFile from '../../../../data/market-assets.json' with { type: 'json' };
import tagFile from '../../../../data/market-tags.json' with { type: 'json' };
import type { EventFacts } from '../gamma/facts.ts';

/** Version of the rules that make a card from facts; raise it when they change. */
const CARD_RULES = 2;

let lists: string | undefined;

/**
 * Hash of everything a card is made from, including the tag and asset lists, so that cards are
 * rebuilt when those change.
 */
export function hashFacts(facts: EventFacts): string {
  lists ??= digest(JSON.stringify([CARD_RULES, tagFile, assetFile]));
  return digest(`${lists} ${JSON.stringify(facts)}`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
