import type { Database } from 'better-sqlite3';
import type { HeldShelf } from '../../core/context.ts';
import { notFound } from '../../core/errors.ts';
import { titlesIn } from '../../search/query.ts';
import { arxivIdOf, cardIdOf } from './arxiv/ids.ts';
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
  const { names, rest } = readIdentifiers(question);
  const stored = new Map<string, PaperRow>();
  for (const name of names) {
    const paper = name.startsWith('doi:')
      ? findPaperByDoi(db, name.slice('doi:'.length))
      : findPaperByCardId(db, name.startsWith('arxiv:') ? cardIdOf(name) : name);
    if (paper?.withdrawn === 0) stored.set(name, paper);
  }
  const titled = titlesIn(rest).flatMap((title) => findPaperByTitle(db, title) ?? []);
  return {
    stored: [...stored.values(), ...titled],
    missing: names.filter((name) => !stored.has(name)),
    rest,
    understood: [
      ...[...stored.keys()].map((name) => `id: ${name}`),
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
