import type * as z from 'zod';
import type { CardMatch } from '../../../core/envelope.ts';
import type { paperCard } from './card.ts';

/** Characters of a reply that are kept free for its envelope. */
const ENVELOPE_CHARACTERS = 1_500;

/** A card and what `meta.matches` says of it. */
export interface Hit {
  card: z.output<typeof paperCard>;
  match: CardMatch;
}

/**
 * The first hits, as many as fit into a reply of `limit` characters, and at least one. If the first
 * alone is too long, the last entries of its manifest are cut.
 */
export function fitToSize(hits: readonly Hit[], limit: number): Hit[] {
  let left = limit - ENVELOPE_CHARACTERS;
  const fitting: Hit[] = [];
  for (const hit of hits) {
    const length = JSON.stringify(hit).length;
    if (fitting.length === 0 && length > left) return [cutManifest(hit, left)];
    left -= length;
    if (left < 0) break;
    fitting.push(hit);
  }
  return fitting;
}

function cutManifest(hit: Hit, most: number): Hit {
  const { availableSections } = hit.card;
  let characters = JSON.stringify({ ...hit, card: { ...hit.card, availableSections: [] } }).length;
  const shown = availableSections.findIndex((section) => {
    characters += JSON.stringify(section).length + 1;
    return characters > most;
  });
  return { ...hit, card: { ...hit.card, availableSections: availableSections.slice(0, shown) } };
}
