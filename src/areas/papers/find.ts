import { splitExclusion } from '../../search/exclusion.ts';
import { type Filter, withoutPhrases } from '../../search/lexical.ts';
import { hasSubject, readQuery } from '../../search/query.ts';
import {
  type Answer,
  listCards,
  NO_ANSWER,
  type SearchContext,
  search,
} from '../../search/search.ts';
import { findMentions } from './lookup.ts';
import { describeFilter, describeMissing } from './notices.ts';
import { getPaperById, type PaperRow, summarisePapers } from './queries.ts';
import { allOf, FIELDS, filterOf, listNewest, readPreferences } from './search-queries.ts';
import { paperIndex } from './tables.ts';

interface PaperMatches
  extends Pick<Answer, 'verdict' | 'text' | 'vector' | 'understood' | 'notices'> {
  /** Best first, with scores of 0..1. */
  papers: { paper: PaperRow; score: number }[];
}

/**
 * The best papers for a question: those that it names, by id or title, then the others by rank. One that
 * has fields or an author alone gets the newest.
 */
export async function findPapers(
  context: SearchContext,
  question: string,
  limit: number,
): Promise<PaperMatches> {
  const { db } = context;
  const mentions = findMentions(db, question);
  const isNamed = mentions.stored.length + mentions.missing.length > 0;
  const { subject, fields, without } = readQuery(mentions.rest, FIELDS);
  const filter = filterOf(fields);
  const preferred = readPreferences(db, subject, filter);
  // A bare id is followed by the papers nearest to its own.
  const [first] = mentions.stored;
  const text = isNamed && !hasSubject(subject) ? (first?.title ?? '') : preferred.subject;
  const only =
    filter ?? preferred.preferences[0]?.filter ?? (without.length > 0 ? allOf([]) : undefined);
  const isNewest = !isNamed && text === '' && only !== undefined;
  const { text: target, excluded } = splitExclusion(text === '' ? subject : text);
  const answer: Answer = isNewest
    ? { ...NO_ANSWER, verdict: 'strong', understood: ['newest first'] }
    : await search(context, paperIndex, {
        ...{ text: target, limit, filter, without, excluded },
        preferences: preferred.preferences,
      });
  const newestOf = (some: Filter | undefined, most: number) =>
    listNewest(db, withoutPhrases(paperIndex.name, some, without) ?? allOf([]), most);
  const newest = isNewest ? newestOf(only, limit) : [];
  const matches = isNewest ? newest.map((id) => ({ id, score: 1 })) : answer.matches;
  const conditions = [
    ...fields.map(({ name, value, isExcluded }) => `${isExcluded ? '-' : ''}${name}:${value}`),
    ...without.map((word) => `-${word}`),
  ];
  const { cards, verdict, notice } = listCards(
    { matches, verdict: answer.verdict },
    { stored: mentions.stored, isMissing: mentions.missing.length > 0, title: text },
    { read: (id) => getPaperById(db, id), limit, noun: 'papers' },
  );
  return {
    papers: cards.map(({ card, score }) => ({ paper: card, score })),
    verdict,
    text: answer.text,
    vector: answer.vector,
    understood: [
      ...mentions.understood,
      ...conditions,
      ...preferred.understood,
      ...answer.understood,
    ],
    notices: [
      describeMissing(mentions.missing),
      cards.length === 0
        ? describeFilter(conditions, {
            papers: summarisePapers(db).count,
            fitsSome: newestOf(filter ?? allOf([]), 1).length > 0,
          })
        : '',
      ...answer.notices,
      notice,
    ],
  };
}
