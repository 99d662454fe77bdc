import type * as z from 'zod';
import type { CardMatch } from '../../../core/envelope.ts';
import type { paperCard } from './card.ts';

/** Characters of a reply that are kept free for its envelope. */
const ENVELOPE_CHARACTERS = 1_500;

/** Authors that a card keeps which alone is too long for a reply. */
const MAX_AUTHORS = 50;

/** A card and what `meta.matches` says of it. */
export interface Hit {
  card: z.output<typeof paperCard>;
  match: CardMatch;
}

/**
 * The first hits, as many as fit into a reply of `limit` characters, and at least one. If the first
 * alone is too long, the last entries of its manifest are cut, and the names after its first authors.
 */
export function fitToSize(hits: readonly Hit[], limit: number): Hit[] {
  let left = limit - ENVELOPE_CHARACTERS;
  const fitting: Hit[] = [];
  for (const hit of hits) {
    const length = JSON.stringify(hit).length;
    if (fitting.length === 0 && length > left) return [cutManifest(cutAuthors(hit), left)];
    left -= length;
    if (left < 0) break;
    fitting.push(hit);
  }
  return fitting;
}

function cutAuthors(hit: Hit): Hit {
  const { authors } = hit.card;
  const others = authors.length - MAX_AUTHORS;
  if (others <= 0) return hit;
  const shown = [...authors.slice(0, MAX_AUTHORS), `and ${others} others`];
  return { ...hit, card: { ...hit.card, authors: shown } };
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
