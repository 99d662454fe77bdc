import type { Database } from 'better-sqlite3';
import type { HeldShelf } from '../../../core/context.ts';
import { notFound } from '../../../core/errors.ts';
import { TITLE_WORDS } from '../../../store/search/query/named.ts';
import { arxivIdOf, cardIdOf, sourceIdOf } from '../cards/ids.ts';
import { describeUnread } from '../notices.ts';
import { findPaperByCardId, findPaperByDoi, findPaperByTitle, type PaperRow } from '../queries.ts';
import { readIdentifiers, readPaperId } from './identifiers.ts';

/** The papers that a question names. */
export interface Named {
  /** Held, in the order of the question. */
  held: PaperRow[];
  /** Names of papers that are not held. */
  missing: string[];
  /** What the question asks besides; '' for nothing. */
  rest: string;
  /** Names of the papers held. */
  understood: string[];
}

const QUOTED = /["“«]([^"”»]{10,})["”»]/gu;

/** Looks up the identifiers and exact titles in a question. */
export function findNamed(db: Database, question: string): Named {
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
  const held = [...names.flatMap(([, paper]) => paper ?? []), ...titled];
  return {
    held,
    missing: names.filter(([, paper]) => paper === undefined).map(([name]) => name),
    rest,
    understood: [
      ...names.filter(([, paper]) => paper !== undefined).map(([name]) => `id: ${name}`),
      ...titled.map(({ title }) => `title: ${title}`),
    ],
  };
}

/** What may be a title: the question itself, without its end, and what it quotes. */
function titlesIn(question: string): string[] {
  const whole = question.trim();
  const bare = whole.replace(/^["“«']|["”»']?[.?!]?$/gu, '').trim();
  const quoted = [...question.matchAll(QUOTED)].map(([, title = '']) => title);
  return [...new Set([whole, bare, ...quoted.map((title) => title.replace(/[.,]$/, ''))])].filter(
    (title) => title.split(/\s+/).length >= TITLE_WORDS,
  );
}

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
