import type { Database } from 'better-sqlite3';
import type { StoredShelf } from '../../core/context.ts';
import { notFound } from '../../core/errors.ts';
import { type Filter, withoutPhrases } from '../../search/lexical.ts';
import {
  describeClash,
  hasSubject,
  listUnknownFields,
  readQuery,
  splitExclusion,
  writeExclusion,
} from '../../search/query.ts';
import {
  describeHolding,
  listCards,
  NO_RESULT,
  type SearchContext,
  type SearchResult,
  search,
} from '../../search/search.ts';
import { cardIdOf } from './arxiv/ids.ts';
import { readIdentifiers, readPaperId } from './identifiers.ts';
import {
  describeAuthors,
  describeDates,
  describeFields,
  describeFilter,
  describeMissing,
  describeUndated,
  describeUnread,
  describeWithdrawal,
  writeField,
} from './notices.ts';
import {
  findPaperBy,
  findPaperByCardId,
  getPaperById,
  type PaperRow,
  summarisePapers,
} from './queries.ts';
import { toReading } from './reading.ts';
import {
  allOf,
  countPapers,
  countUndated,
  FIELDS,
  filterOf,
  listCategories,
  listNewest,
  readAuthors,
} from './restrictions.ts';
import { paperIndex } from './tables.ts';

interface PaperMatches extends Pick<SearchResult, 'verdict' | 'vector' | 'understood' | 'notices'> {
  /**
   * Number of papers that pass the fields and contain every term of the subject; null if ids are
   * the subject.
   */
  holding: number | null;
  /** Best first, with scores from 0 to 1. */
  papers: { paper: PaperRow; score: number }[];
}

/** Maximum number of categories named in a notice; the most common come first. */
const MAX_CATEGORIES = 6;
const NEWEST = /\b(?:newest|latest|most recent|recent)\b/iu;

/**
 * The best papers for a question: those that it names by id or full title, then the others by rank.
 * A question that has only fields or an author, or asks for the newest papers, gets the newest
 * first.
 */
export async function findPapers(
  context: SearchContext,
  question: string,
  limit: number,
): Promise<PaperMatches> {
  const { db } = context;
  const mentions = findMentions(db, question);
  const isNamed = mentions.stored.length + mentions.missing.length > 0;
  const query = readQuery(mentions.rest, FIELDS);
  const { fields } = query;
  const { text: subject, excluded } = splitExclusion(query.subject);
  const without = [...query.without, ...excluded];
  const filter = filterOf(fields);
  const authors = readAuthors(db, subject, filter);
  // If a question is a bare id, search for the paper's title, so that similar papers follow it.
  const [first] = mentions.stored;
  const asksNewest = NEWEST.test(subject) && !hasSubject(authors.subject.replace(NEWEST, ' '));
  const own = asksNewest ? '' : authors.subject;
  const text = isNamed && !hasSubject(subject) ? (first?.title ?? '') : own;
  const isListed = without.length > 0 || authors.unwanted.length > 0 || asksNewest;
  // No paper is by both the author in a field and the one named in prose.
  const isApart =
    authors.preferred !== undefined &&
    fields.some(({ name, isExcluded }) => name === 'author' && !isExcluded) &&
    countPapers(db, authors.preferred) === 0;
  const preferred = isApart ? undefined : authors.preferred;
  const only = preferred ?? filter ?? (isListed ? allOf([]) : undefined);
  const isNewest = !isNamed && text === '' && only !== undefined;
  const fitting = (some: Filter | undefined) =>
    withoutPhrases(paperIndex.name, some ?? allOf([]), without) ?? allOf([]);
  const result = isNewest
    ? {
        ...NO_RESULT,
        matches: listNewest(db, fitting(only), limit).map((id) => ({ id, score: 1 })),
        holding: countPapers(db, fitting(only)),
        verdict: 'strong' as const,
        understood: ['newest first'],
      }
    : await search(context, paperIndex, {
        text: text === '' ? subject : text,
        limit,
        filter,
        without,
        preferred,
      });
  // If the question names an author on the shelf, the verdict is at least weak.
  const isStored = result.verdict === 'none' && preferred !== undefined;
  const conditions = [...fields.map(writeField), ...without.map(writeExclusion)];
  const { cards, verdict, notice } = listCards(
    { matches: result.matches, verdict: isStored ? 'weak' : result.verdict },
    {
      stored: mentions.stored,
      isMissing: mentions.missing.length > 0 || authors.isAbsent || isApart,
      title: text,
    },
    { read: (id) => getPaperById(db, id), limit },
  );
  return {
    papers: cards.map(({ card, score }) => ({ paper: toReading(db, card) ?? card, score })),
    verdict,
    holding: isNamed ? null : result.holding,
    vector: result.vector,
    understood: [
      ...mentions.understood,
      ...conditions,
      ...authors.names.map((name) => `prefers author: ${name}`),
      ...result.understood,
    ],
    notices: [
      describeMissing(mentions.missing),
      describeClash(subject, without) ||
        (cards.length === 0
          ? describeFilter(conditions, {
              papers: summarisePapers(db).count,
              fitsSome: countPapers(db, fitting(filter)) > 0,
              barren: fields.filter(
                (field) => countPapers(db, filterOf([field]) ?? allOf([])) === 0,
              ),
              categories: listCategories(db, MAX_CATEGORIES),
            })
          : ''),
      ...result.notices,
      notice,
      describeAuthors(authors, { fields, subject, isNothing: verdict === 'none' }),
      isNamed || isNewest || verdict === 'none'
        ? ''
        : describeHolding(result.holding, cards.length, 'papers'),
      describeFields(listUnknownFields(mentions.rest, FIELDS), FIELDS),
      describeDates(isNewest ? '' : subject),
      describeUndated(fields, fields.length > 0 ? countUndated(db) : 0),
    ],
  };
}

/** The papers that a question names. */
interface Mentions {
  /** Papers on the shelf, in the order of the question. */
  stored: PaperRow[];
  /** Ids of papers that are not on the shelf. */
  missing: string[];
  /** The question without its ids; '' if nothing else remains. */
  rest: string;
  /** How each paper on the shelf was named, such as "id: arxiv:2401.00001". */
  understood: string[];
}

/** Minimum number of words in a title: a shorter one may be meant as a subject. */
const TITLE_WORDS = 4;

/** Looks up the identifiers in a question, and a paper whose title is all that remains. */
function findMentions(db: Database, question: string): Mentions {
  const { names, rest } = readIdentifiers(question);
  const stored = new Map<string, PaperRow>();
  for (const name of names) {
    const match = name.startsWith('doi:')
      ? findPaperBy(db, 'doi', name.slice('doi:'.length))
      : findPaperByCardId(db, name.startsWith('arxiv:') ? cardIdOf(name) : name);
    const paper = toReading(db, match);
    if (paper?.withdrawn === 0) stored.set(name, paper);
  }
  const mayBeTitle = rest.trim().split(/\s+/).length >= TITLE_WORDS;
  const titled = (mayBeTitle && toReading(db, findPaperBy(db, 'title', rest.trim()))) || undefined;
  return {
    stored: [...stored.values(), ...(titled === undefined ? [] : [titled])],
    missing: names.filter((name) => !stored.has(name)),
    rest,
    understood: [
      ...[...stored.keys()].map((name) => `id: ${name}`),
      ...(titled === undefined ? [] : [`title: ${titled.title}`]),
    ],
  };
}

/**
 * The paper with an id in any form. Throws `not_found`, since nothing is fetched, and names `param`
 * if the id is an argument.
 */
export function requirePaper(
  { db }: Pick<StoredShelf, 'db'>,
  id: string,
  param?: string,
): PaperRow {
  const { cardId, arxivId } = readPaperId(id);
  return expectReadable(db, cardId, describeUnread(id, arxivId), param);
}

/**
 * The paper with a card id. Throws `not_found`, with `why`, if it is not stored or was withdrawn.
 */
export function expectReadable(
  db: Database,
  cardId: string,
  why: string,
  param?: string,
): PaperRow {
  const paper = toReading(db, findPaperByCardId(db, cardId));
  if (paper === undefined) throw notFound(why, param);
  if (paper.withdrawn === 0) return paper;
  throw notFound(describeWithdrawal(paper), param);
}
