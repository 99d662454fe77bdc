import { type Completer, MAX_COMPLETIONS } from '../../core/resource.ts';
import { arxivIdOf } from './arxiv/ids.ts';
import { readPaperId } from './identifiers.ts';
import { findPaperByCardId, listManifest } from './queries.ts';
import { servedBy } from './reading.ts';
import { listIdsByTitle, listIdsFrom } from './search-queries.ts';

/** One value more than a completion carries shows that there are more. */
const LIMIT = MAX_COMPLETIONS + 1;
/** What an arXiv id may begin with, after the prefix that some write. */
const ID = /^(?:arxiv:)?([a-z-]*\/?[\d.]*)$/i;

/** arXiv ids that begin as typed, newest first; then those of papers whose titles hold the words. */
export const completePaper: Completer = (typed, { db }) => {
  const prefix = ID.exec(typed.trim())?.[1]?.toLowerCase();
  const ids = prefix === undefined ? [] : listIdsFrom(db, prefix, LIMIT);
  const titled = ids.length < LIMIT ? listIdsByTitle(db, typed, LIMIT) : [];
  return [...new Set([...ids, ...titled])].map(arxivIdOf);
};

/** Keys of the paper's sections: those that begin as typed, then those that contain it. */
export const completeSection: Completer = (typed, shelf, { id = '' }) => {
  const paper = findPaperByCardId(shelf.db, readPaperId(id).cardId);
  if (paper === undefined || paper.withdrawn === 1) return [];
  const wanted = typed.trim().toLowerCase();
  const keys = listManifest(shelf.db, paper.id)
    .filter(servedBy(paper, shelf))
    .map(({ key }) => key);
  const begun = keys.filter((key) => key.startsWith(wanted));
  return [...begun, ...keys.filter((key) => key.includes(wanted) && !begun.includes(key))];
};
