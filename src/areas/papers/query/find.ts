import { type Asked, type Asking, ask, NOTHING } from '../../../store/search/ask.ts';
import { isSameTitle, verdictOfNamed } from '../../../store/search/query/named.ts';
import { describeMissing } from '../notices.ts';
import { getPaperById, type PaperRow } from '../queries.ts';
import { paperIndex } from '../tables.ts';
import { findNamed } from './lookup.ts';
import { findRestriction } from './preferences.ts';

export interface FoundPapers
  extends Pick<Asked, 'verdict' | 'text' | 'vector' | 'understood' | 'notices'> {
  /** Best first, with scores of 0..1. */
  papers: { paper: PaperRow; score: number }[];
}

/** The best papers for a question: those that it names, by id or title, then the others by rank. */
export async function findPapers(
  context: Asking,
  question: string,
  limit: number,
): Promise<FoundPapers> {
  const named = findNamed(context.db, question);
  const [first] = named.held;
  // A bare id is followed by the papers nearest to its own.
  const text = named.rest === '' ? (first?.title ?? '') : named.rest;
  // A question that names its papers asks for no others.
  const restriction = first === undefined ? findRestriction(context.db, text, context.now()) : null;
  const { rest: subject = text, filter, preferences } = restriction ?? {};
  const asked =
    text === ''
      ? NOTHING
      : await ask(context, paperIndex, {
          text: subject,
          limit,
          ...(filter === undefined ? {} : { filter }),
          ...(preferences === undefined ? {} : { preferences }),
        });
  const ranked = asked.matches.flatMap(({ id, score }) => {
    const paper = getPaperById(context.db, id);
    return paper === undefined ? [] : [{ paper, score }];
  });
  const titled = ranked.filter(({ paper }) => isSameTitle(text, paper.title));
  const held = new Map(
    [...named.held, ...titled.map(({ paper }) => paper)].map((paper) => [paper.id, paper]),
  );
  const others = ranked.filter(({ paper }) => !held.has(paper.id));
  return {
    papers: [...[...held.values()].map((paper) => ({ paper, score: 1 })), ...others].slice(
      0,
      limit,
    ),
    verdict: verdictOfNamed(asked.verdict, {
      isHeld: held.size > 0,
      isMissing: named.missing.length > 0 || restriction?.isUnmet === true,
    }),
    text: asked.text,
    vector: asked.vector,
    understood: [...named.understood, ...(restriction?.understood ?? []), ...asked.understood],
    notices: [describeMissing(named.missing), ...(restriction?.notices ?? []), ...asked.notices],
  };
}
