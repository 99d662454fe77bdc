import { mean, sum } from '../core/numbers.ts';
import type { Reader } from '../core/reader.ts';
import type { WeightedTerm } from './lexical.ts';
import type { SearchProfile } from './profile.ts';
import { type LexicalMatch, matchTerms, type TermQuery, totalIdf } from './terms.ts';
import { addScaled, cosinesOf, DIMENSIONS, readVectors } from './vectors.ts';
import type { Evidence } from './verdict.ts';

/** The rank against which the lead of the first match is measured. */
const LEAD_RANK = 10;
/** Number of top cards used as feedback, and the score gap at which their weight falls to 1/e. */
const FEEDBACK = { cards: 20, spread: 0.02 };

/** A card with its score and its features. */
export interface Match extends LexicalMatch {
  /** Weighted sum of the features, with bonuses and penalties, clamped to 0..1. */
  score: number;
  /** Cosine of query and card; null in lexical-only search and for a card without an embedding. */
  cosine: number | null;
  /** Largest cosine of the query with the card or one of its passages; null if `cosine` is null. */
  passageCosine: number | null;
}

interface RankingQuery extends TermQuery {
  /** Null in lexical-only search. */
  vector: Float32Array | null;
  /** The terms that count for the verdict. */
  subject: readonly WeightedTerm[];
  limit: number;
  cards: number;
  holding: number;
  /** Ids of the cards that get a bonus. */
  preferred: ReadonlySet<number>;
}

export interface Ranking {
  /** Best first. */
  matches: Match[];
  /** Null without a match. */
  evidence: Evidence | null;
}

/** Ranks candidates by text and vector; drops those that share no term with the query and have no cosine. */
export function rankCards(
  db: Reader,
  profile: SearchProfile,
  ids: readonly number[],
  query: RankingQuery,
): Ranking {
  const vector = query.vector && Float64Array.from(query.vector);
  const { boost, weights } = profile.fitted[vector === null ? 'lexical' : 'hybrid'];
  const embedded = vector === null ? [] : ids;
  const vectors = readVectors(db, profile.name, embedded);
  const passages = readVectors(db, profile.name, embedded, 'passages');
  const cosineWith = (stored: Int8Array | undefined) =>
    stored === undefined || vector === null ? null : Math.max(...cosinesOf(stored, vector));
  const matches = matchTerms(db, profile, ids, query)
    .map((match): Match => {
      const cosine = cosineWith(vectors.get(match.id));
      const passage = cosineWith(passages.get(match.id)) ?? 0;
      const passageCosine = cosine === null ? null : Math.max(cosine, passage);
      return { ...match, score: 0, cosine, passageCosine };
    })
    .filter(({ cosine, coverage }) => cosine !== null || coverage > 0);
  // A card that has no vector yet is scored with the mean cosine of the others.
  const meanCosine = mean(matches.flatMap(({ cosine }) => cosine ?? []));
  const ranked = rank(matches, (match) => {
    const { bm25, coverage, mismatches, cosine, passageCosine } = match;
    return (
      weights.bm25 * bm25 +
      weights.coverage * coverage +
      weights.card * Math.max(0, cosine ?? meanCosine) +
      weights.passage * Math.max(0, passageCosine ?? meanCosine) -
      weights.mismatch * mismatches
    );
  });
  const likeness = likenessToBest(ranked, vectors);
  const { feedback } = weights;
  const final = rank(
    ranked,
    ({ id, score, titleCoverage }) =>
      (score + feedback * likeness(id)) / (1 + feedback) +
      weights.title * titleCoverage +
      (query.preferred.has(id) ? boost : 0),
  );
  const [first] = final;
  const { subject: terms, comparison } = query;
  const coverageOf = (some: readonly WeightedTerm[]) =>
    matchTerms(db, profile, first ? [first.id] : [], { ...query, terms: some })[0]?.coverage ?? 0;
  const telling = terms.filter(({ term }) => !comparison?.isDetail(term));
  const isOther = comparison !== undefined && telling.length > 0 && coverageOf(telling) === 0;
  const judged = first && {
    ...first,
    coverage: coverageOf(terms),
    mismatches: first.mismatches + Number(isOther),
  };
  return {
    matches: final.slice(0, query.limit).map((match) => ({ ...match, score: clamp(match.score) })),
    evidence: evidenceOf(rivalsOf(db, profile, ranked), judged, { ...query, terms, meanCosine }),
  };
}

/** The matches that the best one must stand out from, including itself: its peers, or all if these are too few. */
function rivalsOf(
  db: Reader,
  { peersOf }: SearchProfile,
  ranked: readonly Match[],
): readonly Match[] {
  const [best] = ranked;
  if (best === undefined || peersOf === undefined) return ranked;
  const peers = peersOf(
    db,
    best.id,
    ranked.map(({ id }) => id),
  );
  const own = ranked.filter(({ id }) => peers.has(id));
  return own.length < LEAD_RANK ? ranked : own;
}

/** Evidence that the first match is an answer; `rivals` have their scores from before feedback. */
function evidenceOf(
  rivals: readonly Match[],
  first: Match | undefined,
  { terms, cards, holding, meanCosine }: RankingQuery & { meanCosine: number },
): Evidence | null {
  const [best, tenth] = [rivals[0], rivals[LEAD_RANK - 1] ?? rivals.at(-1)];
  if (first === undefined || best === undefined || tenth === undefined) return null;
  // Approximates the idf of a term that only one card contains.
  const rarest = Math.log(2 + cards);
  return {
    score: clamp(best.score),
    lead: clamp(best.score) - clamp(tenth.score),
    cosine: first.cosine ?? meanCosine,
    specificity: Math.log(1 + totalIdf(terms) / rarest),
    coverage: first.coverage,
    matched: Math.log(1 + (first.coverage * totalIdf(terms)) / rarest),
    title: first.titleCoverage,
    mismatches: first.mismatches,
    holding,
    cards,
  };
}

/** Pseudo-relevance feedback: a card's similarity to the best ones, weighted by their scores. */
function likenessToBest(
  ranked: readonly Match[],
  vectors: ReadonlyMap<number, Int8Array>,
): (id: number) => number {
  const weigh = (score: number) => Math.exp((score - (ranked[0]?.score ?? 0)) / FEEDBACK.spread);
  const best = ranked.slice(0, FEEDBACK.cards);
  const total = sum(best.map(({ score }) => weigh(score)));
  const centroid = new Float64Array(DIMENSIONS);
  for (const { id, score } of best) {
    const stored = vectors.get(id);
    if (stored !== undefined) addScaled(centroid, stored, weigh(score) / total);
  }
  const cosines = new Map(
    [...vectors].map(([id, stored]) => [id, Math.max(0, cosinesOf(stored, centroid)[0] ?? 0)]),
  );
  const meanCosine = mean([...cosines.values()]);
  return (id) => cosines.get(id) ?? meanCosine;
}

/** Scores and sorts matches, ties by smaller id. Does not clamp scores to 0..1, which would create ties. */
function rank(matches: readonly Match[], scoreOf: (match: Match) => number): Match[] {
  return matches
    .map((match) => ({ ...match, score: scoreOf(match) }))
    .sort((a, b) => b.score - a.score || a.id - b.id);
}

function clamp(score: number): number {
  return Math.min(1, Math.max(0, score));
}
