import { cardIdOf, sourceIdOf } from '../cards/ids.ts';
import { readArxivId } from './identifiers.ts';

/**
 * Resolves a card id, or an arXiv id in any form, to the card id. The arXiv id is null where only
 * the card id was given; a version is split off.
 */
export function readPaperId(given: string): {
  cardId: string;
  arxivId: string | null;
  version: number | null;
} {
  const read = readArxivId(given);
  if (read === null) return { cardId: given.trim().toLowerCase(), arxivId: null, version: null };
  return { cardId: cardIdOf(sourceIdOf(read.id)), arxivId: read.id, version: read.version };
}
