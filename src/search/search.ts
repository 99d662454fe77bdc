import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Context } from '../core/context.ts';
import type { Verdict } from '../core/envelope.ts';
import { invalidRequest } from '../core/errors.ts';
import { printable } from '../core/input.ts';
import { mean } from '../core/numbers.ts';
import {
  countCards,
  countHolding,
  type Filter,
  findByTerms,
  listPassing,
  passing,
  withoutPhrases,
} from './lexical.ts';
import type { SearchProfile } from './profile.ts';
import { hasSubject, isSameTitle, nearPieces, piecesOf, writeExclusion } from './query.ts';
import { type Match, type Ranking, rankCards } from './ranking.ts';
import { stemsOfOthers } from './synonyms.ts';
import { weightTerms } from './terms.ts';
import { plainStems, queryStems } from './tokenise.ts';
import { correctTypos } from './typos.ts';
import { cosinesOf, findNearest, readVectors } from './vectors.ts';
import { type Evidence, judge } from './verdict.ts';

/** Candidates per retriever, and postings to score; fewer suffice in hybrid search. */
const HYBRID = { candidates: 40, postings: 1_000 };
const LEXICAL = { candidates: 100, postings: 2_000 };
/** Maximum number of cards by a named author that are always candidates; few authors have more. */
const MOST_PREFERRED = 100;
/** Number of cards that each piece of a long question is compared with. */
const PIECE_CARDS = 3;
/** If nothing is related, a caller who requests at most this many cards gets only the nearest one. */
const USUAL = 5;
/** A subject is broad if at least this many cards contain all its terms, and not all of them are returned. */
const BROAD = 20;

export type SearchContext = Pick<Context, 'db' | 'embedQuery' | 'isWord' | 'now'>;

export interface SearchQuery {
  text: string;
  limit: number;
  filter?: Filter | undefined;
  without?: readonly string[];
  /** Cards by an author whom the question names; they become candidates and get a bonus. */
  preferred?: Filter | undefined;
}

export interface SearchResult {
  /** Best first. */
  matches: Match[];
  evidence: Evidence | null;
  verdict: Verdict;
  /** Embedding of the subject; null in lexical-only search. */
  vector: Float32Array | null;
  /** Number of cards that pass the filters and contain every term of the subject, or a synonym of it. */
  holding: number;
  /** Corrected words, for `meta.understood`. */
  understood: string[];
  /** Notices for the caller, most important first; some may be ''. */
  notices: string[];
}

export const NO_RESULT: SearchResult = {
  matches: [],
  evidence: null,
  verdict: 'none',
  vector: null,
  holding: 0,
  understood: [],
  notices: [],
};

/** Ranks cards for a question; '' yields none. Throws `invalid_request` for other text without words. */
export async function search(
  context: SearchContext,
  profile: SearchProfile,
  query: SearchQuery,
): Promise<SearchResult> {
  if (query.text === '') return NO_RESULT;
  if (!/[\p{L}\p{N}]/u.test(query.text)) {
    throw invalidRequest(`query has no words: ${profile.hint}.`, 'query');
  }
  const { db } = context;
  const { name } = profile;
  const cards = countCards(db, name);
  const subject = await cutToSubject(context, { name, cards }, query.text);
  const { text, corrections } = await correctTypos(context, { name, cards }, subject);
  const embedding = await context.embedQuery(text);
  const vector = 'vector' in embedding ? embedding.vector : null;
  const { matches, evidence } = await retrieve(context, profile, { ...query, text, vector, cards });
  const fitted = profile.fitted[vector === null ? 'lexical' : 'hybrid'];
  const isVague = !hasSubject(text);
  return {
    matches,
    evidence,
    vector,
    // Do not count the cards for a vague question: it has only stop words.
    holding: isVague ? 0 : (evidence?.holding ?? 0),
    verdict: isVague ? 'none' : judge(evidence, fitted.verdict),
    understood: corrections.map(({ from, to }) => `word: ${from} → ${to}`),
    notices: [
      isVague ? `The question is too vague: ${profile.hint}.` : '',
      describeClash(query),
      'unavailable' in embedding ? embedding.unavailable : '',
    ],
  };
}

/** A notice if a question excludes part of its own subject, in any form of the words; otherwise ''. */
function describeClash({ text, without = [] }: SearchQuery): string {
  const phraseOf = (words: string) => ` ${plainStems(words).join(' ')} `;
  const clash = without.find((each) => phraseOf(text).includes(phraseOf(each)));
  const excluded = clash && writeExclusion(printable(clash));
  return excluded
    ? `${excluded} excludes part of the subject itself: drop the exclusion or change the subject.`
    : '';
}

/** Drops the pieces of a long question that are much farther in meaning from the shelf than the nearest piece. */
async function cutToSubject(
  { db, embedQuery }: SearchContext,
  { name, cards }: { name: string; cards: number },
  text: string,
): Promise<string> {
  const pieces = piecesOf(text);
  if (pieces.length < 2) return text;
  const cosines: number[] = [];
  for (const piece of pieces) {
    const embedding = await embedQuery(piece);
    if (!('vector' in embedding)) return text;
    const nearest = findNearest(db, name, embedding.vector, { limit: PIECE_CARDS, cards });
    const vector = Float64Array.from(embedding.vector);
    const own = [...readVectors(db, name, nearest).values()].flatMap((one) =>
      cosinesOf(one, vector),
    );
    cosines.push(mean(own));
  }
  return nearPieces(pieces, cosines).join(' ');
}

/** The best cards for a query, best first, ties by smaller id. */
async function retrieve(
  { db, now }: SearchContext,
  profile: SearchProfile,
  query: SearchQuery & { vector: Float32Array | null; cards: number },
): Promise<Ranking> {
  const { text, vector, limit, cards, without = [] } = query;
  const { name } = profile;
  const weigh = (stems: readonly string[]) => weightTerms(db, name, stems, cards);
  const stems = queryStems(text);
  const synonyms = profile.synonyms?.match(text) ?? [];
  const weighted = weigh(stems);
  const firm = weighted.filter(({ term }) => !profile.aside?.test(term));
  const subject = firm.length > 0 ? firm : weighted;
  const most = Math.max(...subject.map(({ idf }) => idf));
  const terms = weighted.map((one) => ({ ...one, idf: Math.min(one.idf, most) }));
  const retrieved = [...subject, ...weigh(stemsOfOthers(synonyms, stems))];
  const base = withoutPhrases(name, query.filter, without);
  const weights = Object.values(profile.columns);
  const { candidates: depth, postings } = vector === null ? LEXICAL : HYBRID;
  const matches = findByTerms(db, {
    name,
    weights,
    terms: retrieved,
    filter: base,
    limit: depth,
    postings,
  });
  // Yield between steps: each takes a few milliseconds at 30,000 cards.
  await yieldToEventLoop();
  const nearest =
    vector === null ? [] : findNearest(db, name, vector, { limit: depth, cards, filter: base });
  await yieldToEventLoop();
  const preferred = query.preferred ? listPassing(db, query.preferred, MOST_PREFERRED) : [];
  const ids = [...new Set([...nearest, ...matches, ...passing(db, preferred, base)])];
  return rankCards(db, profile, ids, {
    vector,
    cards,
    terms,
    subject,
    synonyms,
    limit,
    preferred: new Set(query.preferred ? passing(db, ids, query.preferred) : []),
    holding: countHolding(db, name, subject, synonyms, base),
    comparison: profile.compare?.(text, now()),
  });
}

/** The cards of a reply, read from the store. */
interface Listing<T> {
  /** Best first, scored 0..1. */
  cards: { card: T; score: number }[];
  verdict: Verdict;
  /** A notice if nothing seems related, otherwise ''. */
  notice: string;
}

/**
 * Reads the cards of a reply. Cards that the question names, by id or full title, come first and make the
 * verdict `strong`; if a named card is not stored, the verdict is at most `weak`. If nothing seems related,
 * only the nearest card is returned, unless the caller requests more than `USUAL`.
 */
export function listCards<T extends { id: number; title: string }>(
  {
    matches,
    verdict: ranked,
    vector,
  }: Pick<SearchResult, 'verdict' | 'vector'> & { matches: readonly Pick<Match, 'id' | 'score'>[] },
  named: { stored: readonly T[]; isMissing: boolean; title: string },
  { read, limit }: { read: (id: number) => T | undefined; limit: number },
): Listing<T> {
  const candidates = matches.flatMap(({ id, score }) => {
    const card = read(id);
    return card === undefined ? [] : [{ card, score }];
  });
  const titled = candidates
    .map(({ card }) => card)
    .filter(({ title }) => isSameTitle(named.title, title));
  const first = new Map([...named.stored, ...titled].map((card) => [card.id, card]));
  const cards = [
    ...[...first.values()].map((card) => ({ card, score: 1 })),
    ...candidates.filter(({ card }) => !first.has(card.id)),
  ];
  const withMissing = named.isMissing && ranked === 'strong' ? 'weak' : ranked;
  const withStored = named.isMissing ? 'weak' : 'strong';
  const verdict = first.size > 0 ? withStored : cards.length > 0 ? withMissing : 'none';
  const isAlone = verdict === 'none' && limit <= USUAL;
  const listed = cards.slice(0, isAlone ? 1 : limit);
  const isNothing = verdict === 'none' && listed.length > 0;
  const why = `${vector === null ? 'By words alone, nothing is clearly' : 'Nothing seems'} related`;
  const notice = isNothing ? `${why}: ${sayNearest(listed.length)}.` : '';
  return { cards: listed, verdict, notice };
}

function sayNearest(returned: number): string {
  return returned === 1 ? 'this is the nearest' : 'these are the nearest';
}

/** For a broad subject, a notice that counts the cards with all its terms; otherwise ''. */
export function describeHolding(holding: number, returned: number, noun: string): string {
  return holding < BROAD || holding <= returned
    ? ''
    : `${holding.toLocaleString('en-US')} ${noun} contain all terms; ${sayNearest(returned)}.`;
}
