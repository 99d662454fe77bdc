import type { StoredShelf } from '../../core/context.ts';
import { notFound } from '../../core/errors.ts';
import type { Reader } from '../../core/reader.ts';
import { type Filter, withoutPhrases } from '../../search/lexical.ts';
import { hasSubject, readQuery, splitExclusion, writeExclusion } from '../../search/query.ts';
import {
  describeHolding,
  listCards,
  NO_RESULT,
  type SearchContext,
  type SearchResult,
  search,
} from '../../search/search.ts';
import { cardIdOf, isOwnId, NEW_ID, OLD_NUMBER, sourceIdOf } from './arxiv/ids.ts';
import {
  describeAuthors,
  describeDates,
  describeFields,
  describeFilter,
  describeLoneName,
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
  countWithWord,
  FIELDS,
  filterOf,
  listNewest,
  readAuthors,
} from './restrictions.ts';
import { paperIndex } from './tables.ts';

interface PaperMatches extends Pick<SearchResult, 'verdict' | 'vector' | 'understood' | 'notices'> {
  /**
   * Number of papers that pass the filter and contain every term of the subject; null if the
   * question names papers by id or full title.
   */
  holding: number | null;
  /** Best first, with scores from 0 to 1. */
  papers: { paper: PaperRow; score: number }[];
}

const NEWEST = /\b(?:newest|latest|most recent|recent)\b/iu;

/**
 * The best papers for a question: those that it names by id or full title, then the others by rank.
 * A question without a subject (only fields, an author or a word such as "newest") gets the newest
 * papers first.
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
  // If the question is a bare id, search for the paper's title to find similar papers.
  const [first] = mentions.stored;
  const asksNewest = NEWEST.test(subject) && !hasSubject(authors.subject.replace(NEWEST, ' '));
  const own = asksNewest ? '' : authors.subject;
  const text = isNamed && !hasSubject(subject) ? (first?.title ?? '') : own;
  const isListed = without.length > 0 || authors.unwanted.length > 0 || asksNewest;
  // True if a field names an author, and no paper by the author named in prose passes the filter.
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
  const loneNames = isNewest ? authors.names.filter((name) => name === subject) : [];
  const conditions = [...fields.map(writeField), ...without.map(writeExclusion)];
  const { cards, verdict, notice } = listCards(
    // If the question names an author on the shelf, the verdict is at least weak.
    preferred !== undefined && result.verdict === 'none' ? { ...result, verdict: 'weak' } : result,
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
      cards.length === 0 && !(isNamed && text === '')
        ? describeFilter(conditions, {
            papers: summarisePapers(db).count,
            fitsSome: countPapers(db, fitting(filter)) > 0,
            barren: fields.filter((one) => countPapers(db, filterOf([one]) ?? allOf([])) === 0),
          })
        : '',
      ...result.notices,
      notice,
      ...loneNames.map((name) => describeLoneName(name, countWithWord(db, name))),
      describeAuthors(authors, { fields, subject, isNothing: verdict === 'none' }),
      isNamed || isNewest || verdict === 'none'
        ? ''
        : describeHolding(result.holding, cards.length, 'papers'),
      describeFields(mentions.rest, FIELDS),
      describeDates(isNewest ? '' : subject, fields),
      describeUndated(fields, fields.length > 0 ? countUndated(db) : 0),
    ],
  };
}

/** Some old ids include a subject class: "math.PR/0601001". */
const ARCHIVE = '(?:cs|math|q-bio|q-fin|stat|[a-z]+-[a-z]+|nlin|physics)(?:\\.[a-z]{2})?';
/** Start of a paper's URL on arXiv or on a site that uses arXiv ids. */
const ADDRESS =
  '(?:https?://)?(?:[a-z]+\\.)*(?:arxiv|alphaxiv)\\.org/[a-z-]+/|(?:https?://)?(?:www\\.)?huggingface\\.co/papers/';
const ARXIV_DOI = '(?:https?://(?:dx\\.)?doi\\.org/|doi:?\\s*)?10\\.48550/arxiv\\.';
/** White space is bounded: two adjacent unbounded quantifiers take quadratic time. */
const PREFIX = 'arxiv(?:\\s{1,3}(?:id|no\\.?|number|preprint|paper))?\\s{0,3}[:#.]?\\s{0,3}';
const ARXIV = new RegExp(
  `(?<![\\w./$€£¥-])(?:${ADDRESS}|${ARXIV_DOI}|${PREFIX})?` +
    `(?<id>${NEW_ID}|${ARCHIVE}/${OLD_NUMBER})` +
    '(?:v(?<version>[1-9]\\d{0,3}))?(?:\\.pdf)?(?![\\w/%])(?!\\.\\d)',
  'gi',
);
/** Balanced parentheses belong to the DOI; final punctuation belongs to the sentence. */
const DOI =
  /(?:https?:\/\/(?:dx\.)?doi\.org\/|doi:?\s*)?\b(10\.\d{4,9}\/(?:[^\s"'<>()]|\([^\s"'<>()]*\))+)/gi;
const WHOLE_DOI = new RegExp(`^${DOI.source}$`);
const SENTENCE_END = /(?<![.,;:!?\]}])[.,;:!?\]}]+$/;
const CARD_ID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi;

/**
 * The identifiers in a text, in lower case and without duplicates: card ids, source ids such as
 * arxiv:2401.00001, and DOIs as doi:10.1000/x. `rest` is the text without them; '' if no subject
 * remains.
 */
export function readIdentifiers(text: string): { names: string[]; rest: string } {
  const names = new Set<string>();
  const take = (name: string) => {
    names.add(name);
    return ' ';
  };
  const rest = text
    .replace(CARD_ID, (id) => take(id.toLowerCase()))
    .replace(ARXIV, (_, id: string) => take(sourceIdOf(canonicalOf(id))))
    .replace(DOI, (_, doi: string) => take(`doi:${doi.replace(SENTENCE_END, '').toLowerCase()}`));
  return { names: [...names], rest: names.size > 0 && !hasSubject(rest) ? '' : rest.trim() };
}

/**
 * Resolves an id to a card id. The id may be a card id, an arXiv id in any form (even one that lost
 * its trailing zeros as a number), or the source id or DOI of one of the user's own papers.
 * `arxivId` is null unless the id is arXiv's, and `version` is null if none is stated.
 */
export function readPaperId(text: string): {
  cardId: string;
  arxivId: string | null;
  version: number | null;
} {
  const name = withZeros(text.trim().replace(/\?.*$/s, '').replace(/%2f/i, '/'));
  const [match] = name.matchAll(ARXIV);
  if (match === undefined || match[0].length !== name.length) {
    const written = text.trim().toLowerCase();
    const id = written.replace(WHOLE_DOI, 'doi:$1');
    return { cardId: isOwnId(id) ? cardIdOf(id) : id, arxivId: null, version: null };
  }
  const { id = '', version } = match.groups ?? {};
  const arxivId = canonicalOf(id);
  const cardId = cardIdOf(sourceIdOf(arxivId));
  return { cardId, arxivId, version: version === undefined ? null : Number(version) };
}

/** Restores trailing zeros: as a number, 2510.23150 becomes 2510.2315. */
function withZeros(text: string): string {
  const [, year = ''] = /^(\d\d)\d\d\.\d+$/.exec(text) ?? [];
  return year === '' ? text : text.padEnd(Number(year) < 15 ? 9 : 10, '0');
}

/** An id in arXiv's own spelling: lower case, without the subject class of old ids. */
const canonicalOf = (id: string) => id.toLowerCase().replace(/\.[a-z]{2}\//, '/');

interface Mentions {
  /** Papers on the shelf: those named by id, then one named by title. */
  stored: PaperRow[];
  /** Ids of papers that are not on the shelf or were withdrawn. */
  missing: string[];
  /** The question without its ids; '' if no subject remains. */
  rest: string;
  /** How the question names each paper on the shelf, such as "id: arxiv:2401.00001". */
  understood: string[];
}

/** Minimum number of words in a question that may be a title; a shorter one may be a subject. */
const TITLE_WORDS = 4;

/** Looks up the papers that a question names by id, and the one whose title is the rest. */
function findMentions(db: Reader, question: string): Mentions {
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
 * The stored paper with an id in any form. If it is not stored or was withdrawn, throws `not_found`,
 * which names the argument `param`.
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
 * The paper with a card id. Throws `not_found` if it was withdrawn, or with the message `why` if it
 * is not stored.
 */
export function expectReadable(db: Reader, cardId: string, why: string, param?: string): PaperRow {
  const paper = toReading(db, findPaperByCardId(db, cardId));
  if (paper === undefined) throw notFound(why, param);
  if (paper.withdrawn === 0) return paper;
  throw notFound(describeWithdrawal(paper), param);
}
