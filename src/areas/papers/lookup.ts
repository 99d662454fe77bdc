import type { Database } from 'better-sqlite3';
import type { HeldShelf } from '../../core/context.ts';
import { notFound } from '../../core/errors.ts';
import { titlesIn } from '../../search/query.ts';
import { arxivIdOf, cardIdOf, sourceIdOf } from './arxiv/ids.ts';
import { readIdentifiers, readPaperId } from './identifiers.ts';
import { describeUnread } from './notices.ts';
import { findPaperByCardId, findPaperByDoi, findPaperByTitle, type PaperRow } from './queries.ts';

/** The papers that a question names. */
interface Mentions {
  /** On the shelf, in the order of the question. */
  stored: PaperRow[];
  /** Names of papers that are not on the shelf. */
  missing: string[];
  /** The question without its ids; '' for nothing. */
  rest: string;
  /** Names of the papers on the shelf. */
  understood: string[];
}

/** Looks up the identifiers and exact titles in a question. */
export function findMentions(db: Database, question: string): Mentions {
  const { arxivIds, dois, cardIds, rest } = readIdentifiers(question);
  const names: [name: string, paper: PaperRow | undefined][] = [
    ...cardIds.map((id) => [id, findPaperByCardId(db, id)] as const),
    ...arxivIds.map((id) => {
      const sourceId = sourceIdOf(id);
      return [sourceId, findPaperByCardId(db, cardIdOf(sourceId))] as const;
    }),
    ...dois.map((doi) => [`doi:${doi}`, findPaperByDoi(db, doi)] as const),
  ].map(([name, paper]) => [name, paper?.withdrawn === 1 ? undefined : paper]);
  const titled = titlesIn(rest).flatMap((title) => findPaperByTitle(db, title) ?? []);
  return {
    stored: [...names.flatMap(([, paper]) => paper ?? []), ...titled],
    missing: names.filter(([, paper]) => paper === undefined).map(([name]) => name),
    rest,
    understood: [
      ...names.filter(([, paper]) => paper !== undefined).map(([name]) => `id: ${name}`),
      ...titled.map(({ title }) => `title: ${title}`),
    ],
  };
}

/**
 * The paper of an id in any form. Throws `not_found`, for nothing is fetched, naming `param` where the
 * id is an argument.
 */
export function requirePaper({ db }: Pick<HeldShelf, 'db'>, id: string, param?: string): PaperRow {
  const { cardId, arxivId } = readPaperId(id);
  return expectReadable(findPaperByCardId(db, cardId), describeUnread(id, arxivId), param);
}

/** The paper; throws `not_found` where it is not stored, which says `why`, or was withdrawn. */
export function expectReadable(paper: PaperRow | undefined, why: string, param?: string): PaperRow {
  if (paper === undefined) throw notFound(why, param);
  if (paper.withdrawn === 0) return paper;
  const id = arxivIdOf(paper.sourceId);
  throw notFound(`${id} was withdrawn from arXiv. Search for another with paper_search.`, param);
}
