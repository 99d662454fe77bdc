import type { HeldShelf } from '../../../core/context.ts';
import { notFound } from '../../../core/errors.ts';
import { arxivIdOf } from '../cards/ids.ts';
import { describeUnread } from '../notices.ts';
import { findPaperByCardId, type PaperRow } from '../queries.ts';
import { readPaperId } from './identifiers.ts';

/**
 * The paper of an id in any form. Throws `not_found`, for nothing is fetched, naming `param` where the
 * id is an argument.
 */
export function requirePaper({ db }: HeldShelf, id: string, param?: string): PaperRow {
  const { cardId, arxivId } = readPaperId(id);
  const held = findPaperByCardId(db, cardId);
  if (held === undefined) throw notFound(describeUnread(arxivId), param);
  if (held.withdrawn === 1) {
    throw notFound(
      `${arxivIdOf(held.sourceId)} was withdrawn from arXiv. Search for another with paper_search.`,
      param,
    );
  }
  return held;
}
