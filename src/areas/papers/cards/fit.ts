import type * as z from 'zod';
import type { ReplySize } from '../../../core/context.ts';
import type { CardMatch } from '../../../core/envelope.ts';
import { firstFitting } from '../../../core/view.ts';
import type { paperCard } from './card.ts';

/** Authors that a card keeps which alone is too long for a reply. */
const MAX_AUTHORS = 50;

/** A card and what `meta.matches` says of it. */
export interface Hit {
  card: z.output<typeof paperCard>;
  match: CardMatch;
}

/**
 * The first hits, as many as fit into a reply, and at least one. If the first alone is too long, the
 * last entries of its manifest are cut, and the names after its first authors.
 */
export function fitToSize(hits: readonly Hit[], reply: ReplySize): Hit[] {
  const lengthOf = ({ card, match }: Hit) => reply.lengthOf([card]) + JSON.stringify(match).length;
  let left = reply.limit;
  const fitting: Hit[] = [];
  for (const hit of hits) {
    const length = lengthOf(hit);
    if (fitting.length === 0 && length > left) {
      return [cutManifest(cutAuthors(hit), (cut) => lengthOf(cut) <= reply.limit)];
    }
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

function cutManifest(hit: Hit, fits: (hit: Hit) => boolean): Hit {
  const withSections = (availableSections: Hit['card']['availableSections']) => ({
    ...hit,
    card: { ...hit.card, availableSections },
  });
  const shown = firstFitting(hit.card.availableSections, (first) => fits(withSections([...first])));
  return withSections([...shown]);
}
