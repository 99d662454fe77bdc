import { type Asked, type Asking, ask, NOTHING } from '../../../store/search/ask.ts';
import { isSameTitle, verdictOfNamed } from '../../../store/search/query/named.ts';
import { withoutSyntax } from '../../../store/search/query/syntax.ts';
import { withoutUnrelated } from '../../../store/search/query/unrelated.ts';
import { subjectWords } from '../../../store/search/query/words.ts';
import { describeMissing } from '../notices.ts';
import { getPaperById, type PaperRow } from '../queries.ts';
import { paperIndex } from '../tables.ts';
import { spellFields } from './fields.ts';
import { findNamed } from './lookup.ts';
import { findRestriction } from './preferences.ts';
import { listNewest } from './restriction-queries.ts';

export interface FoundPapers
  extends Pick<Asked, 'verdict' | 'text' | 'vector' | 'understood' | 'notices'> {
  /** Best first, with scores of 0..1. */
  papers: { paper: PaperRow; score: number }[];
}

const UNRELATED = { cards: 'papers', argument: 'topK' };

/**
 * The best papers for a question: those that it names, by id or title, then the others by rank. One that
 * asks for an author, date or category alone gets the newest.
 */
export async function findPapers(
  context: Asking,
  question: string,
  limit: number,
): Promise<FoundPapers> {
  const { db } = context;
  const named = findNamed(db, question);
  const [first] = named.held;
  // A bare id is followed by the papers nearest to its own.
  const isNamed = named.held.length + named.missing.length > 0;
  const text =
    isNamed && subjectWords(named.rest) === 0
      ? (first?.title ?? '')
      : withoutSyntax(spellFields(named.rest));
  // A question that names its papers asks for no others.
  const restriction = first === undefined ? findRestriction(db, text, context.now()) : null;
  const { rest = text, filter, preferences } = restriction ?? {};
  const newest = rest === '' && filter !== undefined ? listNewest(db, filter, limit) : null;
  const asked: Asked =
    newest !== null
      ? { ...NOTHING, verdict: 'strong', understood: ['newest first'] }
      : text === ''
        ? NOTHING
        : await ask(context, paperIndex, {
            text: rest === '' ? text : rest,
            limit,
            ...(filter === undefined ? {} : { filter }),
            ...(preferences === undefined ? {} : { preferences }),
          });
  const matches = newest?.map((id) => ({ id, score: 1 })) ?? asked.matches;
  const ranked = matches.flatMap(({ id, score }) => {
    const paper = getPaperById(db, id);
    return paper === undefined ? [] : [{ paper, score }];
  });
  const titled = ranked.filter(({ paper }) => isSameTitle(text, paper.title));
  const held = new Map(
    [...named.held, ...titled.map(({ paper }) => paper)].map((paper) => [paper.id, paper]),
  );
  const others = ranked.filter(({ paper }) => !held.has(paper.id));
  const papers = [...[...held.values()].map((paper) => ({ paper, score: 1 })), ...others];
  const verdict = verdictOfNamed(asked.verdict, {
    isHeld: held.size > 0,
    isMissing: named.missing.length > 0 || restriction?.isUnmet === true,
  });
  const { nearest, notice } = withoutUnrelated(papers, { verdict, limit }, UNRELATED);
  return {
    papers: nearest,
    verdict,
    text: asked.text,
    vector: asked.vector,
    understood: [...named.understood, ...(restriction?.understood ?? []), ...asked.understood],
    notices: [
      describeMissing(named.missing),
      ...(restriction?.notices ?? []),
      ...asked.notices,
      notice,
    ],
  };
}
