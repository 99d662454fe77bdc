import type { Database } from 'better-sqlite3';
import { type Excluded, penaltiesOf } from './excluded.ts';
import type { SearchIndex } from './index.ts';
import { feedbackShares } from './lexical/feedback.ts';
import { type LexicalMatch, matchTerms, type TermQuery } from './lexical/terms.ts';
import type { Match } from './match.ts';
import { keepSubject, type Preferred, putLeadersFirst } from './preferred.ts';
import { DIMENSIONS } from './vectors/float32.ts';
import { addScaled, dotProducts } from './vectors/int8.ts';
import { readPassages, readVectors } from './vectors/nearest.ts';
import { type Evidence, evidenceOf } from './verdict.ts';
import { RANKING, type Weights, weightsFor } from './weights.ts';

/** The best candidates, by BM25 and card cosine, whose passages are compared. */
const FINALISTS = 60;
/** The best candidates of lexical-only search, among which feedback ranks. */
const FEEDBACK_DEPTH = 40;
/** BM25 alone spreads scores about twice as far as all features together. */
const LEXICAL_BOOST = 2;
/** The rank against which the score margin of the first match is measured. */
const MARGIN_RANK = 10;

export interface RankingQuery extends TermQuery, Preferred {
  limit: number;
  /** What counts against a card. */
  excluded?: Excluded | undefined;
}

export interface HybridQuery extends RankingQuery {
  /** A unit vector. */
  vector: Float32Array;
  /** Mean cosine with all cards. */
  backgroundCosine: number;
  /** See `Evidence`. */
  fieldScore: number;
}

export interface Ranking {
  /** Best first. */
  matches: Match[];
  /** Null without a match. */
  evidence: Evidence | null;
}

/** Ranks candidates by their text only; drops those that share no term with the query. */
export function rankByTerms(
  db: Database,
  index: SearchIndex,
  ids: readonly number[],
  query: RankingQuery,
): Ranking {
  const matches = matchTerms(db, index, ids, query)
    .filter(({ idfCoverage }) => idfCoverage > 0)
    .map((match) => ({ ...match, score: match.bm25, cosine: null, maxPassageCosine: null }));
  const weights = weightsFor(query, index, 'lexical');
  const lexicalWeight = weights.bm25 + weights.idfCoverage;
  const penalties = penaltiesOf(db, index, ids, query);
  const ranked = rank(
    matches,
    (match) => lexicalScore(match, weights) / lexicalWeight - (penalties.get(match.id) ?? 0),
  );
  // Cards that are not prose have too few words for feedback.
  const feedback = index.isProse === true ? weights.termFeedback : 0;
  const named = {
    ...query,
    terms: [...query.terms, ...(query.excluded?.subjects.flatMap(({ terms }) => terms) ?? [])],
  };
  const shares =
    feedback === 0 ? null : feedbackShares(db, index, ranked.slice(0, FEEDBACK_DEPTH), named);
  const boostOf = boostsFor(query, index);
  const scored = rank(
    ranked,
    (match) =>
      (match.score + feedback * (shares?.get(match.id) ?? 0)) / (1 + feedback) +
      LEXICAL_BOOST * boostOf(match),
  );
  const leading = putLeadersFirst(scored, ranked, query.leading);
  const final =
    index.isProse === true ? leading : keepSubject(leading, weights.missingDetail / lexicalWeight);
  return {
    matches: final.slice(0, query.limit).map(clamped),
    evidence: evidenceOf(final, {
      query,
      score: scoreAt(ranked, 0) ?? 0,
      scoreMargin: scoreMargin(ranked, scoreAt(ranked, -1) ?? 0),
      backgroundCosine: null,
      fieldScore: 0,
      isProse: index.isProse === true,
    }),
  };
}

/** Ranks candidates by text and vector; drops those that neither share a term nor have a vector. */
export function rankHybrid(
  db: Database,
  index: SearchIndex,
  ids: readonly number[],
  { vector: asked, backgroundCosine, fieldScore, ...query }: HybridQuery,
): Ranking {
  const vector = Float64Array.from(asked);
  const vectors = readVectors(db, index.name, ids);
  const matches = matchTerms(db, index, ids, query)
    .map((match): Match => {
      const packed = vectors.get(match.id);
      const cosine = packed === undefined ? null : (dotProducts(packed, vector)[0] ?? 0);
      return { ...match, score: 0, cosine, maxPassageCosine: cosine };
    })
    .filter(({ cosine, idfCoverage }) => cosine !== null || idfCoverage > 0);
  // A card that has no vector yet is scored with the mean of the others.
  const meanCosine = mean(matches.flatMap(({ cosine }) => cosine ?? []));
  const weights = weightsFor(query, index, 'hybrid');
  const penalties = penaltiesOf(db, index, ids, query, { vectors, asked: vector });
  const scoreOf = (match: Match) =>
    lexicalScore(match, weights) +
    weights.card * Math.max(0, match.cosine ?? meanCosine) +
    weights.passage * Math.max(0, match.maxPassageCosine ?? meanCosine) -
    (penalties.get(match.id) ?? 0);
  const boostOf = boostsFor(query, index);
  const finalists = rank(matches, (match) => scoreOf(match) + boostOf(match)).slice(
    0,
    Math.max(FINALISTS, query.limit),
  );
  comparePassages(db, index, finalists, vector);
  const ranked = rank(finalists, scoreOf);
  const unrelated = (weights.card + weights.passage) * Math.max(0, backgroundCosine);
  const finalScoreOf = withFeedback(ranked, vectors);
  const scored = rank(ranked, (match) => finalScoreOf(match) + boostOf(match));
  const leading = putLeadersFirst(scored, ranked, query.leading);
  const final =
    index.isProse === true
      ? leading
      : keepSubject(leading, weights.missingDetail / (1 + RANKING.feedback));
  return {
    matches: final.slice(0, query.limit).map(clamped),
    evidence: evidenceOf(final, {
      query,
      score: scoreAt(ranked, 0) ?? 0,
      scoreMargin: scoreMargin(ranked, unrelated),
      backgroundCosine,
      fieldScore,
      isProse: index.isProse === true,
    }),
  };
}

/** What matches gain in rank only: the verdict is fitted on scores without it. */
function boostsFor({ boosts }: RankingQuery, { isProse = false }: SearchIndex) {
  return ({ id, titleCoverage }: Match): number =>
    (boosts.get(id) ?? 0) + (isProse ? 0 : RANKING.titleCoverage * titleCoverage);
}

function lexicalScore(match: LexicalMatch, weights: Weights): number {
  return (
    weights.bm25 * match.bm25 +
    weights.idfCoverage * match.idfCoverage -
    weights.missingDetail * match.missingDetails
  );
}

function comparePassages(
  db: Database,
  { name }: SearchIndex,
  matches: readonly Match[],
  vector: Float64Array,
): void {
  const ids = matches.map(({ id }) => id);
  const passages = readPassages(db, name, ids);
  for (const match of matches) {
    const packed = passages.get(match.id);
    if (packed === undefined || match.cosine === null) continue;
    match.maxPassageCosine = Math.max(match.cosine, ...dotProducts(packed, vector));
  }
}

/** The scores of ranked matches with pseudo-relevance feedback added. */
function withFeedback(
  ranked: readonly Match[],
  vectors: ReadonlyMap<number, Buffer>,
): (match: Match) => number {
  const centroid = feedbackCentroid(ranked, vectors);
  const cosines = new Map(
    ranked.flatMap(({ id }) => {
      const packed = vectors.get(id);
      if (packed === undefined) return [];
      return [[id, Math.max(0, dotProducts(packed, centroid)[0] ?? 0)] as const];
    }),
  );
  const meanCosine = mean([...cosines.values()]);
  const { feedback } = RANKING;
  const scores = new Map(
    ranked.map(({ id, score }) => [
      id,
      (score + feedback * (cosines.get(id) ?? meanCosine)) / (1 + feedback),
    ]),
  );
  return ({ id }) => scores.get(id) ?? 0;
}

/** The weighted mean of the best cards' vectors; a first card that is far ahead dominates it. */
function feedbackCentroid(
  ranked: readonly Match[],
  vectors: ReadonlyMap<number, Buffer>,
): Float64Array {
  const first = ranked[0]?.score ?? 0;
  const weights = ranked
    .slice(0, RANKING.feedbackCards)
    .map(({ id, score }) => ({ id, weight: Math.exp((score - first) / RANKING.feedbackSpread) }));
  const total = weights.reduce((sum, { weight }) => sum + weight, 0);
  const centroid = new Float64Array(DIMENSIONS);
  for (const { id, weight } of weights) {
    const packed = vectors.get(id);
    if (packed !== undefined) addScaled(centroid, packed, weight / total);
  }
  return centroid;
}

/**
 * Gives the matches their scores and sorts them, best first, ties to the smaller id. Boosts and
 * penalties lead out of 0..1: cut off before the sort, such scores would all tie.
 */
function rank(matches: readonly Match[], scoreOf: (match: Match) => number): Match[] {
  return matches
    .map((match) => ({ ...match, score: scoreOf(match) }))
    .sort((a, b) => b.score - a.score || a.id - b.id);
}

/** The score of the first match less that of the tenth, or less `fallback` if there is none. */
function scoreMargin(ranked: readonly Match[], fallback: number): number {
  return (scoreAt(ranked, 0) ?? 0) - (scoreAt(ranked, MARGIN_RANK - 1) ?? fallback);
}

/** The score at a place, 0..1, for the verdict; undefined where there is no match. */
function scoreAt(ranked: readonly Match[], place: number): number | undefined {
  const match = ranked.at(place);
  return match && clamped(match).score;
}

function clamped(match: Match): Match {
  return { ...match, score: Math.min(1, Math.max(0, match.score)) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
